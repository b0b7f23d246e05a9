// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Testing

@testable import OSServices

/// What a Logger writes, and what it keeps to itself.
struct LoggerTests {
    private let record = Record()
    private var logger: OSServices.Logger { OSServices.Logger(record.log()) }

    private struct Described: CustomStringConvertible {
        let description: String
    }

    private struct Failure: Error {
        let secret: String
    }

    @Test func `levels are those of swift-log`() {
        logger.trace("1")
        logger.debug("2")
        logger.info("3")
        logger.notice("4")
        logger.log("5")
        logger.warning("6")
        logger.error("7")
        logger.critical("8")
        logger.fault("9")
        for type in [OSLogType.debug, .info, .default, .error, .fault] { logger.log(level: type, "0") }
        #expect(
            record.take() == [
                "trace: 1", "debug: 2", "info: 3", "notice: 4", "notice: 5", "warning: 6", "error: 7", "critical: 8",
                "critical: 9", "debug: 0", "info: 0", "notice: 0", "error: 0", "critical: 0",
            ]
        )
    }

    @Test func `a secret is not written unless it is public`() {
        let secret = "s3cret"
        let optional: (any Error)? = Failure(secret: secret)
        logger.log("\(secret)")
        logger.log("\(secret, privacy: .private) \(secret, privacy: .sensitive) \(secret, privacy: .auto)")
        logger.log("\(Described(description: secret)) \(Failure(secret: secret)) \(optional)")
        logger.log("\(NSString(string: secret)) \(URL(fileURLWithPath: "/s3cret")) \(Data(secret.utf8) as NSData)")
        logger.log("\([secret]) \(["key": secret]) \(Character("s")) \(Substring(secret)) \(secret as StaticOrNot)")
        logger.log("\(secret, align: .right(columns: 20)) \(42, privacy: .private) \(true, privacy: .sensitive)")
        logger.log("\(secret, privacy: .private(mask: .hash)) \(secret, privacy: .auto(mask: .hash))")
        let lines = record.take()
        #expect(lines.count == 7)
        for line in lines { #expect(!line.contains("s3c") && !line.contains("true"), "\(line)") }
        // A hash has digits of its own.
        for line in lines.dropLast() { #expect(!line.contains("42"), "\(line)") }
        #expect(lines[0] == "notice: <private>")
        #expect(lines[5] == "notice: <private> <private> <private>")
    }

    private typealias StaticOrNot = String

    @Test func `numbers, truth values, types and the text around them are written`() {
        let (count, ratio, size) = (42, 0.5, UInt8(255))
        logger.log("count \(count) ratio \(ratio) size \(size) done \(true) type \(Int.self) \(Float(1.5)) \(Int8(-1))")
        logger.log("\("name", privacy: .public) \(Described(description: "it"), privacy: .public)")
        #expect(
            record.take() == [
                "notice: count 42 ratio 0.500000 size 255 done true type Int 1.500000 -1", "notice: name it",
            ]
        )
    }

    @Test func `formats and columns are as asked for`() {
        logger.log("\(255, format: .hex) \(255, format: .hex(includePrefix: true, uppercase: true, minDigits: 4))")
        logger.log(
            "\(8, format: .octal) \(-7, format: .decimal(minDigits: 3)) \(7, format: .decimal(explicitPositiveSign: true))"
        )
        logger.log(
            "\(1.25, format: .fixed(precision: 1)) \(1234.5, format: .exponential(precision: 2)) \(0.5, format: .hybrid)"
        )
        logger.log(
            "\(true, format: .answer)|\("a", align: .left(columns: 3), privacy: .public)|\(7, align: .right(columns: 3))|"
        )
        #expect(
            record.take() == [
                "notice: ff 0x00FF", "notice: 10 -007 +7", "notice: 1.2 1.23e+03 0.5", "notice: yes|a  |  7|",
            ]
        )
    }

    @Test func `a mask tells equal values from others, and differs from a plain hash`() throws {
        func mask(_ value: String) throws -> String {
            logger.log("\(value, privacy: .private(mask: .hash))")
            return try #require(record.take().first)
        }
        #expect(try mask("a") == mask("a"))
        #expect(try mask("a") != mask("b"))
        #expect(try mask("a").hasPrefix("notice: <mask.hash: '"))
    }

    @Test func `values of a message that is not written are not looked at`() {
        let quiet = OSServices.Logger(record.log(from: .error))
        func fail() -> String {
            Issue.record("the value was looked at")
            return ""
        }
        quiet.debug("\(fail(), privacy: .public)")
        quiet.info("\(fail())")
        OSServices.Logger(OSLog.disabled).fault("\(fail(), privacy: .public)")
        #expect(record.take() == [])
        #expect(record.log(from: .error).isEnabled(type: .error))
        #expect(!record.log(from: .error).isEnabled(type: .info))
        #expect(!OSLog.disabled.isEnabled(type: .fault))
    }

    @Test func `a level's number is Apple's`() {
        #expect([OSLogType.default, .info, .debug, .error, .fault].map(\.rawValue) == [0, 1, 2, 16, 17])
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTesting
import Security
import Synchronization
import Testing

/// Runs of this test program in which work is not carried on.
enum StrayTable {
    private static let variable = "SWIFT_KEYCHAIN_STRAY_TABLE"

    /// Whether this is the program without the lines that carry work on.
    static let isChild = ProcessInfo.processInfo.environment[variable] != nil

    /// The folder of the package.
    static let sources = #filePath.components(separatedBy: "/Tests/KeychainTestingTests/")[0]

    /// The lines of output of a run of the tests that match, and its exit status.
    static func run(_ arguments: [String]) throws -> (lines: [String], status: Int32) {
        let process = Process()
        process.executableURL = try URL(
            fileURLWithPath: FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        )
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging([variable: "1"]) { $1 }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (
            String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init), process.terminationStatus
        )
    }

    /// The numbers of the lines of a file that were told, in the lines of an output that have a mark.
    static func toldLines(of file: String, in lines: [String], mark: String) -> [Int] {
        lines.filter { $0.contains(mark) }.compactMap { line in
            line.components(separatedBy: "\(file):").dropFirst().first.flatMap { Int($0.prefix(while: \.isNumber)) }
        }.sorted()
    }

    /// The numbers of the lines of a file that have a text.
    static func lines(of path: String, where isIncluded: (Substring) -> Bool) throws -> [Int] {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            .filter { isIncluded($0.element) }.map { $0.offset + 1 }
    }
}

/// A test whose condition calls the keychain, before the test has a device.
struct ConditionTests {
    @Test(.keychain, .enabled(if: !StrayTable.isChild || isStored()))
    func conditional() {}

    private static func isStored() -> Bool {
        SecItemCopyMatching(Items.query(), nil) == errSecSuccess  // told
    }
}

/// A test that holds the process, and one without a device whose thread calls meanwhile.
@Suite(.enabled(if: StrayTable.isChild), .timeLimit(.minutes(5))) struct UnawaitedTests {
    private static let isHeld = Mutex(false)
    private static let status = Mutex<OSStatus?>(nil)

    private static func wait(for isThere: () -> Bool) async { while !isThere() { await Task.yield() } }

    @Test(.keychain(processWide: true)) func holder() async throws {
        Self.isHeld.withLock { $0 = true }
        await Self.wait { Self.status.withLock { $0 != nil } }
        #expect(Self.status.withLock(\.self) == errSecNotAvailable)
        #expect(try #require(App.current).device.calls.isEmpty)
    }

    @Test func stray() async {
        await Self.wait { Self.isHeld.withLock(\.self) }
        Thread {
            let status = SecItemAdd(Items.query(), nil)  // unawaited
            Self.status.withLock { $0 = status }
        }.start()
        await Self.wait { Self.status.withLock { $0 != nil } }
    }
}

@Suite("A call that has lost its app is told once, at its line, by the test that it is of where that is known")
struct StrayTableTests {
    @Test("of tests that run beside each other, each row of the table once")
    func swiftTesting() throws {
        let (lines, status) = try StrayTable.run([
            "--testing-library", "swift-testing", "--filter", "FollowingWorkTests/row",
        ])
        let output = lines.joined(separator: "\n")
        #expect(status != 0)
        let way = "\(StrayTable.sources)/Tests/KeychainTestingTests/Isolation/Way.swift"
        let told = StrayTable.toldLines(of: "Way.swift", in: lines, mark: "recorded an issue")
        let strays = Way.allCases.filter { $0.following != .byItself }
        let source = try String(contentsOfFile: way, encoding: .utf8).components(separatedBy: "\n")
        #expect(told.count == strays.count, "\(output)")
        #expect(Set(told).count == strays.count, "\(output)")
        #expect(told.allSatisfy { source[$0 - 1].contains("SecItemAdd(Items.query(), nil)") }, "\(output)")
        // Nothing but that, and the device's log of a call that it did not see is in no issue.
        #expect(lines.filter { $0.contains("recorded an issue") }.count == strays.count, "\(output)")
        #expect(!output.contains("The calls on its device"), "\(output)")
        // All that ran were cases of one test: it tells them, and no unknown one.
        #expect(lines.filter { $0.contains("recorded an issue") }.allSatisfy { $0.contains("row(_:)") }, "\(output)")
        #expect(output.contains("cases of row(_:), not necessarily the one shown, made this call. A keychain call"))
        #expect(output.contains("@Test(.keychain(processWide: true))") && !output.contains("in setUp()"))
        #expect(output.contains("The call: SecItemAdd, called by a closure in Way."), "\(output)")
    }

    @Test("of an XCTestCase, at the line of the call and not of a wait of two seconds for the work")
    func xctest() throws {
        let (lines, status) = try StrayTable.run(["KeychainTestingTests.StrayXCTests"])
        let output = lines.joined(separator: "\n")
        #expect(status != 0)
        let calls = try Self.calls(in: "StrayXCTests.swift")
        #expect(calls.count > 3)
        #expect(StrayTable.toldLines(of: "StrayXCTests.swift", in: lines, mark: ": error: ") == calls, "\(output)")
        #expect(lines.filter { $0.contains(": error: ") }.count == calls.count, "\(output)")
        #expect(output.contains("ProcessWideApp.set(app) in setUp()"))
        #expect(!output.contains("@Test(.keychain"), "no remedy of the other library")
    }

    private static func calls(in file: String, _ call: String = "SecItemAdd(") throws -> [Int] {
        let path = "\(StrayTable.sources)/Tests/KeychainTestingTests/XCTest/\(file)"
        return try StrayTable.lines(of: path) { $0.contains(call) }
    }

    @Test("of a tearDown of each kind, by its own test at its line, also by the last one")
    func tearDown() throws {
        let (lines, status) = try StrayTable.run(["KeychainTestingTests.StrayTearDownXCTests"])
        let output = lines.joined(separator: "\n")
        #expect(status == 1)
        for test in ["testSynchronous", "testThrowing", "testAsynchronous"] {
            let told = lines.filter { $0.contains(": error: StrayTearDownXCTests.\(test) : A keychain call") }
            #expect(told.count == 1, "\(output)")
        }
        #expect(lines.filter { $0.contains(": error: ") }.count == 3, "\(output)")
        let file = "StrayTearDownXCTests.swift"
        let calls = try Self.calls(in: file, "XCTAssertEqual(SecItemAdd(")
        #expect(StrayTable.toldLines(of: file, in: lines, mark: ": error: ") == calls, "\(output)")
    }

    @Test("of a class, before and after its tests, by its suite at its line")
    func classes() throws {
        let (lines, status) = try StrayTable.run(["KeychainTestingTests.StrayClassXCTests"])
        let output = lines.joined(separator: "\n")
        #expect(status == 1)
        #expect(lines.filter { $0.contains(": error: StrayClassXCTests : A keychain call") }.count == 2, "\(output)")
        #expect(lines.filter { $0.contains(": error: ") }.count == 2, "\(output)")
        let file = "StrayTearDownXCTests.swift"
        let calls = try Self.calls(in: file, #"(Items.query("before")"#)
        #expect(StrayTable.toldLines(of: file, in: lines, mark: ": error: ") == calls, "\(output)")
        #expect(output.contains("with 2 failures"), "\(output)")
    }

    @Test("after the last test, by the status of the process")
    func afterTheLast() throws {
        let (lines, status) = try StrayTable.run(["KeychainTestingTests.StrayAfterXCTests"])
        let output = lines.joined(separator: "\n")
        #expect(status == 1)
        #expect(output.contains("with 0 failures"), "\(output)")
        #expect(lines.filter { $0.contains("outside of an app of the testing kit") }.count == 1, "\(output)")
        #expect(output.contains("the run fails by 1 complaint "), "\(output)")
    }

    @Test("of a thread of a test without a device, by the status of the process, and reaches no device of the process")
    func withoutTrait() throws {
        let (lines, status) = try StrayTable.run([
            "--testing-library", "swift-testing", "--filter", "UnawaitedTests",
        ])
        let output = lines.joined(separator: "\n")
        #expect(status == 1, "\(output)")
        #expect(output.contains("Test holder() passed"), "\(output)")
        #expect(output.contains("It is of UnawaitedTests.stray(), which has no device of the trait."), "\(output)")
        let calls = try StrayTable.lines(of: #filePath) { $0.hasSuffix("// unawaited") }
        let told = StrayTable.toldLines(of: "StrayTableTests.swift", in: lines, mark: "outside of an app")
        #expect(told == calls, "\(output)")
    }

    @Test("of a condition of a test, by the status of the process, although the test is skipped")
    func condition() throws {
        let (lines, status) = try StrayTable.run([
            "--testing-library", "swift-testing", "--filter", "ConditionTests/conditional",
        ])
        let output = lines.joined(separator: "\n")
        #expect(status == 1, "\(output)")
        let calls = try StrayTable.lines(of: #filePath) { $0.hasSuffix("// told") }
        let told = StrayTable.toldLines(of: "StrayTableTests.swift", in: lines, mark: "outside of an app")
        #expect(told == calls, "\(output)")
        #expect(output.contains("the run fails by 1 complaint "), "\(output)")
    }
}

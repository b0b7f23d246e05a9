// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import KeychainTestSupport
import Testing

@testable import CommandManual
@testable import KeychainControl

/// The options of all commands that name a descriptor.
struct DescriptorOptionTests {
    @Test("each refuses a descriptor that was not given, before the command does anything, and repeats no secret")
    func everyOption() throws {
        let description = try CommandDescription(json: Data(KeychainControl._dumpHelp().utf8))
        var tried = 0
        for command in description.all {
            let arguments = command.arguments ?? []
            let needed = arguments.filter { !$0.isOptional && $0.kind != .flag }.flatMap { argument in
                (argument.kind == .option ? ["--\(argument.names?.last?.name ?? "")"] : []) + ["x"]
            }
            let options = arguments.filter { $0.kind == .option }.compactMap { $0.names?.last?.name }
            for option in options where option.hasSuffix("-fd") {
                tried += 1
                let words = command.path.dropFirst() + needed
                let control = Control(device: FakeDevice())
                let closed = try control.run(words + ["--\(option)", "\(Int32.max)"])
                #expect(closed.status == 1 && closed.prompts.isEmpty, "\(words): \(closed)")
                #expect(
                    closed.error.contains("--\(option): descriptor \(Int32.max) is not open"),
                    "\(words): \(closed)"
                )
                let secret = try control.run(words + ["--\(option)", "hunter2"])
                #expect(secret.status == 2 && !secret.error.contains("hunter2"), "\(words): \(secret)")
                #expect(secret.error.contains("--\(option) takes the number"), "\(words): \(secret)")
            }
        }
        #expect(tried > 5)
    }
}

// SPDX-License-Identifier: Apache-2.0

import KeychainTestSupport
import SecurityTranscripts
import Testing

@testable import SecurityTool

/// Random commands on keychain files of one user.
@Suite(.timeLimit(.minutes(5)))
struct RandomCommandTests {
    @Test("no command ends the program, whatever is typed", arguments: [1, 2, 3] as [UInt64])
    func randomCommands(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let session = ToolSession(try ToolUser())
        for _ in 0..<400 {
            let command = Self.command(&generator)
            let input = Self.lines.randomElement(using: &generator) ?? nil
            let result = try session.run(command, input: input)
            #expect((0...255).contains(result.status), "\(command)")
        }
    }

    /// No slash and no `-o`, so that nothing is written outside of the user's folders.
    private static let words = [
        "a.keychain", "b.keychain-db", "login.keychain", "..", "", "-", "--", "s", "a", "pw", "apple:", "é", "user",
        "65", "-w", "-U", "-A", "-T", "codesigning", "private", "Test", "00ff", "xyz", "abcd", "\n", "\\", "%s",
    ]

    private static let lines: [String?] = [nil, "pw\n", "pw\npw\n", "\n\n\n", "a.keychain\npw\npw\n", "x"]

    private static let names = CommandTable.entries.map(\.name).filter { !$0.contains("trust") && $0 != "export" }

    private static func command(_ generator: inout SeededGenerator) -> [String] {
        let common = ["create-keychain", "add-generic-password", "unlock-keychain", "list-keychains"]
        let name = (Bool.random(using: &generator) ? common : names).randomElement(using: &generator) ?? "help"
        var command = [name]
        let letters = "abcdefghijklmnpqrstuvwxyzACDGPSTUXZ"
        for _ in 0..<Int.random(in: 0...6, using: &generator) {
            if Bool.random(using: &generator), let letter = letters.randomElement(using: &generator) {
                command.append("-\(letter)")
            }
            if Bool.random(using: &generator), let word = words.randomElement(using: &generator) {
                command.append(word)
            }
        }
        return command
    }
}

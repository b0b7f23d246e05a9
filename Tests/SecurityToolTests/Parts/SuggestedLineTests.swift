// SPDX-License-Identifier: Apache-2.0

import KeychainTestSupport
import Testing

@testable import KeychainControl
@testable import SecurityTool

/// The command lines that `security` and `keychainctl` suggest for words of other tools.
struct SuggestedLineTests {
    private static let lines: [String] = {
        let own = HabitWords.table.values.compactMap { answer in
            if case .command(let line) = answer { line } else { nil }
        }
        return Set(own + SuggestedCommand.habits.values).sorted()
    }()

    @Test("the command of every line accepts its words", arguments: lines)
    func accepted(_ line: String) throws {
        if let words = ExampleWords.arguments(of: line, to: "security") {
            let entry = try #require(CommandTable.entries.first { $0.name == words.first && $0.remark == nil })
            #expect(entry.accepts(words.dropFirst().map { Word($0) }))
        } else if let words = ExampleWords.arguments(of: line, to: "keychainctl") {
            // An option of the program alone is no command.
            if words != ["--version"] { _ = try KeychainControl.parsed(words) }
        } else {
            // Its parser is in a package of its own.
            #expect(line == "keychain-lint FOLDER")
        }
    }

    @Test(
        "every command that may be meant by a mistyped one is one that runs",
        arguments: CommandTable.entries.map(\.name)
    )
    func supported(_ name: String) throws {
        let entry = try #require(CommandTable.entries.first { $0.name == name })
        let meant = SuggestedCommand.text(for: Word("\(name)x"))
        #expect((meant == "did you mean '\(name)'?") == (entry.remark == nil), "\(meant ?? "")")
        #expect((entry.makeCommand != nil) == (entry.remark == nil))
    }
}

// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import Glibc
import KeychainTestSupport
import Testing

@testable import KeychainControl
@testable import SecurityTool

/// What `--help` of `keychainctl` and of each of its commands says.
struct CommandHelpTests {
    /// A command, by the words that name it.
    struct NamedCommand: CustomTestStringConvertible {
        var name: String
        var type: any ParsableCommand.Type

        var testDescription: String { name }

        var discussion: CommandDiscussion { CommandDiscussion(type.configuration.discussion) }
    }

    private static let commands = below("keychainctl", KeychainControl.self)

    private static func below(_ name: String, _ type: any ParsableCommand.Type) -> [NamedCommand] {
        [NamedCommand(name: name, type: type)]
            + type.configuration.subcommands.flatMap { below("\(name) \($0._commandName)", $0) }
    }

    @Test("every command of keychainctl stands in a group of its help, secrets first")
    func groups() {
        let configuration = KeychainControl.configuration
        #expect(configuration.ungroupedSubcommands.isEmpty)
        #expect(configuration.groupedSubcommands.first?.name == "Secrets")
        #expect(configuration.groupedSubcommands.last?.name == "Developer")
        let names = configuration.groupedSubcommands.flatMap(\.subcommands).map { $0._commandName }
        #expect(Set(names).count == names.count)
    }

    @Test("every command has one line that says what it does, and an example", arguments: commands)
    func texts(_ command: NamedCommand) {
        let configuration = command.type.configuration
        #expect(configuration.abstract.hasSuffix(".") && !configuration.abstract.contains("\n"))
        #expect(!command.discussion.examples.isEmpty, "CommandDiscussion.text(…, examples: …) gives it one")
        for example in command.discussion.examples {
            #expect(example.meaning.hasSuffix("."), "\(example.line)")
            #expect(example.line.count <= CommandDiscussion.lineLimit, "\(example.line)")
            #expect(example.meaning.count + 8 <= 80, "\(example.meaning)")
        }
    }

    @Test("every example is a command line that the command accepts", arguments: commands)
    func examples(_ command: NamedCommand) throws {
        for example in command.discussion.examples {
            let given = try #require(ExampleWords.arguments(of: example.line, to: "keychainctl"), "\(example.line)")
            // "help" is a command of swift-argument-parser, which names one of ours.
            if given.first == "help" {
                #expect(UnknownCommand(in: given, of: KeychainControl.self) == nil, "\(example.line)")
                continue
            }
            try ExampleWords.withOpenDescriptor(in: given) { words in
                let parsed = try KeychainControl.parsed(words)
                #expect(command.isOfExample(parsed, words), "\(example.line)")
            }
        }
    }

    @Test("help shows the groups and the examples as they are written")
    func rendered() {
        let help = KeychainControl.helpMessage(columns: 80)
        #expect(help.contains("\nSECRETS SUBCOMMANDS:\n  list "))
        #expect(help.contains("\nDEVELOPER SUBCOMMANDS:\n  doctor "))
        for command in Self.commands {
            let text = KeychainControl.helpMessage(for: command.type, columns: 80)
            for example in command.discussion.examples {
                #expect(text.contains("\n  \(example.line)\n        \(example.meaning)\n"), "\(command.name)")
            }
        }
    }

    @Test(
        "a text with examples is read again as it was",
        arguments: ["", "One line.", "Two paragraphs.\n\n    one of them indented"]
    )
    func roundTrip(_ explanation: String) {
        let text = CommandDiscussion.text(explanation, examples: ["a b": "Does it.", "a 'c d'": "Does that."])
        let discussion = CommandDiscussion(text)
        #expect(discussion.explanation == explanation)
        #expect(
            discussion.examples == [
                CommandExample(line: "a b", meaning: "Does it."),
                CommandExample(line: "a 'c d'", meaning: "Does that."),
            ]
        )
        #expect(CommandDiscussion(explanation).examples.isEmpty)
    }

    @Test("the page of words explains each one once, as the command does")
    func words() throws {
        let names = WordTable.rows.map(\.word)
        #expect(Set(names).count == names.count)
        for line in WordTable.text.split(separator: "\n") { #expect(line.count <= 78, "\(line)") }
        let outcome = try Control(device: FakeDevice()).run(["words"])
        #expect(outcome.status == 0 && outcome.output == WordTable.text)
    }
}

extension CommandHelpTests.NamedCommand {
    /// Whether a parsed example is of this command, or of one below it.
    func isOfExample(_ parsed: any ParsableCommand, _ words: [String]) -> Bool {
        let names = name.split(separator: " ").dropFirst().map(String.init)
        return words.starts(with: names)
    }
}

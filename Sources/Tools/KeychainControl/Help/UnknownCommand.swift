// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp

/// A word in the place of a command that names none.
///
/// swift-argument-parser suggests options only, and takes the word for an argument of a default command.
struct UnknownCommand: Hashable {
    /// The commands before the word.
    let parents: [String]

    let word: String

    /// The commands that may have been meant, without the name of the program; empty if there are none.
    let suggestions: [String]

    /// Finds the first such word; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - arguments: the arguments of the program.
    ///   - root: its command.
    init?(in arguments: [String], of root: any ParsableCommand.Type) {
        var command = root
        var parents: [String] = []
        for word in arguments.first == "help" ? arguments.dropFirst() : arguments[...] {
            let subcommands = command.configuration.subcommands
            guard !word.hasPrefix("-"), !subcommands.isEmpty else { return nil }
            guard let next = subcommands.first(where: { $0.names.contains(word) }) else {
                if command.configuration.defaultSubcommand?.takesArguments == true { return nil }
                self.parents = parents
                self.word = word
                suggestions = Self.suggestions(for: word, after: parents, in: command, of: root)
                return
            }
            command = next
            parents.append(word)
        }
        return nil
    }

    /// What is said about it.
    var message: String {
        let name = (parents + [word]).joined(separator: " ")
        let sentence = "Unknown command '\(name)'."
        if let meant = NearWords.alternatives(suggestions) { return "\(sentence) Did you mean \(meant)?" }
        if parents.isEmpty, let habit = HabitWords.table[word.lowercased()] { return "\(sentence) \(habit.text)" }
        return sentence
    }

    /// Those that are near in the same place; otherwise those of this name elsewhere.
    private static func suggestions(
        for word: String,
        after parents: [String],
        in command: any ParsableCommand.Type,
        of root: any ParsableCommand.Type
    ) -> [String] {
        let shown = command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
        let near = NearWords.suggestions(for: word, among: shown.map { $0._commandName })
        if !near.isEmpty { return near.map { (parents + [$0]).joined(separator: " ") } }
        if parents.isEmpty, HabitWords.table[word.lowercased()] != nil { return [] }
        let names = root.commandPaths.filter { $0.last == word }
        return names.prefix(3).map { $0.joined(separator: " ") }
    }
}

extension ParsableCommand {
    /// The words that name it.
    fileprivate static var names: [String] { [_commandName] + configuration.aliases }

    /// Whether a word without a hyphen can be an argument of it.
    fileprivate static var takesArguments: Bool { helpMessage(columns: 80).contains("\nARGUMENTS:\n") }

    /// The names of all commands below this one that help shows, each with those above it.
    static var commandPaths: [[String]] {
        configuration.subcommands.filter { $0.configuration.shouldDisplay }.flatMap { command in
            [[command._commandName]] + command.commandPaths.map { [command._commandName] + $0 }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A command as swift-argument-parser describes it with `--experimental-dump-help`.
package struct CommandDescription: Decodable {
    let commandName: String
    let superCommands: [String]?
    let shouldDisplay: Bool?
    let abstract: String?
    let discussion: String?
    let subcommands: [CommandDescription]?
    let arguments: [Argument]?

    /// An option, a flag, or an operand.
    struct Argument: Decodable {
        let kind: Kind
        let shouldDisplay: Bool
        let isOptional: Bool
        let isRepeating: Bool
        let names: [Name]?
        let valueName: String?
        let defaultValue: String?
        let allValues: [String]?
        let abstract: String?
        let discussion: String?

        enum Kind: String, Decodable {
            case positional
            case option
            case flag
        }

        struct Name: Decodable {
            let kind: Kind
            let name: String

            enum Kind: String, Decodable {
                case long
                case short
                case longWithSingleDash
            }
        }
    }

    private struct File: Decodable { let command: CommandDescription }

    /// Reads a description.
    ///
    /// - Throws: An error of `JSONDecoder`.
    package init(json: Data) throws { self = try JSONDecoder().decode(File.self, from: json).command }

    /// The words that name it.
    var path: [String] { (superCommands ?? []) + [commandName] }

    /// The commands below it that help shows, without the parser's own `help`.
    var shown: [CommandDescription] {
        (subcommands ?? []).filter { $0.shouldDisplay != false && $0.commandName != "help" }
    }

    /// Those and all below them, and before them itself.
    var all: [CommandDescription] { [self] + shown.flatMap(\.all) }

    /// The arguments that help shows, without those that every command has.
    var ownArguments: [Argument] {
        (arguments ?? []).filter { $0.shouldDisplay && !["help", "version"].contains($0.names?.last?.name) }
    }
}

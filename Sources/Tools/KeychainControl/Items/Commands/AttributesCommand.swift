// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainCore

/// `keychainctl attributes`: shows what programs of the Secret Service store with items, and no dictionary of
/// the item functions has.
struct AttributesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attributes",
        abstract: "Shows the attributes by which programs of the Secret Service find passwords.",
        discussion: CommandDiscussion.text(
            """
            Each item with its label and its attributes, one NAME=VALUE on a line; never a secret. Of passwords that \
            'security' stored, those that their columns give. The exit status is 1 if there is none.
            """,
            examples: [
                "keychainctl attributes": "Shows those of all passwords.",
                "keychainctl attributes service=example account=ada": "Those of passwords that have these two.",
                "keychainctl attributes --json": "Writes them as a JSON array.",
            ]
        )
    )

    @Argument(help: ArgumentHelp("What an item must have.", valueName: "name=value"))
    var attributes: [String] = []

    @Flag(help: "Write a JSON array of objects.")
    var json = false

    /// The attributes to search for.
    private func search() throws -> LookupAttributes {
        let pairs = try attributes.map { text in
            guard let sign = text.firstIndex(of: "=") else {
                throw ValidationError("'\(text)' is not of the form NAME=VALUE.")
            }
            return LookupAttributes.Pair(String(text[..<sign]), String(text[text.index(after: sign)...]))
        }
        do throws(KeychainError) { return try LookupAttributes(pairs) } catch {
            throw ValidationError("\(error.reason).")
        }
    }

    func validate() throws { _ = try search() }

    func run() throws {
        let surroundings = Surroundings.current
        let attributes = try search()
        let items = try refusing { () throws(KeychainError) in try surroundings.keychain.lookupItems(with: attributes) }
        guard !items.isEmpty else { throw Refusal("no password has these attributes") }
        if json { return surroundings.printLine(JSONText.indented(array: items.map(\.json))) }
        surroundings.printLine(items.map(\.lines).joined(separator: "\n"))
    }
}

extension LookupItem {
    /// The members of its JSON object; those that are not known of a locked item are left out.
    fileprivate var json: [String: JSONValue] {
        var attributes: [String: JSONValue] = [:]
        for pair in self.attributes.pairs { attributes[pair.name] = .string(pair.value) }
        var members: [String: JSONValue] = ["attributes": .object(attributes), "locked": .boolean(isLocked)]
        if !label.isEmpty { members["label"] = .string(label) }
        if let created { members["created"] = .string(TimeText.text(created)) }
        if let modified { members["modified"] = .string(TimeText.text(modified)) }
        return members
    }

    /// Its label and attributes, for people.
    fileprivate var lines: String {
        // Nothing is known of a locked item that was stored without lookup attributes.
        let name = label.isEmpty && created == nil ? "?" : label.isEmpty ? "(no label)" : label.printable
        return
            ([isLocked ? "\(name) (locked)" : name]
            + attributes.pairs.map { "  \($0.name.printable)=\($0.value.printable)" })
            .joined(separator: "\n")
    }
}

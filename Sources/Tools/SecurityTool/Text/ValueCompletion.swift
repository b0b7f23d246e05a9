// SPDX-License-Identifier: Apache-2.0

import CommandHelp
import KeychainCore
import KeychainMacFrontEnd

/// Values that a shell completes on a command line: names of items and keychains.
///
/// No secret is opened and nobody is asked; what is locked is not offered.
struct ValueCompletion {
    let keychains: Keychains

    /// The time that a shell waits.
    static let milliseconds = 400

    /// The words of a command line that a shell passes, each ended by a zero byte.
    ///
    /// By standard input: arguments of a process are shown to other users, and a secret may be among the words.
    static func words(_ bytes: SecretBytes) -> [Word] {
        bytes.withUnsafeBytes { bytes in
            bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast().map { part in
                Word(SecretBytes(copying: UnsafeRawBufferPointer(rebasing: part)))
            }
        }
    }

    /// What may follow.
    ///
    /// - Parameter words: the words before the one that is completed, the command first.
    /// - Returns: The candidates, one a line; not yet filtered by what has been typed.
    func candidates(after words: [Word]) -> [String] {
        guard let name = words.first, let entry = CommandTable.entry(matching: name), entry.remark == nil else {
            return []
        }
        let arguments = ParsedOptions(Array(words.dropFirst()), entry.options)
        guard case .missingValue(let letter)? = arguments.problem else {
            // Behind an option that is wrong nothing is known.
            let takesKeychains = entry.synopsis.split(separator: "\n").first?.contains("keychain") ?? false
            return arguments.problem == nil && takesKeychains ? OfferedNames.lines(keychainNames) : []
        }
        return OfferedNames.lines(values(of: Character(UnicodeScalar(letter)), of: entry, arguments))
    }

    private func values(
        of letter: Character,
        of entry: CommandTable.Entry,
        _ arguments: ParsedOptions
    ) -> [String] {
        switch entry.name {
        case "add-generic-password", "find-generic-password", "delete-generic-password",
            "set-generic-password-partition-list":
            passwordValues(.generic, of: letter, arguments)
        case "add-internet-password", "find-internet-password", "delete-internet-password",
            "set-internet-password-partition-list":
            passwordValues(.internet, of: letter, arguments)
        case "find-certificate", "delete-certificate", "delete-identity", "set-identity-preference":
            letter == "c" ? names("labl", of: .certificate, Conditions()) : []
        case "find-key", "set-key-partition-list": letter == "l" ? names("labl", of: .key, Conditions()) : []
        case "import", "export", "add-certificates", "create-keypair", "add-trusted-cert", "verify-cert", "cms":
            letter == "k" ? keychainNames : []
        default: []
        }
    }

    /// Those of the items that fit what has been typed.
    private func passwordValues(_ kind: PasswordKind, of letter: Character, _ arguments: ParsedOptions) -> [String] {
        guard let field = kind.fields.first(where: { $0.letter == letter && $0.form.isText }) else { return [] }
        var fields = PasswordFields(kind, function: PasswordSearch.preparing)
        for option in arguments.options {
            do { _ = try fields.parse(option) } catch { return [] }
        }
        return names(field.attribute, of: kind.itemClass, fields.filter)
    }

    private func names(_ attribute: AttributeName, of itemClass: ItemClass, _ conditions: Conditions) -> [String] {
        let stores = (try? keychains.searched(by: [])) ?? []
        return stores.flatMap { store in
            ((try? store.items(itemClass, conditions)) ?? []).compactMap { $0[attribute].flatMap(Self.text) }
        }
    }

    private static func text(_ value: PropertyValue) -> String? {
        AttributeBlock.bytes(value).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// The names of the search list, by which a user would type them.
    private var keychainNames: [String] {
        let paths = (try? keychains.preferences.searchList(.user)) ?? []
        return paths.map { $0.split(separator: "/").last.map(String.init) ?? $0 }
    }
}

extension PasswordKind.Form {
    fileprivate var isText: Bool { if case .text = self { true } else { false } }
}

// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore

/// `keychain-keyring`: the commands of Python's `keyring` that pip, uv, twine and poetry run, and the back end of that
/// package.
///
/// The items are generic passwords as `keyring` makes them on macOS: service and account. Those that were stored here
/// have a creator besides, by which they are told apart from passwords of other programs.
struct KeyringHelper {
    private let surroundings: HelperSurroundings

    /// The creator of what was stored here.
    private static let creator: Int64 = 0x6B79_7267  // "kyrg"
    private static let creatorName: AttributeName = "crtr"

    init(_ surroundings: HelperSurroundings) { self.surroundings = surroundings }

    func run(_ arguments: [String]) -> Int32 {
        do {
            let command = try KeyringCommand(arguments)
            switch command.operation {
            case .get: return try get(command) ? 0 : 1
            case .set: try set(command)
            case .delete: try delete(command)
            }
            return 0
        } catch {
            surroundings.remark(.keyring, reasonOf: error)
            return error is KeyringCommand.Usage ? 2 : 1
        }
    }

    /// Without an answer, nothing is written: the callers ask elsewhere.
    private func get(_ command: KeyringCommand) throws -> Bool {
        guard let entry = try answers(to: command).first else { return false }
        let secret = try surroundings.store.secret(of: entry)
        guard let text = secret.text, let user = entry.text(.account) else {
            throw HelperFailure("the item is not UTF-8")
        }
        if command.isJSON {
            let answer: [(String, JSONValue)] =
                command.isForCredential
                ? [("username", .string(user)), ("password", .string(text))] : [("password", .string(text))]
            surroundings.streams.writeLine(JSONValue.object(answer))
            return true
        }
        guard secret.oneLine != nil, user.isOneLine else {
            throw HelperFailure(
                "the item has several lines, which the caller could not tell apart; there is --output json"
            )
        }
        var lines = SecretBuffer()
        if command.isForCredential { lines.append(text: "\(user)\n") }
        lines.append(secret)
        lines.append(0x0A)
        surroundings.streams.write(lines.bytes)
        return true
    }

    private func set(_ command: KeyringCommand) throws {
        guard let user = command.username else { throw KeyringCommand.usage }
        let input = try surroundings.streams.readAll()
        // The newline that ends the line is not a part of the password.
        let secret = input.withUnsafeBytes { bytes in
            bytes.last == 0x0A ? SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes.dropLast())) : input
        }
        guard !secret.isEmpty else { throw HelperFailure("there is no password on standard input") }
        if command.isForServers { _ = try answers(to: command) }
        try surroundings.store.put(
            secret,
            in: { () throws(KeychainError) in try entries(command).first },
            orNew: .genericPassword,
            [.service: .string(command.service), .account: .string(user), .label: .string(command.service)],
            marks: [Self.creatorName: .number(.integer(Self.creator))]
        )
    }

    private func delete(_ command: KeyringCommand) throws {
        guard command.username != nil else { throw KeyringCommand.usage }
        guard let entry = try answers(to: command).first else { throw HelperFailure("there is no such password") }
        // While the keychain is locked, nothing is erased.
        _ = try surroundings.store.secret(of: entry)
        try surroundings.store.delete(entry)
    }

    /// The items that a command may use.
    ///
    /// - Throws: ``HelperFailure`` if there are only those of other programs, and a server might get them.
    private func answers(to command: KeyringCommand) throws -> [CredentialStore.Entry] {
        let entries = try entries(command)
        guard command.isForServers, !command.isOfURL else { return entries }
        let own = entries.filter { $0.number(Self.creatorName) == Self.creator }
        guard own.isEmpty, !entries.isEmpty else { return own }
        throw HelperFailure(
            "the password of '\(command.service.printable)' was not stored by keyring, so no server gets it; "
                + "'\(HelperName.keyring.rawValue) set' permits that"
        )
    }

    private func entries(_ command: KeyringCommand) throws(KeychainError) -> [CredentialStore.Entry] {
        var attributes: [AttributeName: String] = [.service: command.service]
        if let user = command.username { attributes[.account] = user }
        return try surroundings.store.entries(.genericPassword, attributes)
    }
}

/// A command line of `keyring`.
package struct KeyringCommand: Hashable, Sendable {
    package enum Operation: String, Sendable {
        case get
        case set
        case delete = "del"
    }

    package private(set) var operation = Operation.get
    package private(set) var service = ""

    /// `nil` if any user will do.
    package private(set) var username: String?

    /// Whether user and password are asked for (`--mode creds`), rather than the password alone.
    package private(set) var isForCredential = false

    /// Whether the caller may send the answer to a server that is named by a file from somebody else, such as a
    /// requirements file (`--for-servers`, which is not for people).
    package private(set) var isForServers = false

    /// The option for that.
    package static let forServers = "--for-servers"

    /// Whether the service is the URL of a server, to which the password belongs then.
    var isOfURL: Bool { ["https://", "http://"].contains { service.lowercased().hasPrefix($0) } }

    /// Whether the answer is JSON (`--output json`) rather than lines.
    package private(set) var isJSON = false

    /// The command line is not one of these.
    struct Usage: Error, CustomStringConvertible {
        let description = """
            usage: \(HelperName.keyring.rawValue) [--mode password|creds] [--output plain|json] get SERVICE [USER] | \
            set SERVICE USER | del SERVICE USER
            """
    }

    static let usage = Usage()

    /// Reads the arguments.
    package init(_ arguments: [String]) throws {
        var words: [String] = []
        var rest = arguments[...]
        while let word = rest.popFirst() {
            // After two hyphens, a name may begin with hyphens as well.
            if word == "--" {
                words += rest
                break
            }
            guard word.hasPrefix("--") else {
                words.append(word)
                continue
            }
            guard word != Self.forServers else {
                isForServers = true
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            guard let value = parts.count > 1 ? parts[1] : rest.popFirst() else { throw Self.usage }
            switch (parts[0], value) {
            case ("--mode", "creds"): isForCredential = true
            case ("--mode", "password"): isForCredential = false
            case ("--output", "json"): isJSON = true
            case ("--output", "plain"): isJSON = false
            default: throw Self.usage
            }
        }
        guard (2...3).contains(words.count), let operation = Operation(rawValue: words[0]), !words[1].isEmpty else {
            throw Self.usage
        }
        self.operation = operation
        service = words[1]
        username = words.count > 2 ? words[2] : nil
        guard operation == .get || username != nil, isForCredential || username != nil else { throw Self.usage }
    }
}

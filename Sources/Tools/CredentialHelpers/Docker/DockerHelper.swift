// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// `docker-credential-keychain`: credentials of registries, in the protocol of docker-credential-helpers.
///
/// Docker reads errors on standard output, and knows some of them by their text.
struct DockerHelper {
    private let surroundings: HelperSurroundings

    init(_ surroundings: HelperSurroundings) { self.surroundings = surroundings }

    // Docker compares these texts.
    static let notFound = HelperFailure("credentials not found in native keychain")
    static let noServer = HelperFailure("no credentials server URL")
    static let noUser = HelperFailure("no credentials username")

    func run(_ arguments: [String]) -> Int32 {
        guard arguments.count == 1, let action = arguments.first else {
            surroundings.streams.writeLine("Usage: \(HelperName.docker.rawValue) <store|get|erase|list|version>")
            return 1
        }
        do {
            switch action {
            case "store": try store(try input())
            case "get": try get(try key())
            case "erase": try erase(try key())
            case "list": list()
            case "version": writeVersion()
            default: throw HelperFailure("Unknown credential action `\(action)`")
            }
            return 0
        } catch {
            // Docker shows it.
            surroundings.streams.writeLine(HelperSurroundings.reason(error).printable)
            return 1
        }
    }

    private func writeVersion() {
        surroundings.streams.writeLine("\(HelperName.docker.rawValue) (swift-keychain) \(ProductVersion.text)")
    }

    private func input() throws(HelperFailure) -> SecretBytes { try surroundings.streams.readAll() }

    private func key() throws(HelperFailure) -> DockerKey {
        guard let text = try input().trimmed.text else { throw HelperFailure("the server URL is not UTF-8") }
        return try DockerKey(text)
    }

    // MARK: - Operations

    private func get(_ key: DockerKey) throws {
        do {
            for entry in try entries(key) {
                guard let secret = try surroundings.store.secret(of: entry).text else {
                    surroundings.remark(.docker, "an item is left out, because its secret is not UTF-8")
                    continue
                }
                let answer: [(String, JSONValue)] = [
                    ("ServerURL", .string(key.text)), ("Username", .string(entry.text(.account) ?? "")),
                    ("Secret", .string(secret)),
                ]
                return surroundings.streams.writeLine(JSONValue.object(answer))
            }
        } catch {
            // The one answer by which Docker asks elsewhere.
            surroundings.remark(.docker, reasonOf: error)
        }
        throw Self.notFound
    }

    private func store(_ input: SecretBytes) throws {
        let credential = try DockerCredential(input)
        let key = try DockerKey(credential.serverURL)
        let isOfUser = { (entry: CredentialStore.Entry) in entry.text(.account) == credential.username }
        var others = try entries(key)
        var attributes = CredentialStore.dockerAttributes(for: key)
        attributes[.account] = .string(credential.username)
        try surroundings.store.put(
            credential.secret,
            in: { () throws(KeychainError) in try entries(key).first(where: isOfUser) },
            orNew: .internetPassword,
            attributes
        )
        // A registry has one credential: another one, of any user, would be found as well.
        if let kept = others.firstIndex(where: isOfUser) { others.remove(at: kept) }
        for entry in others { try surroundings.store.delete(entry) }
    }

    private func erase(_ key: DockerKey) throws {
        for entry in try entries(key) {
            // While the keychain is locked, nothing is erased.
            _ = try surroundings.store.secret(of: entry)
            try surroundings.store.delete(entry)
        }
    }

    private func list() {
        do {
            let users = try surroundings.store.dockerUsers()
            surroundings.streams.writeLine(JSONValue.object(users.mapValues { .string($0) }).text)
        } catch {
            surroundings.remark(.docker, reasonOf: error)
            surroundings.streams.writeLine("{}")
        }
    }

    private func entries(_ key: DockerKey) throws(KeychainError) -> [CredentialStore.Entry] {
        try surroundings.store.dockerEntries(for: key)
    }
}

/// What Docker stores.
package struct DockerCredential: Hashable, Sendable {
    package let serverURL: String
    package let username: String
    package let secret: SecretBytes

    /// Reads an object of JSON.
    ///
    /// - Throws: ``HelperFailure`` for what is not one, and Docker's own texts for a member that is missing.
    package init(_ input: SecretBytes) throws(HelperFailure) {
        let members = try JSONInput.object(input)
        guard let server = members["ServerURL"].string, !server.isEmpty else { throw DockerHelper.noServer }
        guard let user = members["Username"].string, !user.isEmpty else { throw DockerHelper.noUser }
        guard let secret = members["Secret"].string else { throw HelperFailure("no credentials secret") }
        (serverURL, username, self.secret) = (server, user, SecretBytes(text: secret))
    }
}

/// JSON of a caller.
enum JSONInput {
    /// The object that a text is.
    ///
    /// - Throws: ``HelperFailure`` for anything else, such as a text with something behind the object.
    static func object(_ input: SecretBytes) throws(HelperFailure) -> JSONValue {
        // Marks are no danger in a secret, which nobody parses.
        guard let value = input.withUnsafeBytes({ try? JSONParser.parse($0, limitsMarks: false) }) else {
            throw HelperFailure("the input is not JSON, or has names twice")
        }
        guard value.members != nil else { throw HelperFailure("the input is not an object of JSON") }
        return value
    }
}

// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore

/// `git-credential-keychain`: credentials of git (git-credential(1), gitcredentials(7)).
///
/// The items are internet passwords as git's helper on macOS makes them. The exit status is 0 whatever was found: git
/// then asks the next helper, or the user.
struct GitHelper {
    private let surroundings: HelperSurroundings

    init(_ surroundings: HelperSurroundings) { self.surroundings = surroundings }

    /// What this helper tells git with what it found: there is nothing to store.
    static let seenState = "keychain:seen=1"

    private static let capabilities = ["authtype", "state"]

    func run(_ arguments: [String]) -> Int32 {
        do {
            switch arguments.first {
            case "get": try get(try pattern())
            case "store": try store(try pattern())
            case "erase": try erase(try pattern())
            case "capability":
                surroundings.streams.writeLine("version 0")
                for capability in Self.capabilities { surroundings.streams.writeLine("capability \(capability)") }
            // Of a version of git that knows more operations.
            default: break
            }
        } catch {
            surroundings.remark(.git, reasonOf: error)
        }
        return 0
    }

    private func pattern() throws(HelperFailure) -> GitCredential {
        try GitCredential(try surroundings.streams.readAll())
    }

    // MARK: - Operations

    private func get(_ pattern: GitCredential) throws {
        guard let address = try pattern.address else { throw Self.tooLittle }
        for entry in try entries(pattern, address) {
            guard let secret = GitSecret(stored: try surroundings.store.secret(of: entry)) else {
                surroundings.remark(.git, "an item is left out, because git cannot take a secret of several lines")
                continue
            }
            guard let answer = answer(to: pattern, secret, entry) else { continue }
            return surroundings.streams.write(answer)
        }
    }

    private func store(_ approved: GitCredential) throws {
        guard let address = try approved.address else { throw Self.tooLittle }
        guard !approved.isEphemeral, !approved.states.contains(Self.seenState), !isExpired(approved.passwordExpiry),
            let secret = GitSecret(approved), let username = approved.username ?? secret.userOfHeader
        else { return }
        var attributes = address.attributes
        attributes[.account] = .string(username)
        attributes[.label] = .string(address.server.isEmpty ? address.path ?? "" : address.server)
        // What programs on macOS look for where they are not told otherwise.
        attributes["atyp"] = .string("dflt")
        var exact = approved
        exact.username = username
        try surroundings.store.put(
            secret.stored,
            in: { () throws(KeychainError) in
                try entries(exact, address).first {
                    $0.text("path") == address.path ?? "" && address.hasSamePort(as: $0)
                }
            },
            orNew: .internetPassword,
            attributes
        )
    }

    private func erase(_ rejected: GitCredential) throws {
        guard let address = try rejected.address else { throw Self.tooLittle }
        for entry in try entries(rejected, address) {
            // git names no path unless it is told to. Then only the password says that this is what was rejected.
            let isNamed = address.path != nil || !ServerAddress.hasPath(entry) || rejected.hasSecret
            guard isNamed else { continue }
            // A secret that cannot be read is not erased, even if git names none: it may be another one by now.
            guard let secret = GitSecret(stored: try surroundings.store.secret(of: entry)) else { continue }
            if secret.fits(rejected) { try surroundings.store.delete(entry) }
        }
    }

    private static let tooLittle = HelperFailure("the request has no protocol, or neither host nor path")

    // MARK: - Parts

    /// The items that a pattern fits, those that it names most exactly first.
    private func entries(
        _ pattern: GitCredential,
        _ address: ServerAddress
    ) throws(KeychainError) -> [CredentialStore.Entry] {
        var attributes: [AttributeName: String] = [.server: address.server]
        if let path = address.path { attributes["path"] = path }
        if let username = pattern.username { attributes[.account] = username }
        let found = try surroundings.store.entries(.internetPassword, attributes).filter { entry in
            address.isPlace(of: entry) && entry.text(.account)?.isOneLine == true
        }
        let rank = { (entry: CredentialStore.Entry) in
            (entry.text("path") == address.path ?? "" ? 0 : 2) + (address.hasSamePort(as: entry) ? 0 : 1)
        }
        // The sort is stable: of equal ones, the one that was changed last stays first.
        return try surroundings.store.withoutDocker(found).sorted { rank($0) < rank($1) }
    }

    /// The lines for git; `nil` if it could not use the secret.
    private func answer(
        to pattern: GitCredential,
        _ secret: GitSecret,
        _ entry: CredentialStore.Entry
    ) -> SecretBytes? {
        var lines = SecretBuffer()
        let understood = Self.capabilities.filter(pattern.capabilities.contains)
        for capability in understood { lines.append(text: "capability[]=\(capability)\n") }
        let username = entry.text(.account) ?? ""
        let isExpired = isExpired(secret.passwordExpiry)
        if pattern.username == nil, secret.credential == nil || !username.isEmpty {
            lines.append(text: "username=\(username)\n")
        }
        if let type = secret.authenticationType, let credential = secret.credential {
            guard understood.contains("authtype"), !isExpired else { return nil }
            lines.append(text: "authtype=\(type)\n")
            lines.append("credential=", credential)
        } else if !isExpired {
            lines.append("password=", secret.password)
        } else if secret.refreshToken == nil {
            // With a refresh token, a helper that comes later gets a new password.
            return nil
        }
        if let expiry = secret.passwordExpiry, !isExpired { lines.append(text: "password_expiry_utc=\(expiry)\n") }
        if let token = secret.refreshToken { lines.append("oauth_refresh_token=", token) }
        if understood.contains("state"), !isExpired { lines.append(text: "state[]=\(Self.seenState)\n") }
        return lines.bytes
    }

    private func isExpired(_ time: Int?) -> Bool { time.map { $0 <= surroundings.now() } ?? false }
}

extension GitSecret {
    /// A ready-made header needs no user.
    fileprivate var userOfHeader: String? { credential == nil ? nil : "" }
}

extension SecretBuffer {
    fileprivate mutating func append(_ key: StaticString, _ value: SecretBytes) {
        append(key)
        append(value)
        append(0x0A)
    }
}

extension String {
    /// Whether a protocol of lines can carry it.
    var isOneLine: Bool { !utf8.contains { $0 == 0x0A || $0 == 0x0D || $0 == 0 } }
}

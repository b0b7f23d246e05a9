// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// `cargo-credential-keychain`: tokens of registries.
///
/// The items are generic passwords as cargo's own provider on macOS makes them.
struct CargoHelper {
    private let surroundings: HelperSurroundings

    init(_ surroundings: HelperSurroundings) { self.surroundings = surroundings }

    func run(_ arguments: [String]) -> Int32 {
        guard arguments.first == "--cargo-plugin" else {
            surroundings.remark(.cargo, "this program is run by cargo, as a credential provider")
            return 1
        }
        surroundings.streams.writeLine(#"{"v":[1]}"#)
        do {
            while let line = try surroundings.streams.readLine() {
                if !line.trimmed.isEmpty { surroundings.streams.writeLine(answer(line).text) }
            }
            return 0
        } catch {
            surroundings.streams.writeLine(Self.failure("other", error.description).text)
            return 1
        }
    }

    private func answer(_ line: SecretBytes) -> JSONValue {
        do {
            switch try CargoRequest(line) {
            case .get(let index): return get(index)
            case .login(let index, let token, let loginURL):
                return try login(index, try token ?? ask(index, loginURL))
            case .logout(let index): return try logout(index)
            case .unknown: return Self.failure("operation-not-supported")
            }
        } catch {
            return Self.failure("other", HelperSurroundings.reason(error))
        }
    }

    // MARK: - Operations

    /// A keychain that cannot be read is as one without the token: cargo asks its next provider.
    private func get(_ index: String) -> JSONValue {
        do {
            guard let entry = try entry(index) else { return Self.failure("not-found") }
            guard let token = try surroundings.store.secret(of: entry).oneLine?.text else {
                return Self.failure("other", "the token has several lines, or is not UTF-8")
            }
            return Self.success([
                "kind": .string("get"), "token": .string(token), "cache": .string("session"),
                "operation_independent": .boolean(true),
            ])
        } catch {
            surroundings.remark(.cargo, reasonOf: error)
            return Self.failure("not-found")
        }
    }

    private func login(_ index: String, _ token: SecretBytes) throws -> JSONValue {
        let token = token.trimmed
        guard !token.isEmpty, token.oneLine != nil else { throw HelperFailure("a token is one line that is not empty") }
        let service = Self.service(index)
        try surroundings.store.put(
            token,
            in: { () throws(KeychainError) in try entry(index) },
            orNew: .genericPassword,
            [.service: .string(service), .account: .string(""), .label: .string(service)]
        )
        return Self.success(["kind": .string("login")])
    }

    private func logout(_ index: String) throws -> JSONValue {
        guard let entry = try entry(index) else { return Self.failure("not-found") }
        // While the keychain is locked, nothing is erased.
        _ = try surroundings.store.secret(of: entry)
        try surroundings.store.delete(entry)
        return Self.success(["kind": .string("logout")])
    }

    /// Standard input and output belong to cargo.
    private func ask(_ index: String, _ loginURL: String?) throws -> SecretBytes {
        let authenticator = surroundings.authenticator
        guard authenticator.canAskForSecrets else {
            throw HelperFailure("there is no terminal to ask for the token; 'cargo login' reads it from standard input")
        }
        let place = loginURL.map { ", which \($0) shows" } ?? ""
        let reason = "cargo asks for the token of \(index)\(place)"
        guard
            case .secret(let token) = authenticator.ask(
                AuthenticationPrompt(.applicationPassword, reason: reason, label: "Token")
            )
        else { throw HelperFailure("no token was given") }
        return token
    }

    // MARK: - Parts

    static func service(_ index: String) -> String { "cargo-registry:\(index)" }

    private func entry(_ index: String) throws(KeychainError) -> CredentialStore.Entry? {
        try surroundings.store.entries(.genericPassword, [.service: Self.service(index), .account: ""]).first
    }

    private static func success(_ members: [String: JSONValue]) -> JSONValue { .object(["Ok": .object(members)]) }

    private static func failure(_ kind: String, _ message: String? = nil) -> JSONValue {
        var members: [String: JSONValue] = ["kind": .string(kind)]
        if let message {
            members["message"] = .string(message)
            members["caused-by"] = .array([])
        }
        return .object(["Err": .object(members)])
    }
}

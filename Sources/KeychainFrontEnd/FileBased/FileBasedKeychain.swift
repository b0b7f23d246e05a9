// SPDX-License-Identifier: Apache-2.0

public import KeychainCore

/// The item functions on file-based keychains, as macOS has them for callers that do not ask for the data protection
/// keychain (Semantics, "The macOS front end").
///
/// Takes calls of item functions, which go to the files of the search list and the default keychain, and commands on
/// keychain files. Thread-safe.
public final class FileBasedKeychain: KeychainBackend {
    private let backend: any KeychainBackend
    let preferences: KeychainPreferences
    let program: TrustedApplication
    private let isInteractionAllowed: @Sendable () -> Bool
    let now: @Sendable () -> Timestamp

    /// The file-based keychains of a user.
    ///
    /// - Parameters:
    ///   - backend: carries out commands on keychain files.
    ///   - preferences: the search list and the default keychain.
    ///   - program: who asks: the program that may use what it adds.
    ///   - isInteractionAllowed: whether the user could be asked for a password; a locked keychain is
    ///     `errSecAuthFailed` then, and else `errSecInteractionNotAllowed`.
    ///   - now: the time, by which certificates are judged.
    public init(
        _ backend: any KeychainBackend,
        _ preferences: KeychainPreferences,
        program: TrustedApplication,
        isInteractionAllowed: @escaping @Sendable () -> Bool = { true },
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.backend = backend
        self.preferences = preferences
        self.program = program
        self.isInteractionAllowed = isInteractionAllowed
        self.now = now
    }

    /// Carries out a call of an item function, or a command on keychain files; refuses all others.
    public func perform(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        switch command {
        case .items(let request): return .answer(try perform(request.operation))
        case .files: return try backend.perform(command)
        default: throw KeychainError(.notAvailable, "file-based keychains have items alone", kind: .unavailable)
        }
    }

    private func perform(_ operation: KeychainRequest.Operation) throws(KeychainError) -> KeychainAnswer {
        switch operation {
        case .add(let dictionary): return try add(dictionary)
        case .copyMatching(let query): return try copy(query)
        case .update(let query, let attributes): try update(query, attributes)
        case .delete(let query): try delete(query)
        case .set(let query, let attributes, let addition):
            do throws(KeychainError) {
                try update(query, attributes)
            } catch {
                guard error.status == .itemNotFound else { throw error }
                return try add(addition)
            }
        }
        return .nothing
    }

    private func copy(_ dictionary: PropertyDictionary) throws(KeychainError) -> KeychainAnswer {
        let query = try FileItemQuery(dictionary, .copyMatching)
        let keychains = openedKeychains(dictionary)
        let results = FileResults(wanted: query.returns, keychains: keychains)
        var found: [ResultValue] = []
        for match in try search(query, keychains).matches() {
            if let result = try results.result(match) { found.append(result) }
        }
        return query.givesList ? .list(found) : found.first.map { .single($0) } ?? .nothing
    }

    /// The keychains as one call sees them.
    func openedKeychains(_ dictionary: PropertyDictionary) -> OpenedKeychains {
        OpenedKeychains(
            backend.files,
            isInteractionAllowed: isInteractionAllowed() && !dictionary.forbidsInteraction
        )
    }

    func search(_ query: FileItemQuery, _ keychains: OpenedKeychains) throws(KeychainError) -> FileItemSearch {
        var paths = query.searchList ?? []
        if query.searchList == nil { paths = try preferences.searchList() }
        if query.usesDefaultKeychain, let keychain = try preferences.defaultKeychain() { paths.append(keychain) }
        return FileItemSearch(query: query, keychains: keychains, paths: paths, now: now())
    }
}

extension PropertyDictionary {
    /// Whether nobody is to be asked.
    fileprivate var forbidsInteraction: Bool {
        self[PropertyKey.useNoAuthenticationUI] == .boolean(true)
            || self[PropertyKey.useAuthenticationUI] == .string(PropertyKey.useAuthenticationUIFail)
    }
}

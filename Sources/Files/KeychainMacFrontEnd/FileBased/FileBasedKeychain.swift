// SPDX-License-Identifier: Apache-2.0

package import KeychainCore

/// The item functions on file-based keychains, as on macOS for callers that do not request the data protection keychain
/// (Semantics, "The macOS front end").
///
/// Takes calls of item functions, which go to the files of the search list and the default keychain, and commands on
/// keychain files. Thread-safe.
package final class FileBasedKeychain: KeychainBackend {
    private let backend: any KeychainBackend
    /// The search list and the default keychain.
    package let preferences: KeychainPreferences

    /// The keychain files.
    package var files: KeychainFileService { backend.files }

    /// The operations on these keychains as a whole, and on the data protection keychain where that is the login
    /// keychain.
    package var whole: WholeKeychains {
        WholeKeychains(preferences, files: files, device: backend.device) { [backend] in backend.unlocksForAll }
    }

    /// Whether the user may be prompted for the password of a locked keychain.
    package var interaction: UserInteraction { unlocker.interaction }

    let program: TrustedApplication
    private let unlocker: KeychainUnlocker
    private let judge: (any CertificateJudge)?
    let now: @Sendable () -> Timestamp

    /// Creates the file-based keychains of a user.
    ///
    /// - Parameters:
    ///   - backend: performs commands on keychain files.
    ///   - preferences: the search list and the default keychain.
    ///   - program: the calling program, which may use the items that it adds.
    ///   - unlocker: prompts for the password of a locked keychain.
    ///   - judge: evaluates certificates; without one, none is trusted.
    ///   - now: the time for evaluating certificates.
    package init(
        _ backend: any KeychainBackend,
        _ preferences: KeychainPreferences,
        program: TrustedApplication,
        unlocker: KeychainUnlocker = KeychainUnlocker(),
        judge: (any CertificateJudge)? = nil,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.backend = backend
        self.preferences = preferences
        self.program = program
        self.unlocker = unlocker
        self.judge = judge
        self.now = now
    }

    /// The item of a persistent reference; `nil` for bytes that are not one of a file-based keychain.
    package static func item(_ persistentReference: SecretBytes) -> KeychainItemReference? {
        FilePersistentReference.item(persistentReference)
    }

    /// The persistent reference of an item of a file-based keychain.
    package static func persistentReference(_ item: KeychainItemReference) -> SecretBytes {
        FilePersistentReference.bytes(item)
    }

    /// The bytes of a key of a file-based keychain.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - asks: whether to prompt the user to unlock a locked keychain.
    /// - Returns: The external representation.
    /// - Throws: `errSecInteractionNotAllowed` if prompting is not possible, `errSecUserCanceled`, `errSecAuthFailed`,
    ///   `errSecInvalidItemRef` for a key that no longer exists.
    package func keyData(of key: KeychainItemReference, asks: Bool) throws(KeychainError) -> SecretBytes {
        let keychains = openedKeychains([PropertyKey.useNoAuthenticationUI: .boolean(!asks)])
        guard let item = try keychains.item(key) else { throw .invalidItem }
        return try keychains.secret(of: item)
    }

    /// Calls of item functions, and commands on keychain files.
    package var families: CommandFamily { [.items, .files] }

    /// Carries out a call of an item function, or a command on keychain files.
    package func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        switch command {
        case .items(let request): return .answer(try perform(request.operation))
        case .files: return try backend.perform(command)
        // Nothing explains them.
        default: throw .unserved(command)
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
        try checkThereIsAKeychain(query)
        let keychains = openedKeychains(dictionary)
        let results = FileResults(wanted: query.returns, keychains: keychains)
        var found: [ResultValue] = []
        for match in try search(query, keychains).matches() {
            if let result = try results.result(match) { found.append(result) }
        }
        return query.givesList ? .list(found) : found.first.map { .single($0) } ?? .nothing
    }

    /// Rejects a search if the user has no keychain at all, neither listed nor default.
    ///
    /// - Throws: `errSecNoDefaultKeychain`.
    private func checkThereIsAKeychain(_ query: FileItemQuery) throws(KeychainError) {
        guard query.searchList == nil, query.objects == nil, try preferences.defaultKeychain() == nil else { return }
        if try preferences.searchList().isEmpty {
            throw KeychainError(.noDefaultKeychain, "there is no default keychain, and no search list")
        }
    }

    /// The keychains as one call sees them.
    func openedKeychains(_ dictionary: PropertyDictionary) -> OpenedKeychains {
        OpenedKeychains(backend.files, dictionary.forbidsInteraction ? .nobody : unlocker)
    }

    func search(_ query: FileItemQuery, _ keychains: OpenedKeychains) throws(KeychainError) -> FileItemSearch {
        var paths = query.searchList ?? []
        if query.searchList == nil { paths = try preferences.searchList() }
        if query.usesDefaultKeychain, let keychain = try preferences.defaultKeychain() { paths.append(keychain) }
        return FileItemSearch(query: query, keychains: keychains, paths: paths, judge: judge, now: now())
    }
}

extension PropertyDictionary {
    /// Whether prompting is not allowed.
    fileprivate var forbidsInteraction: Bool {
        self[PropertyKey.useNoAuthenticationUI] == .boolean(true)
            || self[PropertyKey.useAuthenticationUI] == .string(PropertyKey.useAuthenticationUIFail)
    }
}

// SPDX-License-Identifier: Apache-2.0

package import KeychainCore

/// The macOS front end, which decides for each call of an item function whether it goes to the data protection
/// keychain, the file-based keychains or both, and merges two answers (Semantics, "The macOS front end").
///
/// All other commands go to the data protection keychain, those on keychain files to the other side. Thread-safe.
package final class FrontEndKeychain: KeychainBackend {
    private let dataProtection: any KeychainBackend
    private let files: any KeychainBackend

    private let preferences: KeychainPreferences?

    /// Creates a front end for two keychains.
    ///
    /// - Parameters:
    ///   - dataProtection: the data protection keychain.
    ///   - files: performs calls of item functions on file-based keychains, like ``FileBasedKeychain``.
    ///   - preferences: whether the data protection keychain belongs to the login keychain, so that calls for the
    ///     file-based keychains alone may use it, and the search list; without them, never.
    package init(
        dataProtection: any KeychainBackend,
        files: any KeychainBackend,
        preferences: KeychainPreferences? = nil
    ) {
        self.dataProtection = dataProtection
        self.files = files
        self.preferences = preferences
    }

    /// The commands that either keychain serves.
    package var families: CommandFamily { dataProtection.families.union(files.families) }

    /// Carries out a command through the keychains that it is for.
    package func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        switch command {
        case .items(let request): return .answer(try perform(request.operation, as: request.client))
        case .itemsExplained(let request): return .explained(try perform(explaining: request))
        case .files: return try files.perform(command)
        default: return try dataProtection.perform(command)
        }
    }

    /// Performs a call, and explains the result of the data protection keychain if it fails.
    ///
    /// A call for that keychain alone is explained in the same transaction.
    private func perform(explaining request: ExplanationRequest) throws(KeychainError) -> ExplainedOutcome {
        let route = KeychainRoute(request.call.operation.mainDictionary, request.call.operation.function)
        if route.isFlagged, route.reachesDataProtection, !route.reachesFile {
            var forwarded = request
            forwarded.call = dataProtectionRequest(request.call.operation, request.call.client)
            return try dataProtection.performExplaining(forwarded)
        }
        do throws(KeychainError) {
            let answer = try perform(request.call.operation, as: request.call.client)
            return ExplainedOutcome(nil, .success(answer))
        } catch {
            return ExplainedOutcome(try? dataProtection.explain(request), .failure(error))
        }
    }

    private func perform(
        _ operation: KeychainRequest.Operation,
        as client: Client
    ) throws(KeychainError) -> KeychainAnswer {
        let route = KeychainRoute(operation.mainDictionary, operation.function)
        switch (route.reachesDataProtection, route.reachesFile) {
        case (false, false):
            throw .parameter("the query contradicts itself: neither of the two keychains has what it names")
        case (true, false) where route.isFlagged: return try askDataProtection(operation, client)
        default: break
        }
        if case .set(let query, let attributes, let addition) = operation {
            return try set(query, to: attributes, orAdd: addition, as: client)
        }
        if !route.reachesDataProtection { return try askFilesOnly(operation, client) }
        let sides = [
            route.reachesDataProtection ? side(.dataProtection, performing: operation, for: client) : nil,
            route.reachesFile ? side(.files, performing: operation, for: client) : nil,
        ].compactMap(\.self)
        guard sides.count == 2 else { return try sides[0].get() }
        return try MergedAnswer.merge(dataProtection: sides[0], files: sides[1]).get()
    }

    /// The login keychain for calls on the file-based keychains alone; `nil` if it is only a file.
    private var login: LoginKeychain? {
        preferences.flatMap { $0.loginHasDataProtection ? LoginKeychain($0) : nil }
    }

    /// The result of the file-based keychains alone.
    private func askFilesOnly(
        _ operation: KeychainRequest.Operation,
        _ client: Client
    ) throws(KeychainError) -> KeychainAnswer {
        guard let login else { return try side(.files, performing: operation, for: client).get() }
        if case .add(let dictionary) = operation {
            return try login.isTarget(of: dictionary)
                ? askDataProtection(operation, client) : side(.files, performing: operation, for: client).get()
        }
        do throws(KeychainError) {
            return try side(.files, performing: operation, for: client).get()
        } catch {
            guard error.status == .itemNotFound, try login.isSearched(by: operation) else { throw error }
            return try login.ask(operation) { (operation) throws(KeychainError) in
                try askDataProtection(operation, client)
            }
        }
    }

    /// An update, and an add if nothing matches: each is routed separately.
    private func set(
        _ query: PropertyDictionary,
        to attributes: PropertyDictionary,
        orAdd addition: PropertyDictionary,
        as client: Client
    ) throws(KeychainError) -> KeychainAnswer {
        do throws(KeychainError) {
            return try perform(.update(query, attributes: attributes), as: client)
        } catch {
            guard error.status == .itemNotFound else { throw error }
            return try perform(.add(addition), as: client)
        }
    }

    // MARK: - One side

    /// The result of one keychain for a call without the flag.
    private func side(
        _ side: Side,
        performing operation: KeychainRequest.Operation,
        for client: Client
    ) -> Result<KeychainAnswer, KeychainError> {
        Result { () throws(KeychainError) in
            if case .update(let query, let attributes) = operation,
                let move = SynchronizableMove(query, attributes, from: side)
            {
                try move.perform { (side, operation) throws(KeychainError) in
                    switch side {
                    case .dataProtection: try askDataProtection(operation, client)
                    case .files: try askFiles(operation, client)
                    }
                }
                return .nothing
            }
            switch side {
            case .dataProtection: return try askDataProtection(operation, client)
            case .files: return try askFiles(operation, client)
            }
        }
    }

    private func askDataProtection(
        _ operation: KeychainRequest.Operation,
        _ client: Client
    ) throws(KeychainError) -> KeychainAnswer {
        try dataProtection.perform(dataProtectionRequest(operation, client))
    }

    private func dataProtectionRequest(_ operation: KeychainRequest.Operation, _ client: Client) -> KeychainRequest {
        var client = client
        client.profile = .macOS
        let converted = AuthoritySearch(files: files, client: client).replacingIssuers(
            in: FrontEndKeys.forDataProtection(operation, of: client)
        )
        return KeychainRequest(converted, client: client)
    }

    private func askFiles(
        _ operation: KeychainRequest.Operation,
        _ client: Client
    ) throws(KeychainError) -> KeychainAnswer {
        try files.perform(KeychainRequest(FrontEndKeys.forFiles(operation), client: client))
    }
}

extension FrontEndKeychain {
    /// One of the two keychains.
    enum Side: Hashable {
        case dataProtection
        case files
    }
}

// SPDX-License-Identifier: Apache-2.0

/// Performs commands on a keychain: the embedded engine, or the client of a daemon.
///
/// Commands go in by ``perform(_:)``, which refuses those of families that the keychain does not serve.
package protocol KeychainBackend: Sendable {
    /// The kinds of commands that it performs, or forwards.
    var families: CommandFamily { get }

    /// Performs one command of the ``families``; may block on the disk, and until the user responds.
    ///
    /// - Throws: As ``perform(_:)``.
    func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply

    /// Which keychain this is: the same for all values that reach one keychain as one program.
    var identity: ObjectIdentifier { get }

    /// Whether an unlock outlives this program, because a service has the keychain.
    var unlocksForAll: Bool { get }

    /// Tells of every item that a commit of this keychain adds, changes or removes, its own program's included.
    ///
    /// - Parameter handler: receives the notices in the order of the commits, on the thread of the change and in the
    ///   midst of it: it must neither wait nor use the keychain.
    /// - Returns: Ends the observation when it is deallocated; `nil` if the keychain does not know of single items.
    func observeItemChanges(_ handler: @escaping @Sendable (ItemChangeNotice) -> Void) -> ChangeObservation?

    /// Tells whenever this keychain may have been locked or unlocked, in whatever way.
    ///
    /// - Parameter handler: called after the change, on its thread and in the midst of the call: it must neither wait
    ///   nor use the keychain, whose status then says whether it is locked.
    /// - Returns: Ends the observation when it is deallocated; `nil` if the keychain does not know.
    func observeLocks(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation?
}

extension KeychainBackend where Self: AnyObject {
    /// The object.
    package var identity: ObjectIdentifier { ObjectIdentifier(self) }
}

extension KeychainBackend {
    /// Not if the program itself has the keychain.
    package var unlocksForAll: Bool { false }

    /// None: only an engine knows of single items.
    package func observeItemChanges(
        _ handler: @escaping @Sendable (ItemChangeNotice) -> Void
    ) -> ChangeObservation? { nil }

    /// None: only an engine knows.
    package func observeLocks(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation? { nil }

    /// Performs one command; may block on the disk, and until the user responds.
    ///
    /// If contexts are not served, the end of an authentication context returns ``KeychainReply/done``, because it has
    /// no effect on an unknown context.
    ///
    /// - Throws: ``KeychainError``; `errSecUnimplemented` for a command that the keychain does not serve. If a call of
    ///   an item function fails, it has changed nothing, except for the delete of an identity of which one half is
    ///   missing (Semantics, "Keys, certificates, identities"), and if the error states that the outcome is unknown:
    ///   ``KeychainError/StorageFailure/doubtfulCommit``.
    package func perform(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        let row = command.row
        if families.contains(row.family) { return try carryOut(command) }
        if row.traits.contains(.endsContext) { return .done }
        throw .unserved(command)
    }

    /// Performs a call of an item function.
    ///
    /// - Throws: ``KeychainError`` with the status that Apple's function would return; for possible changes, see the
    ///   description of a command.
    package func perform(_ request: KeychainRequest) throws(KeychainError) -> KeychainAnswer {
        guard case .answer(let answer) = try perform(.items(request)) else { throw .unexpectedReply }
        return answer
    }

    /// Explains the result that a call of an item function would have now.
    ///
    /// - Throws: ``KeychainError`` if the keychain cannot be read; never the error of the call itself.
    package func explain(_ request: ExplanationRequest) throws(KeychainError) -> Explanation {
        guard case .explanation(let explanation) = try perform(.explain(request)) else { throw .unexpectedReply }
        return explanation
    }

    /// Performs a call of an item function and explains it as of before the call, in one transaction.
    ///
    /// - Throws: ``KeychainError`` if the keychain cannot be read; the error of the call is in the outcome.
    package func performExplaining(_ request: ExplanationRequest) throws(KeychainError) -> ExplainedOutcome {
        guard case .explained(let outcome) = try perform(.itemsExplained(request)) else { throw .unexpectedReply }
        return outcome
    }

    /// The device that the keychain belongs to.
    package var device: KeychainDevice {
        KeychainDevice { (command) throws(KeychainError) in try perform(.device(command)) }
    }

    /// The service that has the owner of the device authenticate.
    package var authentication: AuthenticationService {
        AuthenticationService { (command) throws(KeychainError) in try perform(.authentication(command)) }
    }

    /// The storage of keys that never leave the device.
    package var enclave: KeyEnclave {
        KeyEnclave { (command) throws(KeychainError) in try perform(.enclave(command)) }
    }

    /// The file-based keychains of the same user.
    package var files: KeychainFileService {
        KeychainFileService { (command) throws(KeychainError) in try perform(.files(command)) }
    }

    /// The maintenance of the store.
    package var maintenance: KeychainMaintenance {
        KeychainMaintenance { (command) throws(KeychainError) in try perform(.maintenance(command)) }
    }
}

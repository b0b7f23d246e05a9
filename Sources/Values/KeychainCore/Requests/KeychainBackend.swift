// SPDX-License-Identifier: Apache-2.0

/// Performs commands on a keychain: the embedded engine, or the client of a daemon.
///
/// Commands go in by ``perform(_:)``, which refuses those of families that the keychain does not serve.
package protocol KeychainBackend: Sendable {
    /// The kinds of commands that it carries out, or passes on to another that may.
    var families: CommandFamily { get }

    /// Performs one command of the ``families``; may block on the disk, and until the user responds.
    ///
    /// - Throws: As ``perform(_:)``.
    func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply

    /// Which keychain this is: the same for all values that reach one keychain as one program.
    var identity: ObjectIdentifier { get }

    /// Whether an unlock outlives this program, because a service has the keychain.
    var unlocksForAll: Bool { get }
}

extension KeychainBackend where Self: AnyObject {
    /// The object.
    package var identity: ObjectIdentifier { ObjectIdentifier(self) }
}

extension KeychainBackend {
    /// Not where the program itself has the keychain.
    package var unlocksForAll: Bool { false }

    /// Carries out one command; may block on the disk, and for as long as the user takes to answer.
    ///
    /// The end of an authentication context, where contexts are not served, is ``KeychainReply/done``: it counts for
    /// nothing where the context is not known.
    ///
    /// - Throws: ``KeychainError``; `errSecUnimplemented` for a command that the keychain does not serve. A call of an
    ///   item function has changed nothing then, but for the delete of an identity of which one half is missing
    ///   (Semantics, "Keys, certificates, identities"), and where the error says that it is not known:
    ///   ``KeychainError/StorageFailure/doubtfulCommit``.
    package func perform(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        let row = command.row
        if families.contains(row.family) { return try carryOut(command) }
        if row.traits.contains(.endsContext) { return .done }
        throw .unserved(command)
    }

    /// Carries out a call of an item function.
    ///
    /// - Throws: ``KeychainError`` with the status that Apple's function would return; what may have
    ///   changed then is said of a command.
    package func perform(_ request: KeychainRequest) throws(KeychainError) -> KeychainAnswer {
        guard case .answer(let answer) = try perform(.items(request)) else { throw .unexpectedReply }
        return answer
    }

    /// Says why a call of an item function would give what it gives, as of now.
    ///
    /// - Throws: ``KeychainError`` when the keychain cannot be read; never what the call would fail with.
    package func explain(_ request: ExplanationRequest) throws(KeychainError) -> Explanation {
        guard case .explanation(let explanation) = try perform(.explain(request)) else { throw .unexpectedReply }
        return explanation
    }

    /// Carries out a call of an item function, and explains it as of before it, in one transaction.
    ///
    /// - Throws: ``KeychainError`` when the keychain cannot be read; what the call fails with is in the outcome.
    package func performExplaining(_ request: ExplanationRequest) throws(KeychainError) -> ExplainedOutcome {
        guard case .explained(let outcome) = try perform(.itemsExplained(request)) else { throw .unexpectedReply }
        return outcome
    }

    /// The device that the keychain belongs to.
    package var device: KeychainDevice {
        KeychainDevice { (command) throws(KeychainError) in try perform(.device(command)) }
    }

    /// What asks the owner of the device to authenticate.
    package var authentication: AuthenticationService {
        AuthenticationService { (command) throws(KeychainError) in try perform(.authentication(command)) }
    }

    /// What keeps keys that never leave the device.
    package var enclave: KeyEnclave {
        KeyEnclave { (command) throws(KeychainError) in try perform(.enclave(command)) }
    }

    /// The file-based keychains beside it.
    package var files: KeychainFileService {
        KeychainFileService { (command) throws(KeychainError) in try perform(.files(command)) }
    }

    /// What looks after the store.
    package var maintenance: KeychainMaintenance {
        KeychainMaintenance { (command) throws(KeychainError) in try perform(.maintenance(command)) }
    }
}

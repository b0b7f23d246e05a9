// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import KeychainAuthenticators
import KeychainCore

/// Passwords by their names, as the user at the keyboard, who has access to every group.
extension Surroundings {
    /// Does something with the passwords of a group, or of all groups; asks for the passcode where the keychain is
    /// locked and there is a terminal.
    ///
    /// - Throws: ``Refusal`` with a status that says why.
    func withItems<Result>(
        in group: String? = nil,
        _ body: (CredentialStore) throws(KeychainError) -> Result
    ) throws(Refusal) -> Result {
        let store = CredentialStore(keychain, in: group, forOwner: true, findsGuarded: true)
        do throws(KeychainError) { return try body(store) } catch {
            guard error.status == .interactionNotAllowed, try unlock() else { throw Refusal(ofItem: error) }
        }
        do throws(KeychainError) { return try body(store) } catch { throw Refusal(ofItem: error) }
    }

    /// Unlocks a locked keychain for this program, or for all if it has a daemon.
    ///
    /// - Returns: `false` if it is not locked, or nobody can be asked for the passcode.
    private func unlock() throws(Refusal) -> Bool {
        guard authenticator.canAskForSecrets, (try? keychain.device.status())?.isLocked == true else { return false }
        let passcode: SecretBytes
        do throws(Refusal) {
            passcode = try SecretInput.person(authenticator).read(.passcode, .passcode, reason: "use a password")
        } catch {
            // Without the passcode it stays locked.
            throw Refusal("the keychain is locked: \(error)", .locked)
        }
        do throws(KeychainError) { try keychain.device.unlock(passcode: passcode) } catch {
            throw Refusal("\(Refusal(error))", .locked)
        }
        return true
    }

    /// The one item that is meant by groups of choices, of which the first that has items counts.
    ///
    /// - Throws: ``Refusal`` if there is none, or more than one.
    func item(_ choices: [[ItemChoice]], named name: String) throws(Refusal) -> CredentialStore.Entry {
        for alternatives in choices {
            let found = try entries(alternatives)
            guard let first = found.first else { continue }
            guard found.count == 1 else { throw Self.ambiguous(name, found) }
            return first
        }
        throw Refusal("there is no password '\(name.printable)'; 'keychainctl search' finds similar names", .notFound)
    }

    /// All passwords that some choices mean.
    func entries(_ choices: [ItemChoice]) throws(Refusal) -> [CredentialStore.Entry] {
        var found: [CredentialStore.Entry] = []
        for choice in choices {
            for itemClass in choice.classes {
                guard let passwordClass = PasswordClass(itemClass) else { continue }
                var attributes = [passwordClass.service: choice.service]
                attributes[.account] = choice.account
                found += try withItems(in: choice.group) { (store) throws(KeychainError) in
                    try store.entries(itemClass, attributes)
                }
                .filter(choice.matches)
            }
        }
        return found
    }

    /// Which passwords a name means, and how to choose.
    static func ambiguous(_ name: String, _ found: [CredentialStore.Entry]) -> Refusal {
        let lines = found.prefix(20).map { entry in
            ["    \(entry.distinction)", entry.reference.map { "        \($0)" }].compactMap(\.self)
                .joined(separator: "\n")
        }
        let more = found.count > lines.count ? ["    and \(found.count - lines.count) more"] : []
        return Refusal(
            "several passwords are meant by '\(name.printable)'; choose by \(ItemFilter.options), or by a reference:\n"
                + (lines + more).joined(separator: "\n"),
            .ambiguous
        )
    }

    /// Changes the secret of an item by what it is, also if other programs change the item at the same time.
    ///
    /// - Parameters:
    ///   - entry: the item.
    ///   - change: returns the new secret for an old one; called again if there is another one meanwhile.
    /// - Throws: ``Refusal``, also if the item was deleted.
    func changeSecret(
        of entry: CredentialStore.Entry,
        _ change: (SecretBytes) throws(Refusal) -> SecretBytes
    ) throws(Refusal) {
        // Each time, another program was done: only very many of them leave none for this one.
        for _ in 0..<1_000 {
            guard let current = try withItems({ (store) throws(KeychainError) in try store.current(entry) }) else {
                throw Refusal("'\(entry.name.printable)' was deleted meanwhile by another program", .notFound)
            }
            let new = try change(try secret(of: current))
            let isDone = try withItems { (store) throws(KeychainError) in try store.replaceSecret(of: current, new) }
            if isDone { return }
        }
        throw Refusal("'\(entry.name.printable)' is being changed all the time by other programs")
    }

    /// The secret of an item.
    func secret(of entry: CredentialStore.Entry) throws(Refusal) -> SecretBytes {
        do throws(Refusal) {
            return try withItems { (store) throws(KeychainError) in try store.secret(of: entry) }
        } catch {
            guard error.status == .locked, let needs = entry.needs else { throw error }
            throw Refusal("'\(entry.name.printable)' is read with \(needs) only: \(error)", .locked)
        }
    }
}

extension Refusal {
    /// Why something was not done with an item.
    init(ofItem error: KeychainError) {
        let status: Status =
            switch error.status {
            case .itemNotFound: .notFound
            case .interactionNotAllowed, .authenticationFailed, .userCanceled, .missingEntitlement: .locked
            case _ where error.kind == .lostIdentity: .locked
            case _ where error.kind.isOfUnreadableKeychain: .unreadable
            default: .failed
            }
        var text = "\(Refusal(error))"
        // An item that its user has to authenticate for is no matter of the lock.
        if error.status == .interactionNotAllowed, !error.kind.isOfAuthentication {
            text = "\(error.reason); 'keychainctl device unlock -- COMMAND' runs a command unlocked"
        }
        self.init(text, status)
    }
}

extension KeychainError.Kind {
    fileprivate var isOfAuthentication: Bool {
        if case .authentication = self { true } else { false }
    }

    /// Whether the keychain as a whole cannot be read, whatever is asked of it.
    fileprivate var isOfUnreadableKeychain: Bool {
        switch self {
        case .unavailable, .foreignOwner: true
        case .service(let failure): ![.silentAfterCommand, .lockedInSilence].contains(failure)
        case .storage(let failure):
            switch failure {
            case .file, .inputOutput, .damaged, .newerFormat, .unreleasedFormat, .unreadableLog, .libraryTooOld,
                .lostByFork, .abandonedByFork:
                true
            case .busy, .hasItems, .full, .readOnly, .storeExists, .notABackup, .newerBackup, .doubtfulCommit, .other:
                false
            }
        case .keys(let failure):
            switch failure {
            case .missingRootKey, .damagedRootKey, .wrongRootKey, .unsupportedRootKey, .damagedKeybag, .newerKeybag:
                true
            case .noMemory, .replacedKeybag, .alteredBackup, .missingPassword, .damagedItem, .damagedKey,
                .destroyedKey, .operationNotAllowed, .cryptography:
                false
            }
        case .request, .device, .authentication, .lostIdentity, .transport: false
        }
    }
}

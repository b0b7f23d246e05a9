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
        let store = CredentialStore(keychain, in: group, findsSynchronizable: true)
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
        let passcode = try SecretInput.person(authenticator).read(.passcode, .passcode, reason: "read an item")
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
            }
        }
        return found
    }

    private static func ambiguous(_ name: String, _ found: [CredentialStore.Entry]) -> Refusal {
        let lines = found.prefix(20).map { "    \($0.distinction)" }
        let more = found.count > lines.count ? ["    and \(found.count - lines.count) more"] : []
        return Refusal(
            "several passwords are meant by '\(name.printable)'; choose by --account, --class, --group or a reference:\n"
                + (lines + more).joined(separator: "\n"),
            .ambiguous
        )
    }

    /// The secret of an item.
    func secret(of entry: CredentialStore.Entry) throws(Refusal) -> SecretBytes {
        try withItems { (store) throws(KeychainError) in try store.secret(of: entry) }
    }
}

extension Refusal {
    /// Why something was not done with an item.
    init(ofItem error: KeychainError) {
        let status: Status =
            switch error.status {
            case .itemNotFound: .notFound
            case .interactionNotAllowed, .authenticationFailed, .userCanceled, .missingEntitlement: .locked
            case .notAvailable: .unreadable
            default: .failed
            }
        guard error.status == .interactionNotAllowed else {
            self.init("\(Refusal(error))", status)
            return
        }
        self.init(
            "\(error.reason); 'keychainctl device unlock -- COMMAND' runs a command unlocked, and 'security' asks for items that "
                + "need their user",
            status
        )
    }
}

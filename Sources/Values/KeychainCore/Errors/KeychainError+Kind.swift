// SPDX-License-Identifier: Apache-2.0

extension KeychainError {
    /// The kinds of failures.
    package enum Kind: Sendable, Hashable {
        /// The rules of the keychain refuse the request, or nothing matches it.
        case request
        /// The device refuses.
        case device(DeviceError)
        /// The owner of the device did not authenticate.
        case authentication(AuthenticationFailure)
        /// The store cannot be used, or cannot be used now.
        case storage(StorageFailure)
        /// Keys cannot be had, or something does not open with them.
        case keys(KeyFailure)
        /// The store is another owner's; nothing was changed.
        case foreignOwner(StoreOwner)
        /// The keychain's daemon does not identify the program as what it was, or should be.
        case lostIdentity
        /// There is no keychain.
        case unavailable
        /// The daemon or system service that has the keychain does not answer.
        case service(ServiceFailure)
        /// A command or its reply did not arrive as it was sent.
        case transport
    }

    /// The failures of a store.
    package enum StorageFailure: String, Sendable, Hashable, CaseIterable {
        /// Another process or call is using it: nothing was changed, and a retry may succeed.
        case busy
        /// It has items, and was to have none.
        case hasItems
        /// A file or folder cannot be used.
        case file
        /// There is no space.
        case full
        /// It cannot be written.
        case readOnly
        /// The system failed to read or write.
        case inputOutput
        /// It is not a store, or it is damaged.
        case damaged
        /// A newer version wrote it.
        case newerFormat
        /// A version wrote it that was never released.
        case unreleasedFormat
        /// A keychain in memory was used in a forked child.
        case lostByFork
        /// The process was forked in the midst of a call.
        case abandonedByFork
        /// There is already a store at the place of a new one.
        case storeExists
        /// A file is not a backup, or it is damaged.
        case notABackup
        /// A newer version wrote the backup.
        case newerBackup
        /// There is a rollback journal, or a log that cannot be read.
        case unreadableLog
        /// The SQLite of the process is too old.
        case libraryTooOld
        /// Whether a change was stored is not known.
        case doubtfulCommit
        /// Another error of SQLite.
        case other
    }

    /// The failures with keys, or with what they protect.
    package enum KeyFailure: String, Sendable, Hashable, CaseIterable {
        /// The memory for keys could not be allocated.
        case noMemory
        /// The root key is missing.
        case missingRootKey
        /// The root key is damaged.
        case damagedRootKey
        /// The root key is that of another store.
        case wrongRootKey
        /// The root key is of a kind that this version cannot use.
        case unsupportedRootKey
        /// The keybag is damaged.
        case damagedKeybag
        /// The keybag is not the one whose passcode was checked.
        case replacedKeybag
        /// A newer version wrote the keybag.
        case newerKeybag
        /// The rows of a backup are not those that were put into it.
        case alteredBackup
        /// An item's password was not given.
        case missingPassword
        /// A stored item does not open.
        case damagedItem
        /// A key of the enclave does not open.
        case damagedKey
        /// A key of the enclave went with an earlier passcode.
        case destroyedKey
        /// The access control of a key of the enclave never permits the operation.
        case operationNotAllowed
        /// A cryptographic operation failed that cannot fail with valid keys.
        case cryptography
    }

    /// The failures of a daemon or system service.
    package enum ServiceFailure: String, Sendable, Hashable, CaseIterable {
        /// None listens on the socket: nothing was done.
        case missing
        /// No daemon listens on the socket any more: the keychain is being handed over, or the daemon has another
        /// socket. Nothing was done.
        case moved
        /// No daemon listens, and there is no program to start: nothing was done.
        case notInstalled
        /// It stopped before it accepted the command: nothing was done, and another may follow.
        case gone
        /// It accepts no connection, or sends no greeting: nothing was done, and a retry would take as long again.
        case silent
        /// It accepted the command, and does not respond: whether a change was made is unknown.
        case silentAfterCommand
        /// It takes no command; the keychain is locked nevertheless, and its keys are wiped at its next call.
        case lockedInSilence
        /// It serves another folder, of which the intended one is a copy: nothing was done.
        case otherFolder
    }

    /// The owner of the store that was refused; `nil` for every other failure.
    ///
    /// Nothing was changed then.
    package var foreignOwner: StoreOwner? {
        guard case .foreignOwner(let owner) = kind else { return nil }
        return owner
    }

    /// Whether no keychain could be reached: nothing was done.
    package var isUnavailable: Bool {
        switch kind {
        case .unavailable: true
        case .service(let failure): ![.silentAfterCommand, .lockedInSilence].contains(failure)
        default: false
        }
    }

    /// Whether there was no daemon to connect to: nothing was done.
    package var isMissingDaemon: Bool { kind == .service(.missing) }

    /// Whether a daemon or system service serves a folder other than the intended one: nothing was done.
    package var isOfOtherFolder: Bool { kind == .service(.otherFolder) }

    /// Whether the daemon runs but does not respond: a retry would take as long again.
    package var isSilence: Bool { kind == .service(.silent) || kind == .service(.silentAfterCommand) }

    /// Whether another process or call was using the store: nothing was changed, and a retry may succeed.
    package var isBusy: Bool { kind == .storage(.busy) }
}

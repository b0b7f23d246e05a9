// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost
import KeychainProtection

/// Where errors of keys and files become statuses (Semantics, "Error mapping", "Mapping of internal failures").
extension KeychainError {
    /// The status of a file's error.
    package init(_ error: FileError) {
        self.init(
            error.isOutOfSpace ? .diskFull : .notAvailable,
            "\(error)",
            kind: .storage(error.isOutOfSpace ? .full : error.isBusy ? .busy : .file),
            facts: error.facts
        )
    }

    /// The status of an error of keys or sealed rows.
    package init(_ error: ProtectionError) {
        switch error {
        case .noMemory: self.init(.allocate, "there is no memory for keys", kind: .keys(.noMemory))
        case .wrongRootKey:
            self.init(
                unusable: .wrongRootKey,
                "the root key is not the one of this store; put back the root key that belongs to it, or use a recovery key "
                    + "('keychainctl recovery-key use')"
            )
        case .damagedKeybag(let why):
            self.init(unusable: .damagedKeybag, "the keybag is damaged: \(why); put the store back from a backup")
        case .otherSlot:
            self.init(unusable: .replacedKeybag, "the store was replaced while the passcode was checked; try again")
        case .newerKeybag(let version):
            let version = FileFormat.text(of: version)
            self.init(
                unusable: .newerKeybag,
                "the keybag has format \(version), written by a newer version; update this program",
                facts: ["version": version]
            )
        case .unsupportedRootKey(let kind):
            self.init(
                unusable: .unsupportedRootKey,
                "the root key of the store is \(kind), which this version cannot use; use one that can"
            )
        case .foreignOwner(let owner): self.init(.notAvailable, Self.reason(owner), kind: .foreignOwner(owner))
        case .alteredBackup:
            self.init(
                unusable: .alteredBackup,
                "the rows of the backup are not those that were put into it; use another backup"
            )
        case .noRecoveryKey: self.init(DeviceError.noRecoveryKey)
        case .noPasscode:
            self.init(.notAvailable, "no passcode is set, which the accessibility asks for", kind: .device(.noPasscode))
        case .passwordMissing:
            self.init(.internalComponent, "an application password was not requested", kind: .keys(.missingPassword))
        case .classUnavailable(Accessibility.untilReboot.rawValue):
            self.init(.parameter, "nothing can be stored under the accessibility 'f'")
        case .classUnavailable:
            self.init(
                .interactionNotAllowed,
                "the keys of the protection class are not available now",
                kind: .device(.locked)
            )
        case .damagedRow(.passwordWork):
            self.init(
                .decode,
                "the application password of a stored item asks for less work than is allowed; the item was set aside, and a "
                    + "check names it",
                kind: .keys(.damagedItem)
            )
        case .damagedRow(let damage):
            self.init(
                .decode,
                "a stored item is damaged (\(damage)); it was set aside, and a check names it",
                kind: .keys(.damagedItem)
            )
        case .damagedKey:
            self.init(.decode, "the sealed key was altered, or another device made it", kind: .keys(.damagedKey))
        case .destroyedKey:
            self.init(
                .itemNotFound,
                "the sealed key went with a passcode that was removed",
                kind: .keys(.destroyedKey)
            )
        case .tooLarge:
            self.init(.dataTooLarge, "the item is larger than \(ItemLimits.secretByteCount) bytes")
        case .cryptography(let why): self.init(.internalComponent, why, kind: .keys(.cryptography))
        }
    }

    /// Why the store of another owner is not opened, and what to do.
    private static func reason(_ owner: StoreOwner) -> String {
        switch owner {
        case .daemon:
            "the keychain daemon owns the store, so this process does not open it itself; use it through the daemon, "
                + "or take it back with 'keychainctl service disable'"
        case .embedded:
            "the store is embedded: programs open it themselves, and the daemon does not; hand it over with "
                + "'keychainctl service enable'"
        case .system:
            "the system's keychain daemon owns the store, so no program of a user opens it; use it through the daemon, "
                + "or take it back with 'keychainctl service disable'"
        case .moving:
            "the keychain is being moved between the user's own store and the system service; try again, and if that "
                + "was interrupted, repeat 'keychainctl service enable --system' or 'service disable'"
        default: "the store has an owner that this version does not know (\(owner.rawValue)); update this program"
        }
    }

    /// The status of a missing root key.
    init(_ error: RootKeyError) {
        switch error {
        case .missing(let path):
            self.init(
                unusable: .missingRootKey,
                "the root key \(path) is missing beside an existing store; put it back from a backup, use a recovery key "
                    + "('keychainctl recovery-key use'), or erase the device to begin with an empty one "
                    + "('keychainctl device erase')",
                facts: ["path": path]
            )
        case .damaged(let path):
            self.init(
                unusable: .damagedRootKey,
                "the root key \(path) is damaged; put it back from a backup, or use a recovery key "
                    + "('keychainctl recovery-key use')",
                facts: ["path": path]
            )
        case .settings(let fault, let path): self.init(fault, path: path)
        case .file(let error): self.init(error)
        case .protection(let error): self.init(error)
        }
    }

    /// The status of settings that lead to no root key.
    private init(_ fault: RootKeySettingsFault, path: String) {
        let (failure, reason): (KeyFailure, String) =
            switch fault {
            case .missing:
                (
                    .missingRootKey,
                    "the settings \(path) of the root key are missing beside an existing store; put them back from a "
                        + "backup, or move the store away to begin with an empty one"
                )
            case .damaged(let why):
                (
                    .damagedRootKey,
                    "the settings \(path) of the root key are damaged: \(why); put them back from a backup"
                )
            case .unknownVersion:
                (
                    .unsupportedRootKey,
                    "the settings \(path) of the root key were written by a newer version; update this program"
                )
            case .unknownKind:
                (
                    .unsupportedRootKey,
                    "the settings \(path) are for a kind of root key that this version does not know, or that has none"
                )
            case .unserved(let kind):
                (
                    .unsupportedRootKey,
                    "the settings \(path) are for a root key \(kind), which this version cannot use; use one that can"
                )
            case .foreign:
                (
                    .wrongRootKey,
                    "the settings \(path) are not those with which the store got its root key, or its keybag is damaged; "
                        + "put back those that belong to it"
                )
            case .unreachable(let why):
                (.missingRootKey, "the root key that the settings \(path) are for cannot be used: \(why)")
            }
        self.init(unusable: failure, reason, facts: ["path": path])
    }

    /// The error of keys, or of a store, that cannot be used at all.
    private init(unusable failure: KeyFailure, _ reason: String, facts: [String: String] = [:]) {
        self.init(.notAvailable, reason, kind: .keys(failure), facts: facts)
    }
}

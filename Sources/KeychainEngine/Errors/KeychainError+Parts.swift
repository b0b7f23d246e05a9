// SPDX-License-Identifier: Apache-2.0

import HostFiles
import KeychainCore
import KeychainProtection

/// Where errors of keys and files become statuses (Semantics, "Error mapping", "Mapping of internal failures").
extension KeychainError {
    /// The status of a file's error.
    init(_ error: FileError) {
        self.init(error.isWantOfRoom ? .diskFull : .notAvailable, "\(error)", cause: error)
    }

    /// The status of an error of keys or sealed rows.
    init(_ error: ProtectionError) {
        switch error {
        case .noMemory: self.init(.allocate, "there is no memory for keys", cause: error)
        case .wrongRootKey:
            self.init(
                .notAvailable,
                "the root key is not the one of this store; put back the root key that belongs to it",
                cause: error
            )
        case .damagedKeybag(let why):
            self.init(.notAvailable, "the keybag is damaged: \(why); put the store back from a backup", cause: error)
        case .newerKeybag(let version):
            self.init(
                .notAvailable,
                "the keybag has format \(FileFormat.text(of: version)), written by a newer version; update this program",
                cause: error
            )
        case .unsupportedRootKey(let kind):
            self.init(
                .notAvailable,
                "the root key of the store is \(kind), which this version cannot use; use one that can",
                cause: error
            )
        case .foreignOwner(.daemon):
            self.init(
                .notAvailable,
                "the keychain daemon owns the store, so this process does not open it by itself; use it through the "
                    + "daemon, or have the daemon give the store back",
                cause: error
            )
        case .foreignOwner(let owner):
            self.init(
                .notAvailable,
                "the store has an owner that this version does not know (\(owner.rawValue)); update this program",
                cause: error
            )
        case .alteredBackup:
            self.init(
                .notAvailable,
                "the rows of the backup are not those that were put into it; use another backup",
                cause: error
            )
        case .noPasscode: self.init(.notAvailable, "no passcode is set, which the accessibility asks for")
        case .passwordMissing: self.init(.internalComponent, "an application password was not asked for", cause: error)
        case .classUnavailable(Accessibility.untilReboot.rawValue):
            self.init(.parameter, "nothing can be stored under the accessibility 'f'")
        case .classUnavailable:
            self.init(.interactionNotAllowed, "the keys of the protection class are not available now")
        case .damagedRow(.passwordWork):
            self.init(
                .decode,
                "the application password of a stored item asks for less work than is allowed; the item was set aside, and a "
                    + "check names it",
                cause: error
            )
        case .damagedRow(let damage):
            self.init(
                .decode,
                "a stored item is damaged (\(damage)); it was set aside, and a check names it",
                cause: error
            )
        case .damagedKey:
            self.init(.decode, "the sealed key was altered, or another device made it", cause: error)
        case .destroyedKey:
            self.init(.itemNotFound, "the sealed key went with a passcode that was removed", cause: error)
        case .tooLarge:
            self.init(.dataTooLarge, "the item is larger than \(ItemLimits.secretByteCount) bytes", cause: error)
        case .cryptography(let why): self.init(.internalComponent, why, cause: error)
        }
    }

    /// The status of a root key file's error.
    init(_ error: RootKeyFile.Failure) {
        switch error {
        case .missing(let path):
            self.init(
                .notAvailable,
                "the root key \(path) is missing beside an existing store; put it back from a backup, or move the "
                    + "store away to begin with an empty one",
                cause: error
            )
        case .damaged(let path):
            self.init(
                .notAvailable,
                "the root key \(path) is damaged; put it back from a backup",
                cause: error
            )
        case .file(let error): self.init(error)
        case .protection(let error): self.init(error)
        }
    }
}

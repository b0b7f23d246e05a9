// SPDX-License-Identifier: Apache-2.0

/// What can be asked of file-based keychains: a plain value, so that it can be sent to the daemon, which keeps their
/// lock state for all programs of the user (Semantics, "File-based keychains").
package enum KeychainFileCommand: Sendable, Hashable {
    /// A command about one keychain; `path` is absolute.
    case keychain(path: String, Action)
    /// Locks every keychain that is unlocked; the reply is ``KeychainReply/done``.
    case lockAll

    /// A command about one keychain; the reply is ``KeychainReply/done`` where no other is named.
    package enum Action: Sendable, Hashable {
        /// Makes the file, with a keychain that stays unlocked.
        case create(password: SecretBytes)
        /// Removes the file.
        case delete
        /// Locks the keychain for every program.
        case lock
        /// Unlocks the keychain for every program of the user; the password is checked also while it is unlocked.
        case unlock(password: SecretBytes)
        /// What is known without the password; the reply is a ``KeychainReply/fileStatus(_:)``.
        case status
        /// Sets when the keychain locks by itself.
        case setSettings(KeychainFileSettings)
        /// Replaces the password.
        case changePassword(from: SecretBytes, to: SecretBytes)
        /// Every item with its attributes and without its secret, also of a locked keychain; the reply is a
        /// ``KeychainReply/fileItems(_:)``.
        case items
        /// The items that meet conditions, as ``items`` gives them; the reply is a ``KeychainReply/fileItems(_:)``.
        case find(FileItemConditions)
        /// The secret of an item; the reply is a ``KeychainReply/secret(_:)``.
        case secret(of: Bytes16)
        /// Who may use an item; the reply is a ``KeychainReply/itemAccess(_:)``.
        case access(of: Bytes16)
        /// Adds an item, with an identifier that is not used yet; the reply is a ``KeychainReply/fileItems(_:)`` of
        /// the one that was stored.
        case add(KeychainFileItem, secret: SecretBytes, ItemAccess)
        /// Changes an item.
        case update(Bytes16, KeychainFileItem.Changes)
        /// Replaces the partition list of an item; the password of the keychain shows that its owner wants that.
        case setPartitions([String], of: Bytes16, password: SecretBytes)
        /// Removes an item.
        case remove(Bytes16)
    }
}

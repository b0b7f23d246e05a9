// SPDX-License-Identifier: Apache-2.0

/// The commands for file-based keychains.
///
/// They are plain values that can be sent to the daemon, which keeps the lock state for all programs of the user
/// (Semantics, "File-based keychains").
package enum KeychainFileCommand: Sendable, Hashable {
    /// A command about one keychain; `path` is absolute.
    case keychain(path: String, Action)
    /// Locks every keychain that is unlocked; the reply is ``KeychainReply/done``.
    case lockAll

    /// A command for one keychain; the reply is ``KeychainReply/done`` unless stated otherwise.
    package enum Action: Sendable, Hashable {
        /// Makes the file, with a keychain that stays unlocked.
        case create(password: SecretBytes)
        /// Removes the file.
        case delete
        /// Locks the keychain for every program.
        case lock
        /// Unlocks the keychain for every program of the user; the password is checked also while it is unlocked.
        case unlock(password: SecretBytes)
        /// The status, as available without the password; the reply is a ``KeychainReply/fileStatus(_:)``.
        case status
        /// Sets when the keychain locks automatically.
        case setSettings(KeychainFileSettings)
        /// Replaces the password.
        case changePassword(from: SecretBytes, to: SecretBytes)
        /// Every item with its attributes and without its secret, also for a locked keychain; the reply is a
        /// ``KeychainReply/fileItems(_:)``.
        case items
        /// The items that meet conditions, as ``items`` gives them; the reply is a ``KeychainReply/fileItems(_:)``.
        case find(FileItemConditions)
        /// The secret of an item; the reply is a ``KeychainReply/secret(_:)``.
        case secret(of: Bytes16)
        /// The access to an item; the reply is a ``KeychainReply/itemAccess(_:)``.
        case access(of: Bytes16)
        /// Adds an item with an unused identifier; the reply is a ``KeychainReply/fileItems(_:)`` of the stored item.
        case add(KeychainFileItem, secret: SecretBytes, ItemAccess)
        /// Changes an item.
        case update(Bytes16, KeychainFileItem.Changes)
        /// Replaces the partition list of an item; the password of the keychain proves that its owner wants that.
        case setPartitions([String], of: Bytes16, password: SecretBytes)
        /// Removes an item.
        case remove(Bytes16)
        /// The label and the times of the keychain, as available without the password; the reply is a
        /// ``KeychainReply/fileDetails(_:)``.
        case details
        /// Sets what people see as the name of the keychain.
        case setLabel(String)
        /// Items by their lookup attributes, for the Secret Service; the replies are those of a ``LookupRequest``.
        case lookup(LookupRequest.Operation)

        /// The maximum number of bytes of a label.
        package static let maximumLabelByteCount = 1_024

        /// Refuses values that are larger than necessary.
        ///
        /// - Throws: `errSecParam`.
        package func checkSizes() throws(KeychainError) {
            switch self {
            case .lookup(let operation): try operation.checkSizes()
            case .setLabel(let label):
                // So few bytes have no room for too many combining marks.
                guard label.utf8.count <= Self.maximumLabelByteCount else {
                    throw .parameter("the label is longer than \(Self.maximumLabelByteCount) bytes")
                }
            default: break
            }
        }
    }

    /// Refuses values that are larger than necessary.
    ///
    /// - Throws: `errSecParam`.
    package func checkSizes() throws(KeychainError) {
        if case .keychain(_, let action) = self { try action.checkSizes() }
    }
}

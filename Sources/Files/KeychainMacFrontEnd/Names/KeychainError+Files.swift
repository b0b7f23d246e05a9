// SPDX-License-Identifier: Apache-2.0

import Glibc
package import KeychainCore
package import KeychainHost

extension KeychainError {
    package static let noSuchKeychain = KeychainError(
        .noSuchKeychain,
        "there is no keychain file",
        kind: .storage(.file)
    )

    package static let noDefaultKeychain = KeychainError(.noDefaultKeychain, "there is no default keychain")

    package static let duplicateKeychain = KeychainError(
        .duplicateKeychain,
        "there is a file of this name already",
        kind: .storage(.storeExists)
    )

    package static let invalidItem = KeychainError(.invalidItemReference, "the item is not in the keychain any more")

    /// The status of an error of a keychain file.
    package init(keychainFile error: FileError) {
        let status: Status
        let kind: StorageFailure
        switch error {
        // A loop of links exists, but leads to no keychain.
        case .wrongKind, .system(_, _, ELOOP): (status, kind) = (.invalidKeychain, .damaged)
        case .lockTimeout: (status, kind) = (.notAvailable, .busy)
        case .system(_, _, ENAMETOOLONG): (status, kind) = (.noSuchKeychain, .file)
        case .system(_, _, EACCES), .system(_, _, EPERM), .system(_, _, EROFS):
            (status, kind) = (.writePermission, .readOnly)
        case _ where error.isOutOfSpace: (status, kind) = (.diskFull, .full)
        default: (status, kind) = (.io, .inputOutput)
        }
        self.init(status, "\(error)", kind: .storage(kind), facts: error.facts)
    }
}

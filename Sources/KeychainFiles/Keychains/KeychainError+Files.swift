// SPDX-License-Identifier: Apache-2.0

import Glibc
import HostFiles
import KeychainCore

extension KeychainError {
    static let noSuchKeychain = KeychainError(.noSuchKeychain, "there is no keychain file", kind: .storage(.file))

    static let duplicateKeychain = KeychainError(
        .duplicateKeychain,
        "there is a file of this name already",
        kind: .storage(.storeExists)
    )

    static let invalidItem = KeychainError(.invalidItemReference, "the item is not in the keychain any more")

    /// The status of an error of a keychain file.
    init(keychainFile error: FileError) {
        let status: Status
        let kind: StorageFailure
        switch error {
        case .wrongKind: (status, kind) = (.invalidKeychain, .damaged)
        case .system(_, _, EFBIG): (status, kind) = (.invalidKeychain, .damaged)
        case .system(_, _, EACCES), .system(_, _, EPERM), .system(_, _, EROFS):
            (status, kind) = (.writePermission, .readOnly)
        case _ where error.isWantOfRoom: (status, kind) = (.diskFull, .full)
        default: (status, kind) = (.io, .inputOutput)
        }
        self.init(status, "\(error)", kind: .storage(kind), facts: error.facts)
    }
}

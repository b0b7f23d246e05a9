// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost

/// The persistent reference of an item of a file-based keychain: `kcfl`, the class, the item's identifier, and the path
/// of the keychain in UTF-8.
///
/// It is longer than those of the data protection keychain and begins with no class, so that neither is taken for the
/// other.
enum FilePersistentReference {
    private static let mark = Array("kcfl".utf8)
    private static let classCount = 4
    private static var pathOffset: Int { mark.count + classCount + Bytes16.count }

    /// The bytes of a reference.
    static func bytes(_ item: KeychainItemReference) -> SecretBytes {
        SecretBytes(mark + item.itemClass.rawValue.utf8 + item.identifier.bytes + item.keychain.utf8)
    }

    /// The reference that bytes are; `nil` for other bytes.
    static func item(_ bytes: SecretBytes) -> KeychainItemReference? {
        let bytes = bytes.unprotectedCopy
        let (classOffset, identifierOffset) = (mark.count, mark.count + classCount)
        guard bytes.starts(with: mark), bytes.count > pathOffset,
            let itemClass = ItemClass(rawValue: String(decoding: bytes[classOffset..<identifierOffset], as: UTF8.self)),
            let identifier = Bytes16(bytes[identifierOffset..<pathOffset]),
            let path = String(validating: bytes[pathOffset...], as: UTF8.self), path.isAbsolutePath
        else { return nil }
        return KeychainItemReference(keychain: path, itemClass: itemClass, identifier: identifier)
    }
}

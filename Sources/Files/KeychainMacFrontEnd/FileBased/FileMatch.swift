// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// An item of a file-based keychain, and which keychain that is.
struct LocatedItem: Hashable {
    var keychain: String
    var item: KeychainFileItem

    /// The reference for a `SecKeychainItem`.
    var reference: KeychainItemReference {
        KeychainItemReference(keychain: keychain, itemClass: item.itemClass, identifier: item.identifier)
    }
}

/// A match of a search of file-based keychains.
enum FileMatch {
    /// An item.
    case item(LocatedItem)
    /// A certificate and its private key; `isNamed` for one that the query named as an identity.
    case identity(certificate: LocatedItem, key: LocatedItem, isNamed: Bool)

    /// The item whose attributes and data count: of an identity the certificate.
    var main: LocatedItem {
        switch self {
        case .item(let item), .identity(let item, _, _): item
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// What makes an identity of a certificate and a key: both refer to the same public key, by its hash.
enum IdentityHalf {
    case certificate
    case key

    var itemClass: ItemClass {
        switch self {
        case .certificate: .certificate
        case .key: .key
        }
    }

    var other: IdentityHalf {
        switch self {
        case .certificate: .key
        case .key: .certificate
        }
    }

    /// The attribute that holds the hash.
    var link: AttributeName {
        switch self {
        case .certificate: .publicKeyHash
        case .key: .applicationLabel
        }
    }

    /// The tag that rows of this half have for a hash.
    func tag(_ hash: AttributeValue, _ tags: SearchTags) -> AttributeTag {
        tags.attributeTag(in: itemClass, name: link, value: hash)
    }
}

extension SearchTags {
    /// The tag of an attribute that the class has.
    func attributeTag(in itemClass: ItemClass, name: AttributeName, value: AttributeValue) -> AttributeTag {
        guard let column = ItemSchema.of(itemClass)[name] else { preconditionFailure("no such column") }
        return AttributeTag(name: name, tag: tag(in: itemClass, column: column, value: value))
    }

    /// Whether a row is a public key.
    func isPublicKey(_ row: StoredRow) -> Bool {
        row.tags.contains(attributeTag(in: .key, name: .keyClass, value: .number(.integer(0))))
    }
}

// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Where exported items come from.
protocol ItemSource {
    /// The certificates, keys or identities, in their order.
    ///
    /// - Throws: ``KeychainError`` when they cannot be read.
    func references(_ itemClass: ItemClass) throws(KeychainError) -> [LabelledReference]
}

/// An item with its bytes, and what people call it.
struct LabelledReference {
    let reference: ItemReference
    let label: String?
}

extension UserKeychain: ItemSource {
    func references(_ itemClass: ItemClass) throws(KeychainError) -> [LabelledReference] {
        try answers(itemClass).compactMap { value in
            guard case .dictionary(let entries) = value,
                case .reference(let reference)? = entries[PropertyKey.valueReference]
            else { return nil }
            guard case .string(let label)? = entries[AttributeName.label.description] else {
                return LabelledReference(reference: reference, label: nil)
            }
            return LabelledReference(reference: reference, label: label)
        }
    }
}

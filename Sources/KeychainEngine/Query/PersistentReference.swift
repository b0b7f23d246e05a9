// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A persistent reference: which one item is meant (specification, section 4.4).
enum PersistentReference: Sendable, Hashable {
    /// The current form, 20 bytes: the class and the item's identifier.
    case item(ItemClass, ItemIdentifier)
    /// The legacy form, 12 bytes: the class and a row number, highest byte first.
    case row(ItemClass, Int64)
    /// An item of a hardware token; there are none.
    case token

    /// - Throws: `errSecParam` when the value is not data of one of the forms.
    init(_ value: PropertyValue) throws(KeychainError) {
        guard case .data(let data) = value else { throw .parameter("kSecValuePersistentRef is not data") }
        let bytes = data.unprotectedCopy
        let prefix = String(decoding: bytes.prefix(4), as: UTF8.self)
        let rest = bytes.dropFirst(4)
        switch (ItemClass(rawValue: prefix), rest.count) {
        case (let itemClass?, Bytes16.count):
            guard let identifier = ItemIdentifier(rest) else { throw Self.malformed }
            self = .item(itemClass, identifier)
        case (let itemClass?, 8):
            self = .row(itemClass, Int64(bitPattern: rest.reduce(0) { $0 << 8 | UInt64($1) }))
        case (nil, 1...) where prefix == "tkpr":
            self = .token
        default:
            throw Self.malformed
        }
    }

    /// The class of the item; `nil` for an item of a token.
    var itemClass: ItemClass? {
        switch self {
        case .item(let itemClass, _), .row(let itemClass, _): itemClass
        case .token: nil
        }
    }

    /// The 20 bytes of the current form.
    static func bytes(_ itemClass: ItemClass, _ identifier: ItemIdentifier) -> SecretBytes {
        SecretBytes(Array(itemClass.rawValue.utf8) + identifier.bytes)
    }

    private static let malformed = KeychainError.parameter("kSecValuePersistentRef is malformed")
}

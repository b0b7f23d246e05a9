// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore
import SwiftASN1

/// A persistent reference, which identifies one item (Semantics, "Persistent references").
enum PersistentReference: Sendable, Hashable {
    /// The current form, 20 bytes: the class and the item's identifier.
    case item(ItemClass, ItemIdentifier)
    /// The legacy form, 12 bytes: the class and a row number, highest byte first.
    case row(ItemClass, Int64)
    /// An item of a hardware token; there are none.
    case token(ItemClass)

    /// - Throws: `errSecParam` if the value is not data of one of the forms; `errSecNoSuchClass` for the class of
    ///   AppleShare passwords, which is known but obsolete.
    init(_ value: PropertyValue) throws(KeychainError) {
        guard case .data(let data) = value else { throw .parameter("kSecValuePersistentRef is not data") }
        let bytes = data.unprotectedCopy
        let prefix = String(decoding: bytes.prefix(4), as: UTF8.self)
        let rest = bytes.dropFirst(4)
        switch (prefix, rest.count) {
        case (Self.tokenPrefix, 1...):
            guard let itemClass = Self.tokenClass(rest) else { throw Self.malformed }
            self = .token(itemClass)
        case (Self.retiredPrefix, Bytes16.count), (Self.retiredPrefix, 8):
            throw KeychainError(.noSuchClass, "kSecValuePersistentRef names a class that there is no more")
        case (_, Bytes16.count):
            guard let itemClass = ItemClass(rawValue: prefix), let identifier = ItemIdentifier(rest) else {
                throw Self.malformed
            }
            self = .item(itemClass, identifier)
        case (_, 8):
            guard let itemClass = ItemClass(rawValue: prefix) else { throw Self.malformed }
            self = .row(itemClass, Int64(bitPattern: rest.reduce(0) { $0 << 8 | UInt64($1) }))
        default:
            throw Self.malformed
        }
    }

    /// The class of the item.
    var itemClass: ItemClass {
        switch self {
        case .item(let itemClass, _), .row(let itemClass, _), .token(let itemClass): itemClass
        }
    }

    private static let tokenPrefix = "tkpr"
    private static let retiredPrefix = "apls"
    private static let malformed = KeychainError.parameter("kSecValuePersistentRef is malformed")

    /// The class in the reference of a token's item.
    ///
    /// The reference is a DER SEQUENCE of the class, the token's identifier and the item's; the first two are strings.
    private static func tokenClass(_ bytes: ArraySlice<UInt8>) -> ItemClass? {
        guard let node = try? EncodedValue.parse(bytes, within: .certificate), node.identifier == .sequence,
            case .constructed(let nodes) = node.content
        else { return nil }
        let members = Array(nodes)
        guard members.count == 3, text(members[1]) != nil else { return nil }
        return text(members[0]).flatMap(ItemClass.init(rawValue:))
    }

    private static func text(_ node: ASN1Node) -> String? {
        guard node.identifier == .utf8String, case .primitive(let bytes) = node.content else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}

// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The attributes of a key, which `SecKeyCopyAttributes` returns and an add by reference stores (Semantics, "Attributes
/// of a key").
package enum KeyAttributes {
    /// Those of a private key, without its bytes.
    package static func of(_ key: PrivateKey) -> [String: PropertyValue] { attributes(key.publicKey, .private) }

    /// Those of a public key, without its bytes.
    package static func of(_ key: PublicKey) -> [String: PropertyValue] { attributes(key, .public) }

    private enum Half {
        case `private`, `public`
    }

    /// The permitted uses of a key by family and half: the name, and when it is true.
    private static let uses: [(name: String, isTrue: @Sendable (KeyType, Half) -> Bool)] = [
        ("perm", { _, _ in true }),
        ("modi", { _, _ in true }),
        ("extr", { _, _ in true }),
        // True for public keys as well, for historical reasons.
        ("priv", { _, _ in true }),
        ("sens", { _, _ in false }),
        ("asen", { _, _ in false }),
        ("next", { _, _ in false }),
        ("encr", { $1 == .public }),
        ("decr", { $1 == .private || $0 == .rsa }),
        ("sign", { $1 == .private }),
        ("vrfy", { $1 == .public }),
        ("wrap", { $1 == .public }),
        ("unwp", { $1 == .private }),
        ("drve", { $1 == .private && $0 == .ellipticCurve }),
        ("snrc", { _, _ in false }),
        ("vyrc", { _, _ in false }),
    ]

    private static func attributes(_ key: PublicKey, _ half: Half) -> [String: PropertyValue] {
        let size = PropertyValue.number(.integer(Int64(key.sizeInBits)))
        var attributes: [String: PropertyValue] = [
            "kcls": .string(half == .private ? "1" : "0"),
            "type": .string(key.type.attributeValue),
            "bsiz": size, "esiz": size,
            "klbl": .data(SecretBytes(key.hash)),
        ]
        for use in uses { attributes[use.name] = .boolean(use.isTrue(key.type, half)) }
        return attributes
    }
}

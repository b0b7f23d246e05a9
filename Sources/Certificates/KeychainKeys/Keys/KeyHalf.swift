// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// One half of a key pair, which is an item of the keychain.
package enum KeyHalf: Sendable {
    /// The private half.
    case `private`(PrivateKey)
    /// The public half.
    case `public`(PublicKey)

    /// A key from its external representation, or of an RSA public key from its `SubjectPublicKeyInfo` (Semantics,
    /// "External representations of keys").
    ///
    /// - Parameters:
    ///   - data: the bytes.
    ///   - type: the value of `kSecAttrKeyType`.
    ///   - keyClass: the value of `kSecAttrKeyClass`.
    /// - Throws: ``KeyError``: `errSecUnimplemented` for a symmetric key; `errSecParam` for another type or class, and
    ///   for data that is not a key.
    package init(externalRepresentation data: SecretBytes, type: String?, keyClass: String?) throws(KeyError) {
        guard keyClass != KeyClass.symmetric else {
            throw .failed(.unimplemented, "symmetric keys are not supported")
        }
        guard let type = type.flatMap({ KeyType(attributeValue: $0) }) else {
            throw .parameter("the key type is missing or not supported")
        }
        switch keyClass {
        case KeyClass.private: self = .private(try PrivateKey(externalRepresentation: data, type))
        case KeyClass.public:
            self = .public(try PublicKey(data: data.unprotectedCopy, type))
        default: throw .parameter("the key class is missing or not supported")
        }
    }

    /// The key of a stored item, from its `type`, `kcls` and data; `nil` if they do not form a key, as for a key of the
    /// Secure Enclave.
    package init?(_ reference: KeyReference) {
        guard let type = reference.attributes["type"]?.name, let keyClass = reference.attributes["kcls"]?.name,
            let data = reference.data
        else { return nil }
        do throws(KeyError) {
            try self.init(externalRepresentation: data, type: type, keyClass: keyClass)
        } catch {
            return nil
        }
    }

    /// The entries that the key contributes to an add or a query by reference (Semantics, "Attributes of a key").
    package var reference: KeyReference {
        switch self {
        case .private(let key): KeyReference(attributes: KeyAttributes.of(key), data: key.externalRepresentation)
        case .public(let key):
            KeyReference(attributes: KeyAttributes.of(key), data: SecretBytes(key.externalRepresentation))
        }
    }

    /// The half with its bytes (``PrivateKey/loaded()``).
    package func loaded() throws(KeyError) -> KeyHalf {
        switch self {
        case .private(let key): .private(try key.loaded())
        case .public: self
        }
    }

    /// The public half of the pair.
    package var publicKey: PublicKey {
        switch self {
        case .private(let key): key.publicKey
        case .public(let key): key
        }
    }
}

/// The values of `kSecAttrKeyClass`.
package enum KeyClass {
    package static let `public` = "0"
    package static let `private` = "1"
    package static let symmetric = "2"
}

extension PropertyValue {
    /// The string for a number or a string: the two forms of the values of `kSecAttrKeyType` and `kSecAttrKeyClass`.
    package var name: String? {
        switch self {
        case .string(let text): text
        case .number(let number): number.exactInteger.map(String.init)
        default: nil
        }
    }
}

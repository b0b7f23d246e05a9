// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainKeys

extension SecKey {
    /// The key of a stored item, from its `type`, `kcls` and data; `nil` when they make none (Semantics, "External
    /// representations of keys").
    convenience init?(_ reference: KeyReference) {
        if reference.attributes[Self.tokenIDName]?.name == EnclaveKeys.tokenID {
            guard let (key, sealed) = EnclaveKeys.key(reference) else { return nil }
            self.init(key, sealed: sealed)
            return
        }
        guard let type = reference.attributes["type"]?.name, let keyClass = reference.attributes["kcls"]?.name,
            let data = reference.data
        else { return nil }
        do throws(KeychainError) {
            try self.init(data, type: type, keyClass: keyClass, in: reference.keychainItem)
        } catch {
            return nil
        }
    }

    /// A key from its external representation.
    ///
    /// - Parameters:
    ///   - data: the bytes of Semantics, "External representations of keys".
    ///   - type: the value of `kSecAttrKeyType`.
    ///   - keyClass: the value of `kSecAttrKeyClass`.
    ///   - keychainItem: where in a file-based keychain the key is.
    /// - Throws: `errSecUnimplemented` for a symmetric key; `errSecParam` for another type or class, and for data that
    ///   is no key.
    convenience init(
        _ data: SecretBytes,
        type: String?,
        keyClass: String?,
        in keychainItem: KeychainItemReference? = nil
    ) throws(KeychainError) {
        guard keyClass != KeyClass.symmetric else {
            throw KeychainError(.unimplemented, "symmetric keys are not supported")
        }
        guard let type = type.flatMap({ KeyType(attributeValue: $0) }) else {
            throw .parameter("the key type is missing or not supported")
        }
        do throws(KeyError) {
            switch keyClass {
            case KeyClass.private: self.init(try PrivateKey(externalRepresentation: data, type), in: keychainItem)
            case KeyClass.public:
                self.init(try PublicKey(externalRepresentation: data.unprotectedCopy, type), in: keychainItem)
            default: throw KeyError.parameter("the key class is missing or not supported")
            }
        } catch {
            throw KeychainError(error)
        }
    }

    private static let tokenIDName = AttributeName.tokenID.description
}

/// The values of `kSecAttrKeyClass`.
enum KeyClass {
    static let `public` = "0"
    static let `private` = "1"
    static let symmetric = "2"
}

extension PropertyValue {
    /// A number or a string as a string: the two forms of the values of `kSecAttrKeyType` and `kSecAttrKeyClass`.
    var name: String? {
        switch self {
        case .string(let text): text
        case .number(let number): number.exactInteger.map(String.init)
        default: nil
        }
    }
}

extension KeychainError {
    /// What a key says.
    init(_ error: KeyError) { self.init(error.status, error.reason) }
}

// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainFrontEnd
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
        guard let half = KeyHalf(reference) ?? Self.lockedHalf(reference) else { return nil }
        self.init(half, in: reference.keychainItem)
    }

    /// A key from its external representation.
    ///
    /// - Parameters:
    ///   - data: the bytes of Semantics, "External representations of keys".
    ///   - type: the value of `kSecAttrKeyType`.
    ///   - keyClass: the value of `kSecAttrKeyClass`.
    /// - Throws: `errSecUnimplemented` for a symmetric key; `errSecParam` for another type or class, and for data that
    ///   is no key.
    convenience init(_ data: SecretBytes, type: String?, keyClass: String?) throws(KeychainError) {
        do throws(KeyError) {
            self.init(try KeyHalf(externalRepresentation: data, type: type, keyClass: keyClass))
        } catch {
            throw KeychainError(error)
        }
    }

    /// The private key of a locked keychain file: it is read when it is used.
    private static func lockedHalf(_ reference: KeyReference) -> KeyHalf? {
        guard reference.data == nil, let item = reference.keychainItem, let encoding = reference.subjectPublicKeyInfo,
            let publicKey = try? PublicKey(subjectPublicKeyInfo: encoding)
        else { return nil }
        let keychains = KeychainContext.inEffect.fileBased
        let key = PrivateKey(publicKey: publicKey) { () throws(KeyError) in
            let data: SecretBytes
            do throws(KeychainError) {
                data = try keychains.keyData(of: item, asks: true)
            } catch {
                throw .failed(error.status, error.reason)
            }
            return try PrivateKey(externalRepresentation: data, publicKey.type)
        }
        return .private(key)
    }

    private static let tokenIDName = AttributeName.tokenID.description
}

extension KeychainError {
    /// What a key says.
    init(_ error: KeyError) { self.init(error.status, error.reason) }
}

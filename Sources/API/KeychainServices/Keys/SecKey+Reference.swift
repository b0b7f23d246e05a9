// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainKeys
import KeychainMacFrontEnd

extension SecKey {
    /// Creates the key of a stored item from its `type`, `kcls` and data; `nil` if they are not a key (Semantics,
    /// "External representations of keys").
    convenience init?(_ reference: KeyReference) {
        if reference.attributes[Self.tokenIDName]?.name == EnclaveKeys.tokenID {
            guard let (key, sealed) = EnclaveKeys.key(reference) else { return nil }
            self.init(key, sealed: sealed)
            return
        }
        guard let half = KeyHalf(reference) ?? Self.lockedHalf(reference) else { return nil }
        self.init(half, in: reference.keychainItem)
    }

    /// Creates a key from its external representation.
    ///
    /// - Parameters:
    ///   - data: the bytes described in Semantics, "External representations of keys".
    ///   - type: the value of `kSecAttrKeyType`.
    ///   - keyClass: the value of `kSecAttrKeyClass`.
    /// - Throws: `errSecUnimplemented` for a symmetric key; `errSecParam` for another type or class, and for data that
    ///   is not a key.
    convenience init(_ data: SecretBytes, type: String?, keyClass: String?) throws(KeychainError) {
        do throws(KeyError) {
            self.init(try KeyHalf(externalRepresentation: data, type: type, keyClass: keyClass))
        } catch {
            throw KeychainError(error)
        }
    }

    /// The private key in a locked keychain file, whose user is prompted when it is used.
    private static func lockedHalf(_ reference: KeyReference) -> KeyHalf? {
        guard reference.data == nil, let item = reference.keychainItem, let encoding = reference.subjectPublicKeyInfo,
            let publicKey = try? PublicKey(subjectPublicKeyInfo: encoding)
        else { return nil }
        return .private(deferred(publicKey, in: item, asks: true))
    }

    /// The private half of a pair in a keychain file, which is read when it is used.
    ///
    /// - Parameters:
    ///   - publicKey: the public half.
    ///   - item: the place of the private half.
    ///   - asks: whether to prompt the user to unlock a locked keychain.
    /// - Returns: A key that is read again for each operation.
    static func deferred(_ publicKey: PublicKey, in item: KeychainItemReference, asks: Bool) -> PrivateKey {
        let keychains = KeychainContext.inEffect.fileBased
        return PrivateKey(publicKey: publicKey) { () throws(KeyError) in
            let data: SecretBytes
            do throws(KeychainError) {
                data = try keychains.keyData(of: item, asks: asks)
            } catch {
                throw .failed(error.status, error.reason)
            }
            return try PrivateKey(externalRepresentation: data, publicKey.type)
        }
    }

    private static let tokenIDName = AttributeName.tokenID.description
}

extension KeychainError {
    /// Creates a failure from a key's error.
    init(_ error: KeyError) { self.init(error.status, error.reason) }
}

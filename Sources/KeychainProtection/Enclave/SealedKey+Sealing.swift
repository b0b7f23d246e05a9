// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// How the private key is sealed: as the secret of a row is, under keys of its own.
///
/// A random key of 256 bits seals it by AES-256-GCM (NIST SP 800-38D), with the header as associated data; AES key wrap
/// (RFC 3394) wraps that key, under one that HKDF-SHA-256 (RFC 5869) derives from the class key. An application password
/// takes part as in a row. The whole is authenticated by HMAC-SHA-256 (RFC 2104).
extension SealedKey {
    /// Seals a private key.
    init(
        _ algorithm: EnclaveAlgorithm,
        _ keyPair: EnclaveKeyPair,
        _ accessControl: AccessControl,
        generation: UInt32,
        _ classKey: LockedKey,
        _ passwordKey: PasswordKey?
    ) throws(ProtectionError) {
        let key = SymmetricKey.random()
        let unsealed = SealedKey(
            algorithm: algorithm,
            accessControl: accessControl,
            publicKey: keyPair.publicKey,
            passwordHeader: passwordKey?.header,
            generation: generation,
            wrappedKey: try KeyWrap.wrap(key, under: Self.wrappingKey(classKey)),
            sealedPrivateKey: []
        )
        let sealingKey = Self.sealingKey(key, passwordKey)
        let sealed = try keyPair.privateKey.withUnsafeBytes { bytes throws(ProtectionError) in
            try GCM.seal(bytes, under: sealingKey, associatedData: unsealed.header)
        }
        self.init(
            algorithm: algorithm,
            accessControl: accessControl,
            publicKey: keyPair.publicKey,
            passwordHeader: passwordKey?.header,
            generation: generation,
            wrappedKey: unsealed.wrappedKey,
            sealedPrivateKey: sealed
        )
    }

    /// Lends the private key to `body`; nothing of it is left afterwards.
    ///
    /// - Throws: ``ProtectionError/passwordMissing`` without the key for the header, and what `body` throws.
    func withPrivateKey<Result>(
        _ classKey: LockedKey,
        _ passwordKey: PasswordKey?,
        _ body: (UnsafeRawBufferPointer) throws(ProtectionError) -> Result
    ) throws(ProtectionError) -> Result {
        guard passwordHeader == passwordKey?.header else { throw .passwordMissing }
        guard let key = KeyWrap.unwrap(wrappedKey[...], under: Self.wrappingKey(classKey)) else { throw .damagedKey }
        let sealingKey = Self.sealingKey(key, passwordKey)
        let result: Swift.Result<Result, ProtectionError>? = Residue.containPrivateKey {
            GCM.open(sealedPrivateKey[...], under: sealingKey, associatedData: header) { bytes in
                Swift.Result { () throws(ProtectionError) in try body(bytes) }
            }
        }
        guard let result else { throw .damagedKey }
        return try result.get()
    }

    /// The bytes, with their code.
    func encoded(_ rootSlotKey: LockedKey) -> [UInt8] {
        let body = body
        let code = rootSlotKey.withKey { Authentication.code(body, under: Self.authenticationKey(of: $0)) }
        return body + code.withUnsafeBytes { Array($0) }
    }

    /// The key of the code: from the root key's slot, so that a locked device can check it.
    static func authenticationKey(of rootSlotKey: SymmetricKey) -> SymmetricKey {
        KeyDerivation.derive("enclave key authentication", from: rootSlotKey)
    }

    private static func wrappingKey(_ classKey: LockedKey) -> SymmetricKey {
        classKey.withKey { KeyDerivation.derive("enclave key wrapping", from: $0) }
    }

    private static func sealingKey(_ key: SymmetricKey, _ passwordKey: PasswordKey?) -> SymmetricKey {
        guard let passwordKey else { return key }
        return KeyDerivation.derive("enclave key sealing with password", from: key, and: passwordKey.key)
    }
}

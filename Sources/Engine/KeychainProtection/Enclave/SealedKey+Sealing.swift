// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// Seals the private key like the secret of a row.
///
/// The cipher is AES-256-GCM (NIST SP 800-38D), with the header as associated data, under a key that HKDF (RFC 5869)
/// derives from the class key for this sealed key alone. An application password is used as in a row. The whole is
/// authenticated by HMAC-SHA-256 (RFC 2104).
extension SealedKey {
    /// Seals a private key.
    init(
        _ algorithm: EnclaveAlgorithm,
        keyPair: EnclaveKeyPair,
        accessControl: AccessControl,
        generation: UInt32,
        by sealer: Sealer,
        passwordKey: PasswordKey?
    ) throws(ProtectionError) {
        let salt = SystemRandomSource().bytes16()
        func key(sealing bytes: [UInt8]) -> SealedKey {
            SealedKey(
                algorithm: algorithm,
                accessControl: accessControl,
                publicKey: keyPair.publicKey,
                generation: generation,
                salt: salt,
                sealedPrivateKey: bytes
            )
        }
        let empty = key(sealing: [])
        var plain = keyPair.privateKey
        if let passwordKey { plain = try PasswordLayer.seal(plain, passwordKey, for: empty.passwordUse) }
        let associatedData = sealer.storeIdentifier.bytes + empty.header
        let sealingKey = try empty.sealingKey(sealer)
        let sealed = try plain.withUnsafeBytes { bytes throws(ProtectionError) in
            try GCM.seal(bytes, under: sealingKey, associatedData: associatedData)
        }
        self = key(sealing: sealed)
    }

    /// Passes the private key to `body`, and wipes it and the stack afterwards.
    ///
    /// - Throws: ``ProtectionError/classUnavailable(_:)``, ``ProtectionError/passwordMissing`` without the key for the
    ///   header, and the errors of `body`.
    func withPrivateKey<Result>(
        openedBy sealer: Sealer,
        passwordKey: PasswordKey?,
        _ body: (UnsafeRawBufferPointer) throws(ProtectionError) -> Result
    ) throws(ProtectionError) -> Result {
        try StackMemory.wiped(.privateKey) { () throws(ProtectionError) in
            var plain = try opened(sealer)
            if needsPassword {
                let layer = try layer(in: plain, sealer)
                guard let passwordKey, passwordKey.header == layer.header else { throw .passwordMissing }
                guard let opened = layer.open(passwordKey, for: passwordUse) else { throw .damagedKey }
                plain = opened
            }
            return try plain.withUnsafeBytes { bytes throws(ProtectionError) in try body(bytes) }
        }
    }

    /// The header of its application password; `nil` when it has none.
    func passwordHeader(_ sealer: Sealer) throws(ProtectionError) -> PasswordHeader? {
        needsPassword ? try layer(in: opened(sealer), sealer).header : nil
    }

    /// The bytes, with their code.
    func encoded(_ keybag: OpenKeybag) -> [UInt8] {
        let body = body
        let code = MessageAuthentication.code(body, under: Self.authenticationKey(keybag))
        return body + code.withUnsafeBytes { Array($0) }
    }

    /// The key of the code: from the root key's slot, so that a locked device can check it.
    static func authenticationKey(_ keybag: OpenKeybag) -> SymmetricKey {
        let context = keybag.storeIdentifier.bytes
        return KeyDerivation.derive("sealed key authentication", from: keybag.rootSlot.key, context: context)
    }

    private func opened(_ sealer: Sealer) throws(ProtectionError) -> SecretBytes {
        let associatedData = sealer.storeIdentifier.bytes + header
        let key = try sealingKey(sealer)
        guard let opened = GCM.open(sealedPrivateKey[...], under: key, associatedData: associatedData) else {
            throw .damagedKey
        }
        return opened
    }

    private func layer(in bytes: SecretBytes, _ sealer: Sealer) throws(ProtectionError) -> PasswordLayer {
        guard let layer = PasswordLayer(bytes), layer.header.work.isAcceptable(sealer.floor) else { throw .damagedKey }
        return layer
    }

    private func sealingKey(_ sealer: Sealer) throws(ProtectionError) -> SymmetricKey {
        let context = sealer.storeIdentifier.bytes + salt.bytes
        let classKey = try sealer.key(.classKey(accessControl.protection))
        return KeyDerivation.derive("sealed key", from: classKey, context: context)
    }

    /// The content that the key of its password seals.
    private var passwordUse: PasswordLayer.Use { PasswordLayer.Use("sealed key password", salt.bytes) }
}

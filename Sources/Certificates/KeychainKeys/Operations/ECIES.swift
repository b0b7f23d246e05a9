// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Encryption with a key on a curve: the `ECIES…AESGCM` algorithms.
///
/// The output is the public key of a new pair (04 ‖ X ‖ Y), the data encrypted with AES-GCM, and a 16-byte tag. The AES
/// key comes from ECDH with the new pair and the key derivation function of X9.63, with the new public key as shared
/// information; it has 128 bits up to P-256, else 256. Apple's SecKey.h mentions the static public key as authenticated
/// data, but the output of its framework, and the input of others, has none.
struct ECIES {
    let digest: DigestAlgorithm
    let nonce: KeyAlgorithm.ECIESNonce

    func encrypt(_ plaintext: UnsafeRawBufferPointer, to key: PublicKey, on curve: Curve) throws(KeyError) -> [UInt8] {
        let pair = EllipticPrivateKey(generating: curve)
        let point = pair.point
        let cipher = try self.cipher(from: try pair.sharedSecret(with: key), point: point, on: curve)
        return point + (try cipher.seal(plaintext, authenticating: []))
    }

    func decrypt(
        _ ciphertext: UnsafeRawBufferPointer,
        with key: any EllipticKeyOperations,
        on curve: Curve
    ) throws(KeyError) -> SecretBytes {
        let (point, sealed) = (ciphertext.prefix(curve.pointCount), ciphertext.dropFirst(curve.pointCount))
        guard sealed.count >= AuthenticatedCipher.tagCount,
            let publicKey = try? PublicKey(externalRepresentation: Array(point), .ellipticCurve)
        else { throw .decryptionFailed }
        let cipher = try self.cipher(
            from: try key.sharedSecret(with: publicKey),
            point: publicKey.externalRepresentation,
            on: curve
        )
        return try cipher.open(UnsafeRawBufferPointer(rebasing: sealed), authenticating: [])
    }

    private func cipher(
        from secret: SecretBytes,
        point: [UInt8],
        on curve: Curve
    ) throws(KeyError) -> AuthenticatedCipher {
        let keyCount = curve.sizeInBits > 256 ? 32 : 16
        let count = nonce == .derived ? keyCount + AuthenticatedCipher.nonceCount : keyCount
        let derived = try X963KeyDerivation(digest: digest).key(secret, point, count: count)
        return derived.withUnsafeBytes { bytes in
            AuthenticatedCipher(
                key: SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes.prefix(keyCount))),
                nonce: nonce == .derived
                    ? SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes.dropFirst(keyCount)))
                    : AuthenticatedCipher.zeroNonce
            )
        }
    }
}

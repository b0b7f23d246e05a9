// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Encryption with a curve's key: the `ECIES…AESGCM` algorithms.
///
/// The public key of a new pair (04 ‖ X ‖ Y), the data under AES-GCM, a tag of sixteen bytes. The AES key comes from
/// ECDH with the new pair and the key derivation function of X9.63, with the new public key as shared information; it
/// has 128 bits up to P-256, else 256. Apple's SecKey.h speaks of the static public key as authenticated data; what its
/// framework writes, and what others read, has none.
struct ECIES {
    let digest: DigestAlgorithm
    let nonce: KeyAlgorithm.ECIESNonce

    func encrypt(_ plaintext: UnsafeRawBufferPointer, _ key: PublicKey, _ curve: Curve) throws(KeyError) -> [UInt8] {
        let pair = EllipticPrivateKey(generating: curve)
        let point = pair.point
        let cipher = try self.cipher(try pair.sharedSecret(with: key), point, curve)
        return point + (try cipher.seal(plaintext, authenticating: []))
    }

    func decrypt(
        _ ciphertext: UnsafeRawBufferPointer,
        _ key: any EllipticKeyOperations,
        _ curve: Curve
    ) throws(KeyError) -> SecretBytes {
        let (point, sealed) = (ciphertext.prefix(curve.pointCount), ciphertext.dropFirst(curve.pointCount))
        guard sealed.count >= AuthenticatedCipher.tagCount,
            let publicKey = try? PublicKey(externalRepresentation: Array(point), .ellipticCurve)
        else { throw .decryptionFailed }
        let cipher = try self.cipher(try key.sharedSecret(with: publicKey), publicKey.externalRepresentation, curve)
        return try cipher.open(UnsafeRawBufferPointer(rebasing: sealed), authenticating: [])
    }

    private func cipher(_ secret: SecretBytes, _ point: [UInt8], _ curve: Curve) throws(KeyError) -> AuthenticatedCipher
    {
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

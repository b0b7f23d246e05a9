// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import Foundation
import KeychainCore

/// An RSA private key with two primes.
///
/// The library has a type for each purpose; all three are created from the same bytes.
struct RSAPrivateKey: Sendable {
    /// The `RSAPrivateKey` of PKCS #1.
    let pkcs1: SecretBytes

    let publicKey: RSAPublicKey
    let signing: _RSA.Signing.PrivateKey

    private let blind: _RSA.BlindSigning.PrivateKey<SHA384>
    /// `nil` for a modulus that is not a whole number of bytes, with which the library does not decrypt.
    private let encryption: EncryptionKey?

    // The library's underlying object is immutable, and its other types declare it sendable.
    private struct EncryptionKey: @unchecked Sendable {
        let key: _RSA.Encryption.PrivateKey
    }

    /// A new key with the exponent 65537.
    ///
    /// - Parameter sizeInBits: 1024 to 8192, in steps of 128; the library would round other sizes down.
    /// - Throws: ``KeyError/parameter(_:)`` for another size.
    init(generating sizeInBits: Int) throws(KeyError) {
        guard (1024...8192).contains(sizeInBits), sizeInBits.isMultiple(of: 128) else {
            throw .parameter("RSA keys cannot have this size")
        }
        let der: SecretBytes
        do {
            let key = try _RSA.Signing.PrivateKey(unsafeKeySize: _RSA.Signing.KeySize(bitCount: sizeInBits))
            der = SecretBytes(wiping: key.derRepresentation)
        } catch {
            throw .failed(.internalComponent, "the key could not be made")
        }
        self = try der.withUnsafeBytes { (der) throws(KeyError) in try RSAPrivateKey(pkcs1: der) }
    }

    /// An `RSAPrivateKey` of version 0 (RFC 8017, section A.1.2), whose numbers must be consistent.
    init(pkcs1 der: UnsafeRawBufferPointer) throws(KeyError) {
        var outer = DERReader(der)
        var reader = try outer.sequence()
        try outer.end()
        _ = try reader.version(0...0)
        let (modulus, exponent) = (try reader.integer(), try reader.integer())
        for _ in 0..<6 { _ = try reader.integer() }
        try reader.end()
        let publicKey = DERWriter.element(DERTag.sequence, DERWriter.integer(modulus), DERWriter.integer(exponent))
        self.publicKey = try publicKey.withBytes { (der) throws(KeyError) in try RSAPublicKey(pkcs1: der) }
        do {
            signing = try _RSA.Signing.PrivateKey(unsafeDERRepresentation: der)
            blind = try _RSA.BlindSigning.PrivateKey(
                unsafeDERRepresentation: der,
                parameters: .RSABSSA_SHA384_PSSZERO_Deterministic
            )
            encryption =
                self.publicKey.sizeInBits.isMultiple(of: 8)
                ? EncryptionKey(key: try _RSA.Encryption.PrivateKey(unsafeDERRepresentation: der)) : nil
        } catch {
            throw .malformed("the numbers of the key do not make an RSA key")
        }
        pkcs1 = SecretBytes(copying: der)
    }

    /// RSADP and RSASP1 (RFC 8017, sections 5.1.2 and 5.2.1): the input to the power of the private exponent.
    ///
    /// The library's signature of a blinded message is exactly that operation, with its own blinding and a check of the
    /// result.
    ///
    /// - Parameter input: a number below the modulus, with its length.
    /// - Returns: The result, with the length of the modulus.
    /// - Throws: ``KeyError/parameter(_:)`` for another input.
    func raw(_ input: UnsafeRawBufferPointer) throws(KeyError) -> SecretBytes {
        do {
            return SecretBytes(wiping: try blind.blindSignature(for: input).rawRepresentation)
        } catch {
            throw .parameter("the input does not lie below the modulus")
        }
    }

    /// RSAES with a padding of the library; all failures are indistinguishable.
    ///
    /// - Returns: The message; `nil` for a key with which the library does not decrypt.
    func decrypt(
        _ ciphertext: UnsafeRawBufferPointer,
        _ padding: _RSA.Encryption.Padding
    ) throws(KeyError) -> SecretBytes? {
        guard let encryption else { return nil }
        do {
            return SecretBytes(wiping: try encryption.key.decrypt(ciphertext, padding: padding))
        } catch {
            throw .decryptionFailed
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import CryptoExtras
import Foundation
import KeychainCore

/// RSA encryption (RFC 8017, section 7): that of the library if it supports the padding and the key, else our padding
/// with its primitive.
struct RSAEncryption {
    let padding: KeyAlgorithm.RSAEncryptionPadding

    func encrypt(
        _ plaintext: UnsafeRawBufferPointer,
        to key: PublicKey,
        numbers: RSAPublicKey
    ) throws(KeyError) -> [UInt8] {
        guard plaintext.count + padding.overhead <= numbers.count else {
            throw .parameter("the data is too long for the key")
        }
        if let padding = libraryPadding, numbers.sizeInBits.isMultiple(of: 8) {
            do {
                let key = try _RSA.Encryption.PublicKey(unsafeDERRepresentation: key.externalRepresentation)
                return Array(try key.encrypt(plaintext, padding: padding))
            } catch {
                throw .failed(.internalComponent, "the data could not be encrypted")
            }
        }
        let block =
            switch padding {
            case .raw: Self.padded(plaintext, count: numbers.count)
            case .pkcs1: try EMEPKCS1.encode(plaintext, count: numbers.count)
            case .oaep(let digest): try EMEOAEP(digest: digest).encode(plaintext, count: numbers.count)
            }
        return try block.withUnsafeBytes { (block) throws(KeyError) in try numbers.raw(block) }
    }

    func decrypt(_ ciphertext: UnsafeRawBufferPointer, _ key: RSAPrivateKey) throws(KeyError) -> SecretBytes {
        guard padding != .raw else {
            return try Self.raw(ciphertext, count: key.publicKey.count) { (block) throws(KeyError) in
                try key.raw(block)
            }
        }
        guard ciphertext.count == key.publicKey.count else { throw .decryptionFailed }
        if let padding = libraryPadding, let message = try key.decrypt(ciphertext, padding) { return message }
        guard let block = try? key.raw(ciphertext) else { throw .decryptionFailed }
        switch padding {
        case .raw: return block
        case .pkcs1: return try EMEPKCS1.decode(block)
        case .oaep(let digest): return try EMEOAEP(digest: digest).decode(block)
        }
    }

    /// The operation of a public key on output of the private key.
    static func recover(_ input: UnsafeRawBufferPointer, _ key: RSAPublicKey) throws(KeyError) -> SecretBytes {
        try raw(input, count: key.count) { (block) throws(KeyError) in SecretBytes(try key.raw(block)) }
    }

    /// An operation on a number that may lack its leading zeros.
    private static func raw(
        _ input: UnsafeRawBufferPointer,
        count: Int,
        _ operation: (UnsafeRawBufferPointer) throws(KeyError) -> SecretBytes
    ) throws(KeyError) -> SecretBytes {
        guard input.count <= count else { throw .parameter("the data is too long for the key") }
        return try padded(input, count: count).withUnsafeBytes { (block) throws(KeyError) in try operation(block) }
    }

    private static func padded(_ bytes: UnsafeRawBufferPointer, count: Int) -> SecretBytes {
        SecretBytes(count: count) { block in
            UnsafeMutableRawBufferPointer(rebasing: block.suffix(bytes.count)).copyMemory(from: bytes)
        }
    }

    private var libraryPadding: _RSA.Encryption.Padding? {
        switch padding {
        case .pkcs1: ._WEAK_AND_INSECURE_PKCS_V1_5
        case .oaep(.sha1): .PKCS1_OAEP
        case .oaep(.sha256): .PKCS1_OAEP_SHA256
        case .raw, .oaep: nil
        }
    }
}

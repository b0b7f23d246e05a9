// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import Foundation
import KeychainCore

/// RSA signatures (RFC 8017, section 8): those of the library if it hashes the message; for a given digest, for
/// SHA-224, and without a `DigestInfo`, the encoding is ours, and only the key's primitive is the library's.
struct RSASignatures {
    let padding: KeyAlgorithm.RSASignaturePadding
    let input: KeyAlgorithm.SignatureInput

    func sign(_ data: UnsafeRawBufferPointer, _ key: RSAPrivateKey) throws(KeyError) -> [UInt8] {
        if case .message(let digest) = input, let padding = libraryPadding {
            do {
                if let signature = try Self.sign(data, digest: digest, padding: padding, with: key.signing) {
                    return Array(signature)
                }
            } catch {
                throw .failed(.internalComponent, "the signature could not be made")
            }
        }
        let encoded = try encode(data, key.publicKey)
        return try encoded.withBytes { (encoded) throws(KeyError) in try key.raw(encoded).unprotectedCopy }
    }

    func isValid(
        _ signature: UnsafeRawBufferPointer,
        of data: UnsafeRawBufferPointer,
        _ key: RSAPublicKey
    ) throws(KeyError) -> Bool {
        guard signature.count == key.count else { return false }
        if case .message(let digest) = input, let padding = libraryPadding,
            let result = Self.isValid(signature, of: data, digest: digest, padding: padding, key: key.signing)
        {
            return result
        }
        guard let encoded = try? key.raw(signature) else { return false }
        if padding == .pss, let digest = input.digest {
            return EMSAPSS(digest: digest).isValid(encoded, for: try input.bytes(data), bits: key.sizeInBits)
        }
        return try encode(data, key) == encoded
    }

    /// The encoded message, with the length of the modulus.
    private func encode(_ data: UnsafeRawBufferPointer, _ key: RSAPublicKey) throws(KeyError) -> [UInt8] {
        let bytes = try input.bytes(data)
        switch padding {
        case .raw:
            guard bytes.count <= key.count else { throw .parameter("the data is too long for the key") }
            return Array(repeating: 0, count: key.count - bytes.count) + bytes
        case .pkcs1:
            return try EMSAPKCS1(digest: input.digest).encode(bytes, count: key.count)
        case .pss:
            guard let digest = input.digest else { throw .unsupportedAlgorithm }
            return try EMSAPSS(digest: digest).encode(bytes, bits: key.sizeInBits)
        }
    }

    private var libraryPadding: _RSA.Signing.Padding? {
        switch padding {
        case .raw: nil
        case .pkcs1: .insecurePKCS1v1_5
        case .pss: .PSS
        }
    }

    /// - Returns: `nil` for a digest that the library does not support.
    private static func sign(
        _ message: UnsafeRawBufferPointer,
        digest: DigestAlgorithm,
        padding: _RSA.Signing.Padding,
        with key: _RSA.Signing.PrivateKey
    ) throws -> Data? {
        switch digest {
        case .sha1: try key.signature(for: Insecure.SHA1.hash(data: message), padding: padding).rawRepresentation
        case .sha224: nil
        case .sha256: try key.signature(for: SHA256.hash(data: message), padding: padding).rawRepresentation
        case .sha384: try key.signature(for: SHA384.hash(data: message), padding: padding).rawRepresentation
        case .sha512: try key.signature(for: SHA512.hash(data: message), padding: padding).rawRepresentation
        }
    }

    /// - Returns: `nil` for a digest that the library does not support.
    private static func isValid(
        _ signature: UnsafeRawBufferPointer,
        of message: UnsafeRawBufferPointer,
        digest: DigestAlgorithm,
        padding: _RSA.Signing.Padding,
        key: _RSA.Signing.PublicKey
    ) -> Bool? {
        let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
        return switch digest {
        case .sha1: key.isValidSignature(signature, for: Insecure.SHA1.hash(data: message), padding: padding)
        case .sha224: nil
        case .sha256: key.isValidSignature(signature, for: SHA256.hash(data: message), padding: padding)
        case .sha384: key.isValidSignature(signature, for: SHA384.hash(data: message), padding: padding)
        case .sha512: key.isValidSignature(signature, for: SHA512.hash(data: message), padding: padding)
        }
    }
}

extension KeyAlgorithm.SignatureInput {
    /// The signed digest: that of a message, or the one that the caller supplied.
    ///
    /// - Throws: ``KeyError/parameter(_:)`` for a digest without its function's length.
    func bytes(_ data: UnsafeRawBufferPointer) throws(KeyError) -> [UInt8] {
        switch self {
        case .message(let digest): return digest.digest(data)
        case .bytes: return Array(data)
        case .digest(let digest):
            guard data.count == digest.count else { throw .parameter("the digest does not have its function's length") }
            return Array(data)
        }
    }
}

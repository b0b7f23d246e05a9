// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainKeys

// The older functions on keys, each in two shapes: Swift turns a raw pointer into a typed one for imported C functions
// only, so a second, disfavoured overload takes raw pointers.

/// Signs a digest or bytes with a private key.
///
/// - Parameters:
///   - key: the private key.
///   - padding: of RSA a member of ``SecPadding``, none for the bytes as a number; on a curve `.sigRaw` for r ‖ s, else
///     DER.
///   - dataToSign: the digest, or the bytes.
///   - dataToSignLength: its length in bytes.
///   - signature: receives the signature.
///   - signatureLength: the size of the buffer; receives the length of the signature.
/// - Returns: `errSecSuccess`; `errSecParam` for a padding that the key does not support, a digest of the wrong length,
///   or a buffer that is too small; nothing is then written.
@discardableResult
public func SecKeyRawSign(
    _ key: SecKey,
    _ padding: SecPadding,
    _ dataToSign: UnsafePointer<UInt8>,
    _ dataToSignLength: Int,
    _ signature: UnsafeMutablePointer<UInt8>,
    _ signatureLength: UnsafeMutablePointer<Int>
) -> OSStatus {
    SecKeyRawSign(
        key,
        padding,
        UnsafeRawPointer(dataToSign),
        dataToSignLength,
        UnsafeMutableRawPointer(signature),
        signatureLength
    )
}

/// Signs a digest or bytes with a private key, between raw pointers.
///
/// - Returns: `errSecSuccess` or `errSecParam`.
@_disfavoredOverload
@discardableResult
public func SecKeyRawSign(
    _ key: SecKey,
    _ padding: SecPadding,
    _ dataToSign: UnsafeRawPointer,
    _ dataToSignLength: Int,
    _ signature: UnsafeMutableRawPointer,
    _ signatureLength: UnsafeMutablePointer<Int>
) -> OSStatus {
    OlderCall(dataToSign, dataToSignLength).perform(into: signature, count: signatureLength) {
        (data) throws(KeyError) in
        SecretBytes(try key.signature(of: data, padding.signatureAlgorithm(of: key, data.length)))
    }
}

/// Checks a signature with a public key.
///
/// - Parameters:
///   - key: the public key.
///   - padding: that of `SecKeyRawSign`.
///   - signedData: the digest, or the bytes.
///   - signedDataLength: its length in bytes.
///   - signature: the signature.
///   - signatureLength: its length.
/// - Returns: `errSecSuccess`; `errSSLCrypto` for a signature that does not match, as this function has always
///   returned; `errSecParam` for a padding that the key does not support or a digest of the wrong length.
@discardableResult
public func SecKeyRawVerify(
    _ key: SecKey,
    _ padding: SecPadding,
    _ signedData: UnsafePointer<UInt8>,
    _ signedDataLength: Int,
    _ signature: UnsafePointer<UInt8>,
    _ signatureLength: Int
) -> OSStatus {
    SecKeyRawVerify(
        key,
        padding,
        UnsafeRawPointer(signedData),
        signedDataLength,
        UnsafeRawPointer(signature),
        signatureLength
    )
}

/// Checks a signature with a public key, between raw pointers.
///
/// - Returns: `errSecSuccess`, `errSSLCrypto` or `errSecParam`.
@_disfavoredOverload
@discardableResult
public func SecKeyRawVerify(
    _ key: SecKey,
    _ padding: SecPadding,
    _ signedData: UnsafeRawPointer,
    _ signedDataLength: Int,
    _ signature: UnsafeRawPointer,
    _ signatureLength: Int
) -> OSStatus {
    guard signatureLength >= 0 else { return errSecParam }
    let signature = NSData(bytes: signature, length: signatureLength)
    return OlderCall(signedData, signedDataLength).perform { (data) throws(KeyError) in
        try key.verify(signature, of: data, padding.signatureAlgorithm(of: key, data.length))
    }
}

/// Encrypts with an RSA public key.
///
/// - Parameters:
///   - key: the public key.
///   - padding: `.PKCS1`, `.OAEP` (with SHA-1), or none for the bytes as a number.
///   - plainText: the bytes.
///   - plainTextLength: its length in bytes.
///   - cipherText: receives the ciphertext.
///   - cipherTextLength: the size of the buffer; receives the length of the ciphertext: the block size.
/// - Returns: `errSecSuccess`; `errSecParam` for another padding or key, too much data, or a buffer that is too small;
///   nothing is then written.
@discardableResult
public func SecKeyEncrypt(
    _ key: SecKey,
    _ padding: SecPadding,
    _ plainText: UnsafePointer<UInt8>,
    _ plainTextLength: Int,
    _ cipherText: UnsafeMutablePointer<UInt8>,
    _ cipherTextLength: UnsafeMutablePointer<Int>
) -> OSStatus {
    SecKeyEncrypt(
        key,
        padding,
        UnsafeRawPointer(plainText),
        plainTextLength,
        UnsafeMutableRawPointer(cipherText),
        cipherTextLength
    )
}

/// Encrypts with an RSA public key, between raw pointers.
///
/// - Returns: `errSecSuccess` or `errSecParam`.
@_disfavoredOverload
@discardableResult
public func SecKeyEncrypt(
    _ key: SecKey,
    _ padding: SecPadding,
    _ plainText: UnsafeRawPointer,
    _ plainTextLength: Int,
    _ cipherText: UnsafeMutableRawPointer,
    _ cipherTextLength: UnsafeMutablePointer<Int>
) -> OSStatus {
    OlderCall(plainText, plainTextLength).perform(into: cipherText, count: cipherTextLength) {
        (data) throws(KeyError) in
        SecretBytes(try key.encrypt(data, padding.encryptionAlgorithm))
    }
}

/// Decrypts with an RSA private key.
///
/// - Parameters:
///   - key: the private key.
///   - padding: that of `SecKeyEncrypt`.
///   - cipherText: the ciphertext.
///   - cipherTextLength: its length.
///   - plainText: receives the plaintext, without padding without its leading zeros.
///   - plainTextLength: the size of the buffer; receives the length of the plaintext.
/// - Returns: `errSecSuccess`; `errSecParam` for another padding or key, a ciphertext that was not created for the key,
///   or a buffer that is too small; nothing is then written.
@discardableResult
public func SecKeyDecrypt(
    _ key: SecKey,
    _ padding: SecPadding,
    _ cipherText: UnsafePointer<UInt8>,
    _ cipherTextLength: Int,
    _ plainText: UnsafeMutablePointer<UInt8>,
    _ plainTextLength: UnsafeMutablePointer<Int>
) -> OSStatus {
    SecKeyDecrypt(
        key,
        padding,
        UnsafeRawPointer(cipherText),
        cipherTextLength,
        UnsafeMutableRawPointer(plainText),
        plainTextLength
    )
}

/// Decrypts with an RSA private key, between raw pointers.
///
/// - Returns: `errSecSuccess` or `errSecParam`.
@_disfavoredOverload
@discardableResult
public func SecKeyDecrypt(
    _ key: SecKey,
    _ padding: SecPadding,
    _ cipherText: UnsafeRawPointer,
    _ cipherTextLength: Int,
    _ plainText: UnsafeMutableRawPointer,
    _ plainTextLength: UnsafeMutablePointer<Int>
) -> OSStatus {
    OlderCall(cipherText, cipherTextLength).perform(into: plainText, count: plainTextLength) {
        (data) throws(KeyError) in
        let block = try key.decrypt(data, padding.encryptionAlgorithm)
        guard padding.isEmpty else { return block }
        return block.withUnsafeBytes { SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0.drop { $0 == 0 })) }
    }
}

// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Functions on keys, declared so that code compiles. This version makes no key, so those that make one fail with
// errSecUnimplemented, and the others cannot be called with anything.

/// Makes a random key; not implemented yet.
///
/// - Returns: `nil`, with `errSecUnimplemented` in `error`.
@discardableResult
public func SecKeyCreateRandomKey(
    _ parameters: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    unimplemented(error)
}

/// Makes a key from its external representation; not implemented yet.
///
/// - Returns: `nil`, with `errSecUnimplemented` in `error`.
@discardableResult
public func SecKeyCreateWithData(
    _ keyData: CFData,
    _ attributes: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    unimplemented(error)
}

/// Makes a key pair; not implemented yet.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func SecKeyGeneratePair(
    _ parameters: CFDictionary,
    _ publicKey: UnsafeMutablePointer<SecKey?>?,
    _ privateKey: UnsafeMutablePointer<SecKey?>?
) -> OSStatus {
    errSecUnimplemented
}

/// The external representation of a key; not implemented yet.
///
/// - Returns: `nil`, with `errSecUnimplemented` in `error`.
@discardableResult
public func SecKeyCopyExternalRepresentation(
    _ key: SecKey,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unimplemented(error)
}

/// The public key of a private key; not implemented yet.
@discardableResult
public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey? { nil }

/// The attributes of a key; not implemented yet.
@discardableResult
public func SecKeyCopyAttributes(_ key: SecKey) -> CFDictionary? { nil }

/// The block size of a key in bytes; not implemented yet.
@discardableResult
public func SecKeyGetBlockSize(_ key: SecKey) -> Int { 0 }

/// Whether a key can carry out an algorithm; not implemented yet.
@discardableResult
public func SecKeyIsAlgorithmSupported(
    _ key: SecKey,
    _ operation: SecKeyOperationType,
    _ algorithm: SecKeyAlgorithm
) -> Bool {
    false
}

/// Signs; not implemented yet.
///
/// - Returns: `nil`, with `errSecUnimplemented` in `error`.
@discardableResult
public func SecKeyCreateSignature(
    _ key: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ dataToSign: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unimplemented(error)
}

/// Checks a signature; not implemented yet.
///
/// - Returns: `false`, with `errSecUnimplemented` in `error`.
@discardableResult
public func SecKeyVerifySignature(
    _ key: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ signedData: CFData,
    _ signature: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> Bool {
    SecurityError.hand(errSecUnimplemented, to: error)
    return false
}

/// Encrypts; not implemented yet.
///
/// - Returns: `nil`, with `errSecUnimplemented` in `error`.
@discardableResult
public func SecKeyCreateEncryptedData(
    _ key: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ plaintext: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unimplemented(error)
}

/// Decrypts; not implemented yet.
///
/// - Returns: `nil`, with `errSecUnimplemented` in `error`.
@discardableResult
public func SecKeyCreateDecryptedData(
    _ key: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ ciphertext: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unimplemented(error)
}

/// Agrees on a secret; not implemented yet.
///
/// - Returns: `nil`, with `errSecUnimplemented` in `error`.
@discardableResult
public func SecKeyCopyKeyExchangeResult(
    _ privateKey: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ publicKey: SecKey,
    _ parameters: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unimplemented(error)
}

private func unimplemented<Result>(_ error: UnsafeMutablePointer<Unmanaged<CFError>?>?) -> Result? {
    SecurityError.hand(errSecUnimplemented, to: error)
    return nil
}

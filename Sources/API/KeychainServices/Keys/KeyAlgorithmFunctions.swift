// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainCore
import KeychainKeys

/// Whether a key carries out an operation with an algorithm.
@discardableResult
public func SecKeyIsAlgorithmSupported(
    _ key: SecKey,
    _ operation: SecKeyOperationType,
    _ algorithm: SecKeyAlgorithm
) -> Bool {
    guard let algorithm = KeyAlgorithm(algorithm.rawValue as String) else { return false }
    return switch key.half {
    case .private(let key): key.supports(operation.operation, algorithm)
    case .public(let key): key.supports(operation.operation, algorithm)
    }
}

/// Signs with a private key.
///
/// - Parameters:
///   - key: the private key.
///   - algorithm: an algorithm that signs a message, a digest or bytes.
///   - dataToSign: the input of the algorithm.
///   - error: receives the reason for a failure.
/// - Returns: The signature; `nil` with `errSecParam` for an algorithm that the key does not support, or a digest of a
///   wrong length.
@discardableResult
public func SecKeyCreateSignature(
    _ key: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ dataToSign: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    SecurityError.passingError(to: error) { () throws(KeyError) in
        try NSData(key.signature(of: dataToSign, KeyAlgorithm(supported: algorithm)))
    }
}

/// Checks a signature with a public key.
///
/// - Parameters:
///   - key: the public key.
///   - algorithm: the algorithm that signed.
///   - signedData: the input of the algorithm.
///   - signature: the signature.
///   - error: receives the reason for a failure: `errSecVerifyFailed` for a signature that does not match,
///     `errSecParam`
///     for an algorithm that the key does not support.
/// - Returns: Whether the signature is valid for the key and the data.
@discardableResult
public func SecKeyVerifySignature(
    _ key: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ signedData: CFData,
    _ signature: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> Bool {
    let result: Void? = SecurityError.passingError(to: error) { () throws(KeyError) in
        try key.verify(signature, of: signedData, KeyAlgorithm(supported: algorithm))
    }
    return result != nil
}

/// Encrypts with a public key.
///
/// - Parameters:
///   - key: the public key.
///   - algorithm: an algorithm that encrypts.
///   - plaintext: at most as much as the algorithm accepts.
///   - error: receives the reason for a failure.
/// - Returns: The ciphertext; `nil` with `errSecParam` for an algorithm that the key does not support, or too much
///   data.
@discardableResult
public func SecKeyCreateEncryptedData(
    _ key: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ plaintext: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    SecurityError.passingError(to: error) { () throws(KeyError) in
        try NSData(key.encrypt(plaintext, KeyAlgorithm(supported: algorithm)))
    }
}

/// Decrypts with a private key.
///
/// - Parameters:
///   - key: the private key.
///   - algorithm: the algorithm that encrypted.
///   - ciphertext: the result of ``SecKeyCreateEncryptedData(_:_:_:_:)``.
///   - error: receives the reason for a failure.
/// - Returns: The plaintext; `nil` with `errSecParam` for an algorithm that the key does not support, and for any
///   ciphertext that was not created for the key.
@discardableResult
public func SecKeyCreateDecryptedData(
    _ key: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ ciphertext: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    SecurityError.passingError(to: error) { () throws(KeyError) in
        try NSData(key.decrypt(ciphertext, KeyAlgorithm(supported: algorithm)))
    }
}

/// Agrees on a secret with the owner of another key.
///
/// - Parameters:
///   - privateKey: the own private key.
///   - algorithm: an algorithm of key exchange.
///   - publicKey: the other party's public key, on the same curve.
///   - parameters: with a key derivation function ``SecKeyKeyExchangeParameter/requestedSize``, the number of bytes to
///     derive, at most a mebibyte, and ``SecKeyKeyExchangeParameter/sharedInfo``, data that both sides mix in;
///     otherwise ignored.
///   - error: receives the reason for a failure.
/// - Returns: The secret; `nil` with `errSecParam` for an algorithm or a key that does not match, or a missing size.
@discardableResult
public func SecKeyCopyKeyExchangeResult(
    _ privateKey: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ publicKey: SecKey,
    _ parameters: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    SecurityError.passingError(to: error) { () throws(KeyError) in
        let algorithm = try KeyAlgorithm(supported: algorithm)
        guard case .private(let key) = privateKey.half else { throw KeyError.unsupportedAlgorithm }
        guard case .public(let other) = publicKey.half else { throw KeyError.parameter("the other key is not public") }
        let size = parameters.object(forKey: SecKeyKeyExchangeParameter.requestedSize.rawValue) as? NSNumber
        let info = parameters.object(forKey: SecKeyKeyExchangeParameter.sharedInfo.rawValue) as? Data
        return NSData(
            try key.keyExchange(
                with: other,
                algorithm,
                requestedSize: size.map(\.intValue),
                sharedInfo: info.map { Array($0) } ?? []
            )
        )
    }
}

extension KeyAlgorithm {
    /// The algorithm of a name.
    init(supported algorithm: SecKeyAlgorithm) throws(KeyError) {
        guard let algorithm = KeyAlgorithm(algorithm.rawValue as String) else { throw .unsupportedAlgorithm }
        self = algorithm
    }
}

extension SecKeyOperationType {
    fileprivate var operation: KeyOperation {
        switch self {
        case .sign: .sign
        case .verify: .verify
        case .encrypt: .encrypt
        case .decrypt: .decrypt
        case .keyExchange: .keyExchange
        }
    }
}

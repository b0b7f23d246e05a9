// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainCore
import KeychainKeys

/// Generates a key pair, and stores the permanent keys.
///
/// - Parameters:
///   - parameters: `kSecAttrKeyType`, as the string, and `kSecAttrKeySizeInBits`: 256, 384 or 521 on a curve, 1024 to
///     8192 in steps of 128 for RSA. With `kSecAttrIsPermanent`, the Boolean true, keys are added to the keychain, with
///     the attributes of `kSecPrivateKeyAttrs`, `kSecPublicKeyAttrs` and the top level (Semantics, "Creating keys").
///   - error: receives the reason for a failure.
/// - Returns: The private key; `nil` with `errSecParam` for an unsupported type or size, with `errSecItemNotFound` for
///   a token that does not exist, or with the status of `SecItemAdd`; then nothing is stored.
@discardableResult
public func SecKeyCreateRandomKey(
    _ parameters: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    SecurityError.passingError(to: error) { () throws(KeychainError) in try makeKey(parameters) }
}

/// Generates a key pair like ``SecKeyCreateRandomKey(_:_:)``.
///
/// - Parameters:
///   - parameters: those of ``SecKeyCreateRandomKey(_:_:)``.
///   - publicKey: receives the public key.
///   - privateKey: receives the private key.
/// - Returns: `errSecSuccess`, or the status with which ``SecKeyCreateRandomKey(_:_:)`` fails.
@discardableResult
public func SecKeyGeneratePair(
    _ parameters: CFDictionary,
    _ publicKey: UnsafeMutablePointer<SecKey?>?,
    _ privateKey: UnsafeMutablePointer<SecKey?>?
) -> OSStatus {
    do throws(KeychainError) {
        let key = try makeKey(parameters)
        publicKey?.pointee = SecKey(key.publicKey)
        privateKey?.pointee = key
        return errSecSuccess
    } catch {
        return error.status.rawValue
    }
}

/// Creates a key from its external representation.
///
/// - Parameters:
///   - keyData: 04 ‖ X ‖ Y or 04 ‖ X ‖ Y ‖ K (ANSI X9.63) of a curve's key, an `RSAPublicKey` or `RSAPrivateKey` (PKCS
///     #1) of an RSA key (Semantics, "External representations of keys").
///   - attributes: `kSecAttrKeyType` and `kSecAttrKeyClass`, as strings or numbers.
///   - error: receives the reason for a failure.
/// - Returns: The key; `nil` with `errSecParam` for anything else, with `errSecUnimplemented` for a symmetric key.
@discardableResult
public func SecKeyCreateWithData(
    _ keyData: CFData,
    _ attributes: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    SecurityError.passingError(to: error) { () throws(KeychainError) in
        let attributes = PropertyDictionary(attributes)
        let data = keyData.withBytes { SecretBytes(copying: $0) }
        if attributes[AttributeName.tokenID.description] != nil {
            guard let key = SecKey(KeyReference(attributes: attributes.entries.dictionary, data: data)) else {
                throw .parameter("the data is no key of the token")
            }
            return key
        }
        return try SecKey(data, type: attributes["type"]?.name, keyClass: attributes["kcls"]?.name)
    }
}

private func makeKey(_ dictionary: NSDictionary) throws(KeychainError) -> SecKey {
    let parameters = KeyPairParameters(dictionary)
    if parameters.tokenID != nil { return try EnclaveKeys.randomKey(parameters) }
    if parameters.isPrivateKeyPermanent { try parameters.checkNestedToken() }
    guard let type = parameters.type.flatMap({ KeyType(attributeValue: $0) }) else {
        throw .parameter("the key type is missing or not supported")
    }
    guard let sizeInBits = parameters.sizeInBits else { throw .parameter("the key size is missing") }
    let key: SecKey
    do throws(KeyError) {
        key = SecKey(try PrivateKey(generating: type, sizeInBits: sizeInBits))
    } catch {
        throw KeychainError(error)
    }
    try KeyStorage.add(key, as: parameters)
    return key
}

// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCertificates

/// Combines a certificate and its private key into an identity; nothing is stored.
///
/// - Parameters:
///   - allocator: ignored.
///   - certificate: the certificate.
///   - privateKey: the private key.
/// - Returns: The identity; `nil` if the key is not the private key for the certificate's public key.
@discardableResult
public func SecIdentityCreate(
    _ allocator: CFAllocator?,
    _ certificate: SecCertificate,
    _ privateKey: SecKey
) -> SecIdentity? {
    SecIdentity(certificate, privateKey)
}

/// The certificate of an identity.
///
/// - Parameters:
///   - identity: the identity.
///   - certificate: receives the certificate.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecIdentityCopyCertificate(
    _ identity: SecIdentity,
    _ certificate: UnsafeMutablePointer<SecCertificate?>
) -> OSStatus {
    certificate.pointee = identity.certificate
    return errSecSuccess
}

/// The private key of an identity.
///
/// - Parameters:
///   - identity: the identity.
///   - privateKey: receives the key.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecIdentityCopyPrivateKey(_ identity: SecIdentity, _ privateKey: UnsafeMutablePointer<SecKey?>) -> OSStatus
{
    privateKey.pointee = identity.privateKey
    return errSecSuccess
}

/// The identity of a certificate whose private key is in the keychain; the certificate need not be stored.
///
/// - Parameters:
///   - keychainOrArray: ignored, because there is one keychain.
///   - certificate: the certificate.
///   - identity: receives the identity; unchanged on failure.
/// - Returns: `errSecSuccess`; `errSecItemNotFound` without the key, or the status of the search for it.
@discardableResult
public func SecIdentityCreateWithCertificate(
    _ keychainOrArray: CFTypeRef?,
    _ certificate: SecCertificate,
    _ identity: UnsafeMutablePointer<SecIdentity?>
) -> OSStatus {
    let query: [CFString: Any] = [
        kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
        kSecAttrApplicationLabel: Data(certificate.certificate.publicKeyHash),
        kSecAttrSynchronizable: kSecAttrSynchronizableAny,
        kSecReturnRef: true, kSecMatchLimit: kSecMatchLimitAll, kSecUseDataProtectionKeychain: true,
    ]
    var result: CFTypeRef?
    let status = SecItemCopyMatching(query as CFDictionary, &result)
    guard status == errSecSuccess else { return status }
    // Rows can have a key's label without being its key.
    let keys = result as? [SecKey] ?? []
    guard let made = keys.lazy.compactMap({ SecIdentity(certificate, $0) }).first else { return errSecItemNotFound }
    identity.pointee = made
    return errSecSuccess
}

// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Functions on certificates and identities, declared so that code compiles. This version makes neither, so those that
// make one fail, and the others cannot be called with anything.

/// Makes a certificate from its DER encoding; not implemented yet.
@discardableResult
public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? { nil }

/// The DER encoding of a certificate; not implemented yet.
@discardableResult
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { NSData() }

/// The public key of a certificate; not implemented yet.
@discardableResult
public func SecCertificateCopyKey(_ certificate: SecCertificate) -> SecKey? { nil }

/// A name for the subject of a certificate; not implemented yet.
@discardableResult
public func SecCertificateCopySubjectSummary(_ certificate: SecCertificate) -> CFString? { nil }

/// The normalized issuer of a certificate; not implemented yet.
@discardableResult
public func SecCertificateCopyNormalizedIssuerSequence(_ certificate: SecCertificate) -> CFData? { nil }

/// The normalized subject of a certificate; not implemented yet.
@discardableResult
public func SecCertificateCopyNormalizedSubjectSequence(_ certificate: SecCertificate) -> CFData? { nil }

/// Puts a certificate and its key together; not implemented yet.
@discardableResult
public func SecIdentityCreate(
    _ allocator: CFAllocator?,
    _ certificate: SecCertificate,
    _ privateKey: SecKey
) -> SecIdentity? { nil }

/// The serial number of a certificate; not implemented yet.
///
/// - Returns: `nil`, with `errSecUnimplemented` in `error`.
@discardableResult
public func SecCertificateCopySerialNumberData(
    _ certificate: SecCertificate,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    SecurityError.hand(errSecUnimplemented, to: error)
    return nil
}

/// The common name of a certificate; not implemented yet.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func SecCertificateCopyCommonName(
    _ certificate: SecCertificate,
    _ commonName: UnsafeMutablePointer<CFString?>
) -> OSStatus {
    errSecUnimplemented
}

/// The e-mail addresses of a certificate; not implemented yet.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func SecCertificateCopyEmailAddresses(
    _ certificate: SecCertificate,
    _ emailAddresses: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    errSecUnimplemented
}

/// The public key of a certificate, in the older form; not implemented yet.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func SecCertificateCopyPublicKey(_ certificate: SecCertificate, _ key: UnsafeMutablePointer<SecKey?>) -> OSStatus
{
    errSecUnimplemented
}

/// The certificate of an identity; not implemented yet.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func SecIdentityCopyCertificate(
    _ identity: SecIdentity,
    _ certificate: UnsafeMutablePointer<SecCertificate?>
) -> OSStatus {
    errSecUnimplemented
}

/// The private key of an identity; not implemented yet.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func SecIdentityCopyPrivateKey(_ identity: SecIdentity, _ privateKey: UnsafeMutablePointer<SecKey?>) -> OSStatus
{
    errSecUnimplemented
}

/// The identity of a certificate whose key is in a keychain; not implemented yet.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func SecIdentityCreateWithCertificate(
    _ keychainOrArray: CFTypeRef?,
    _ certificate: SecCertificate,
    _ identity: UnsafeMutablePointer<SecIdentity?>
) -> OSStatus {
    errSecUnimplemented
}

/// Reads the identities of a PKCS #12 file; not implemented yet.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func SecPKCS12Import(
    _ data: CFData,
    _ options: CFDictionary,
    _ items: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    errSecUnimplemented
}

// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainCertificates
import KeychainCore
import KeychainKeys

/// Creates a certificate from its DER encoding.
///
/// - Parameters:
///   - allocator: ignored.
///   - data: the certificate, without trailing bytes.
/// - Returns: The certificate; `nil` if the bytes are not one.
@discardableResult
public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? {
    (try? Certificate(der: Array(data as Data))).map(SecCertificate.init(_:))
}

/// The DER encoding of a certificate.
@discardableResult
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData {
    NSData(data: Data(certificate.certificate.der))
}

/// The public key of a certificate.
///
/// - Returns: The key; `nil` for a kind of key that is not implemented.
@discardableResult
public func SecCertificateCopyKey(_ certificate: SecCertificate) -> SecKey? {
    (try? PublicKey(subjectPublicKeyInfo: certificate.certificate.subjectPublicKeyInfo)).map { SecKey($0) }
}

/// A human-readable name for the subject of a certificate.
///
/// - Returns: The common names, the most specific one first, followed by the description; else an e-mail address or a
///   DNS name; else another part of the subject; `nil` if none is text (Semantics, "Computed attributes").
@discardableResult
public func SecCertificateCopySubjectSummary(_ certificate: SecCertificate) -> CFString? {
    certificate.certificate.subjectSummary.map { NSString(string: $0) }
}

/// The normalized name of the issuer as a DER SEQUENCE (Semantics, "Computed attributes").
@discardableResult
public func SecCertificateCopyNormalizedIssuerSequence(_ certificate: SecCertificate) -> CFData? {
    NSData(data: Data(certificate.certificate.normalizedIssuerSequence))
}

/// The normalized name of the subject as a DER SEQUENCE (Semantics, "Computed attributes").
@discardableResult
public func SecCertificateCopyNormalizedSubjectSequence(_ certificate: SecCertificate) -> CFData? {
    NSData(data: Data(certificate.certificate.normalizedSubjectSequence))
}

/// The content octets of the serial number of a certificate.
///
/// - Parameters:
///   - certificate: the certificate.
///   - error: not set, because there is always a serial number.
/// - Returns: The octets, without tag and length.
@discardableResult
public func SecCertificateCopySerialNumberData(
    _ certificate: SecCertificate,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    NSData(data: Data(certificate.certificate.serialNumber))
}

/// The common name of the subject of a certificate.
///
/// - Parameters:
///   - certificate: the certificate.
///   - commonName: receives the name; the most specific one of several, `nil` if there is none.
/// - Returns: `errSecSuccess`; `errSecInternal` (-26276) without a common name.
@discardableResult
public func SecCertificateCopyCommonName(
    _ certificate: SecCertificate,
    _ commonName: UnsafeMutablePointer<CFString?>
) -> OSStatus {
    commonName.pointee = certificate.certificate.commonName.map { NSString(string: $0) }
    return commonName.pointee == nil ? Status.internal.rawValue : errSecSuccess
}

/// The e-mail addresses of the subject of a certificate: of its alternative names, then of its name.
///
/// - Parameters:
///   - certificate: the certificate.
///   - emailAddresses: receives the array of strings, which may be empty.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecCertificateCopyEmailAddresses(
    _ certificate: SecCertificate,
    _ emailAddresses: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    emailAddresses.pointee = NSArray(array: certificate.certificate.emailAddresses.map { NSString(string: $0) })
    return errSecSuccess
}

/// The public key of a certificate, in the older form.
///
/// - Parameters:
///   - certificate: the certificate.
///   - key: receives the key.
/// - Returns: `errSecSuccess`; `errSecUnsupportedKeyFormat` for a kind of key that is not implemented.
@discardableResult
public func SecCertificateCopyPublicKey(_ certificate: SecCertificate, _ key: UnsafeMutablePointer<SecKey?>) -> OSStatus
{
    key.pointee = SecCertificateCopyKey(certificate)
    return key.pointee == nil ? errSecUnsupportedKeyFormat : errSecSuccess
}

/// When a certificate becomes valid.
@discardableResult
public func SecCertificateCopyNotValidBeforeDate(_ certificate: SecCertificate) -> CFDate? {
    NSDate(timeIntervalSinceReferenceDate: certificate.certificate.validity.notBefore.secondsSinceReferenceDate)
}

/// When a certificate is valid for the last time.
@discardableResult
public func SecCertificateCopyNotValidAfterDate(_ certificate: SecCertificate) -> CFDate? {
    NSDate(timeIntervalSinceReferenceDate: certificate.certificate.validity.notAfter.secondsSinceReferenceDate)
}

// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainCertificates
import KeychainCore

/// Returns the fields of a certificate.
///
/// - Parameters:
///   - certificate: the certificate.
///   - keys: an array of the requested fields, constants named `kSecOID…`; `nil` for all.
///   - error: receives an error: `errSecParam` for an array of anything except strings.
/// - Returns: A dictionary by the fields that the certificate has. Each value is a dictionary with
///   `kSecPropertyKeyType`, `kSecPropertyKeyLabel`, `kSecPropertyKeyLocalizedLabel` and `kSecPropertyKeyValue`
///   (Semantics, "Properties of a certificate").
@discardableResult
public func SecCertificateCopyValues(
    _ certificate: SecCertificate,
    _ keys: CFArray?,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFDictionary? {
    var properties = certificate.certificate.properties
    if let keys {
        let names = keys.compactMap { $0 as? String }
        guard names.count == keys.count else {
            SecurityError.hand(errSecParam, "the keys are not all strings", to: error)
            return nil
        }
        let wanted = Set(names)
        properties = properties.filter { wanted.contains($0.key) }
    }
    let values = NSMutableDictionary()
    for (type, property) in properties { values.setObject(property.dictionary, forKey: NSString(string: type)) }
    return values
}

/// The content octets of the serial number of a certificate, under an older name.
///
/// - Returns: The same as of ``SecCertificateCopySerialNumberData(_:_:)``.
@discardableResult
public func SecCertificateCopySerialNumber(
    _ certificate: SecCertificate,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    SecCertificateCopySerialNumberData(certificate, error)
}

/// A description of the subject, longer than ``SecCertificateCopySubjectSummary(_:)``.
///
/// - Important: Differs from Apple, whose text is not documented: here it contains the names of the subject and of the
///   issuer.
///
/// - Parameters:
///   - allocator: ignored.
///   - certificate: the certificate.
///   - error: not set.
/// - Returns: The text.
@discardableResult
public func SecCertificateCopyLongDescription(
    _ allocator: CFAllocator?,
    _ certificate: SecCertificate,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFString? {
    NSString(string: certificate.certificate.longDescription)
}

/// The subject of a certificate: the same as ``SecCertificateCopySubjectSummary(_:)``.
///
/// - Returns: The text; `nil` if no name of the subject is text, with `errSecInternal` in `error`.
@discardableResult
public func SecCertificateCopyShortDescription(
    _ allocator: CFAllocator?,
    _ certificate: SecCertificate,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFString? {
    guard let summary = SecCertificateCopySubjectSummary(certificate) else {
        SecurityError.hand(Status.internal.rawValue, "no name of the subject is text", to: error)
        return nil
    }
    return summary
}

/// The normalized name of the issuer, as the older function gives it: the content of the SEQUENCE without its tag.
@discardableResult
public func SecCertificateCopyNormalizedIssuerContent(
    _ certificate: SecCertificate,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    NSData(certificate.certificate.normalizedIssuer)
}

/// The normalized name of the subject, as the older function gives it: the content of the SEQUENCE without its tag.
@discardableResult
public func SecCertificateCopyNormalizedSubjectContent(
    _ certificate: SecCertificate,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    NSData(certificate.certificate.normalizedSubject)
}

/// Adds a certificate to a keychain file.
///
/// - Parameters:
///   - certificate: the certificate.
///   - keychain: the keychain; the default one for `nil`.
/// - Returns: `errSecSuccess`, `errSecDuplicateItem`, `errSecNoDefaultKeychain`.
@discardableResult
public func SecCertificateAddToKeychain(_ certificate: SecCertificate, _ keychain: SecKeychain?) -> OSStatus {
    FileCall.status { (files) throws(KeychainError) in
        let item: PropertyDictionary = [
            PropertyKey.valueReference: .reference(.certificate(certificate.certificate.reference)),
            PropertyKey.useKeychain: .keychain(try files.path(keychain)),
        ]
        _ = try files.item(.add(item))
    }
}

extension CertificateProperty {
    /// The property with the keys that Apple's dictionaries have.
    fileprivate var dictionary: NSDictionary {
        let (type, object) = value.parts
        let label = NSString(string: label)
        return NSDictionary(
            objects: [type, label, label, object],
            forKeys: [kSecPropertyKeyType, kSecPropertyKeyLabel, kSecPropertyKeyLocalizedLabel, kSecPropertyKeyValue]
        )
    }
}

extension CertificateProperty.Value {
    fileprivate var parts: (type: CFString, object: NSObject) {
        switch self {
        case .string(let text): (kSecPropertyTypeString, NSString(string: text))
        case .data(let bytes): (kSecPropertyTypeData, NSData(bytes))
        case .number(let number): (kSecPropertyTypeNumber, NSNumber(value: number))
        case .date(let date):
            (kSecPropertyTypeDate, NSDate(timeIntervalSinceReferenceDate: date.secondsSinceReferenceDate))
        case .address(let text): Self.address(text)
        case .list(let members): (kSecPropertyTypeArray, NSArray(array: members.map { NSData($0) }))
        case .section(let members): (kSecPropertyTypeSection, NSArray(array: members.map(\.dictionary)))
        }
    }

    /// Text that is not a valid address stays text.
    ///
    /// Converting an `NSURL` that is not a valid `URL` would end the process.
    private static func address(_ text: String) -> (type: CFString, object: NSObject) {
        guard URL(string: text, encodingInvalidCharacters: false) != nil, let url = NSURL(string: text) else {
            return (kSecPropertyTypeString, NSString(string: text))
        }
        return (kSecPropertyTypeURL, url)
    }
}

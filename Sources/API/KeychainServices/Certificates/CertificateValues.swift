// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainCertificates
import KeychainCore

/// What a certificate says, field by field.
///
/// - Parameters:
///   - certificate: the certificate.
///   - keys: an array of the fields that are wanted, constants of the names `kSecOID…`; `nil` for all.
///   - error: where an error goes: `errSecParam` for an array of anything else than strings.
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

/// Whose certificate it is, in more words than ``SecCertificateCopySubjectSummary(_:)``.
///
/// - Important: Differs from Apple, whose text is not documented: here it is the names of the subject and of the
///   issuer.
///
/// - Parameters:
///   - allocator: has no effect.
///   - certificate: the certificate.
///   - error: is left alone.
/// - Returns: The text.
@discardableResult
public func SecCertificateCopyLongDescription(
    _ allocator: CFAllocator?,
    _ certificate: SecCertificate,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFString? {
    NSString(string: certificate.certificate.longDescription)
}

/// Whose certificate it is: the same as ``SecCertificateCopySubjectSummary(_:)``.
///
/// - Returns: The text; `nil` when no name of the subject is text, with `errSecInternal` in `error`.
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

    /// An address that is none is text.
    ///
    /// An `NSURL` that is no `URL` would end the process of whoever converts it.
    private static func address(_ text: String) -> (type: CFString, object: NSObject) {
        guard URL(string: text, encodingInvalidCharacters: false) != nil, let url = NSURL(string: text) else {
            return (kSecPropertyTypeString, NSString(string: text))
        }
        return (kSecPropertyTypeURL, url)
    }
}

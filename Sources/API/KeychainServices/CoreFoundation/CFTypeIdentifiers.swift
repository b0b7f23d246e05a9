// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The class of an object, as far as this module distinguishes classes.
private enum TypeIdentifier: CFTypeID {
    case unknown = 1
    case string, data, boolean, number, date, array, dictionary, set, error, null, url
    case accessControl, key, certificate, identity, policy, trust
    case keychain, keychainItem, access, trustedApplication, acl
    case messageDecoder, messageEncoder

    init(_ object: AnyObject?) {
        switch object {
        case let number as NSNumber: self = number.isBoolean ? .boolean : .number
        case is NSString: self = .string
        case is NSData: self = .data
        case is NSDate: self = .date
        case is NSArray: self = .array
        case is NSDictionary: self = .dictionary
        case is NSSet: self = .set
        case is NSError: self = .error
        case is NSNull: self = .null
        case is NSURL: self = .url
        case is SecAccessControl: self = .accessControl
        case is SecKey: self = .key
        case is SecCertificate: self = .certificate
        case is SecIdentity: self = .identity
        case is SecPolicy: self = .policy
        case is SecTrust: self = .trust
        case is SecKeychain: self = .keychain
        case is SecKeychainItem: self = .keychainItem
        case is SecAccess: self = .access
        case is SecTrustedApplication: self = .trustedApplication
        case is SecACL: self = .acl
        case is CMSDecoder: self = .messageDecoder
        case is CMSEncoder: self = .messageEncoder
        default: self = .unknown
        }
    }
}

extension NSNumber {
    /// Whether the number is one of the two truth values, which on Linux are shared objects.
    var isBoolean: Bool { self === kCFBooleanTrue || self === kCFBooleanFalse }
}

/// Identifies the class of an object; a Boolean is distinguished from a number.
@discardableResult
public func CFGetTypeID(_ object: CFTypeRef!) -> CFTypeID { TypeIdentifier(object).rawValue }

/// The identifier of strings.
@discardableResult
public func CFStringGetTypeID() -> CFTypeID { TypeIdentifier.string.rawValue }
/// The identifier of data.
@discardableResult
public func CFDataGetTypeID() -> CFTypeID { TypeIdentifier.data.rawValue }
/// The identifier of truth values.
@discardableResult
public func CFBooleanGetTypeID() -> CFTypeID { TypeIdentifier.boolean.rawValue }
/// The identifier of numbers.
@discardableResult
public func CFNumberGetTypeID() -> CFTypeID { TypeIdentifier.number.rawValue }
/// The identifier of dates.
@discardableResult
public func CFDateGetTypeID() -> CFTypeID { TypeIdentifier.date.rawValue }
/// The identifier of arrays.
@discardableResult
public func CFArrayGetTypeID() -> CFTypeID { TypeIdentifier.array.rawValue }
/// The identifier of dictionaries.
@discardableResult
public func CFDictionaryGetTypeID() -> CFTypeID { TypeIdentifier.dictionary.rawValue }
/// The identifier of sets.
@discardableResult
public func CFSetGetTypeID() -> CFTypeID { TypeIdentifier.set.rawValue }
/// The identifier of errors.
@discardableResult
public func CFErrorGetTypeID() -> CFTypeID { TypeIdentifier.error.rawValue }
/// The identifier of the null object.
@discardableResult
public func CFNullGetTypeID() -> CFTypeID { TypeIdentifier.null.rawValue }
/// The identifier of access controls.
@discardableResult
public func SecAccessControlGetTypeID() -> CFTypeID { TypeIdentifier.accessControl.rawValue }
/// The identifier of keys.
@discardableResult
public func SecKeyGetTypeID() -> CFTypeID { TypeIdentifier.key.rawValue }
/// The identifier of certificates.
@discardableResult
public func SecCertificateGetTypeID() -> CFTypeID { TypeIdentifier.certificate.rawValue }
/// The identifier of identities.
@discardableResult
public func SecIdentityGetTypeID() -> CFTypeID { TypeIdentifier.identity.rawValue }
/// The identifier of policies.
@discardableResult
public func SecPolicyGetTypeID() -> CFTypeID { TypeIdentifier.policy.rawValue }
/// The identifier of trust objects.
@discardableResult
public func SecTrustGetTypeID() -> CFTypeID { TypeIdentifier.trust.rawValue }
/// The identifier of keychains.
@discardableResult
public func SecKeychainGetTypeID() -> CFTypeID { TypeIdentifier.keychain.rawValue }
/// The identifier of items of file-based keychains.
@discardableResult
public func SecKeychainItemGetTypeID() -> CFTypeID { TypeIdentifier.keychainItem.rawValue }
/// The identifier of access lists.
@discardableResult
public func SecAccessGetTypeID() -> CFTypeID { TypeIdentifier.access.rawValue }
/// The identifier of programs in access lists.
@discardableResult
public func SecTrustedApplicationGetTypeID() -> CFTypeID { TypeIdentifier.trustedApplication.rawValue }
/// The identifier of entries of access lists.
@discardableResult
public func SecACLGetTypeID() -> CFTypeID { TypeIdentifier.acl.rawValue }
/// The identifier of objects that read messages.
@discardableResult
public func CMSDecoderGetTypeID() -> CFTypeID { TypeIdentifier.messageDecoder.rawValue }
/// The identifier of objects that write messages.
@discardableResult
public func CMSEncoderGetTypeID() -> CFTypeID { TypeIdentifier.messageEncoder.rawValue }

// SPDX-License-Identifier: Apache-2.0

/// A value of a request or result dictionary, after conversion from Foundation objects.
///
/// Large and rare values are boxed, so that the others fit in three words.
package enum PropertyValue: Sendable, Hashable {
    /// `NSNull` or `CFNull`.
    case null
    /// A `CFBoolean`, distinguished from the numbers 0 and 1.
    case boolean(Bool)
    /// Any other `NSNumber`.
    case number(KeychainNumber)
    /// A string.
    case string(String)
    /// Bytes, secret or not.
    case data(SecretBytes)
    /// A date.
    case date(Timestamp)
    /// A UUID in its canonical text form.
    case uuid(String)
    /// An array.
    case array([PropertyValue])
    /// A `SecAccessControl`.
    indirect case accessControl(AccessControl)
    /// An `LAContext`.
    indirect case authenticationContext(AuthenticationContext)
    /// A `SecKey`, `SecCertificate`, `SecIdentity` or `SecKeychainItem`.
    indirect case reference(ItemReference)
    /// A `SecPolicy`.
    indirect case policy(CertificatePolicy)
    /// A `SecKeychain`: the path of its file.
    case keychain(String)
    /// A `SecAccess`.
    indirect case access(ItemAccess)
    /// A dictionary, or an array in an array: no key accepts one, and only whether it can be sent matters.
    case nested(Encodability)
    /// The number of bytes that were not copied because they exceed the size limit of an item.
    case oversizedData(Int)
    /// An object of another type, named by it; it cannot be sent.
    case object(String)

    /// Whether a value can be encoded for transmission to the keychain (Semantics, "Conversion and comparison of
    /// values").
    package enum Encodability: Sendable, Hashable {
        /// It can.
        case encodable
        /// It contains a number that is not a 64-bit integer.
        case fractional
        /// It has an object in it that has no encoding.
        case unencodable
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A value of a request or answer dictionary, after the Foundation objects have been left behind.
///
/// Large and rare values are boxed, so that the others fit in three words.
public enum PropertyValue: Sendable, Hashable {
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
    /// A `SecKey`, `SecCertificate` or `SecIdentity`.
    indirect case reference(ItemReference)
    /// A `SecPolicy`.
    indirect case policy(CertificatePolicy)
    /// A dictionary, or an array in an array: no key takes one, and only whether it can be sent matters.
    case nested(Encodability)
    /// So many bytes, which were not copied because no item can hold them.
    case oversizedData(Int)
    /// An object of another type, named by it; it cannot be sent.
    case object(String)

    /// Whether a value can be encoded in order to be sent to the keychain (Semantics, "Conversion and comparison of
    /// values").
    public enum Encodability: Sendable, Hashable {
        /// It can.
        case encodable
        /// It has a number in it that is no integer of 64 bits.
        case fractional
        /// It has an object in it that has no encoding.
        case unencodable
    }
}

/// A dictionary as a caller of the item functions gives it.
public struct PropertyDictionary: Sendable, Hashable {
    /// The entries whose key is a string.
    public var entries: [String: PropertyValue]

    /// The kinds of the keys that are not strings.
    public var foreignKeys: Set<ForeignKey>

    /// What a key can be that is not a string.
    public enum ForeignKey: Sendable, Hashable {
        /// A number, which names no attribute.
        case number(KeychainNumber)
        /// Anything else.
        case other
    }

    /// A dictionary of string keys.
    public init(_ entries: [String: PropertyValue] = [:], foreignKeys: Set<ForeignKey> = []) {
        self.entries = entries
        self.foreignKeys = foreignKeys
    }

    /// The value of one key.
    public subscript(key: String) -> PropertyValue? {
        get { entries[key] }
        set { entries[key] = newValue }
    }
}

extension PropertyDictionary: ExpressibleByDictionaryLiteral {
    /// A dictionary from literal entries; a key given twice keeps its last value.
    public init(dictionaryLiteral elements: (String, PropertyValue)...) {
        self.init(Dictionary(elements) { $1 })
    }
}

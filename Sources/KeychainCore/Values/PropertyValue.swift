// SPDX-License-Identifier: Apache-2.0

/// A value of a request or answer dictionary, after the Foundation objects have been left behind.
public enum PropertyValue: Sendable, Hashable {
    /// `NSNull` or `CFNull`.
    case null
    /// A `CFBoolean`, told apart from the numbers 0 and 1.
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
    case accessControl(AccessControl)
    /// An `LAContext`.
    case authenticationContext(AuthenticationContext)
    /// A `SecKey`, `SecCertificate` or `SecIdentity`.
    case reference(ItemReference)
    /// A `SecPolicy`.
    case policy(CertificatePolicy)
    /// An object of another type, named by it: a dictionary…
    case object(String)
}

/// A dictionary as a caller of the item functions gives it.
public struct PropertyDictionary: Sendable, Hashable {
    /// The entries whose key is a string.
    public var entries: [String: PropertyValue]

    /// Whether a key that is not a string was given.
    public var hasForeignKey: Bool

    /// A dictionary of string keys.
    public init(_ entries: [String: PropertyValue] = [:], hasForeignKey: Bool = false) {
        self.entries = entries
        self.hasForeignKey = hasForeignKey
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

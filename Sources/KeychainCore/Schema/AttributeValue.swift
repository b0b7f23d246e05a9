// SPDX-License-Identifier: Apache-2.0

/// The value of an attribute as it is stored and returned: the type that was given is kept.
public enum AttributeValue: Sendable, Hashable {
    /// A string.
    case string(String)
    /// Bytes; an attribute is not a secret in the sense of ``SecretBytes``.
    case data([UInt8])
    /// A number.
    case number(KeychainNumber)
    /// A date.
    case date(Timestamp)
    /// An access control made from flags.
    indirect case accessControl(AccessControl)

    /// The value as a caller sees it.
    public var property: PropertyValue {
        switch self {
        case .string(let text): .string(text)
        case .data(let bytes): .data(SecretBytes(bytes))
        case .number(let number): .number(number)
        case .date(let date): .date(date)
        case .accessControl(let accessControl): .accessControl(accessControl)
        }
    }
}

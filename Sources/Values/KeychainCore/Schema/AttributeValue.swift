// SPDX-License-Identifier: Apache-2.0

/// The value of an attribute as it is stored and returned: the given type is kept.
package enum AttributeValue: Sendable {
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
    package var property: PropertyValue {
        switch self {
        case .string(let text): .string(text)
        case .data(let bytes): .data(SecretBytes(bytes))
        case .number(let number): .number(number)
        case .date(let date): .date(date)
        case .accessControl(let accessControl): .accessControl(accessControl)
        }
    }
}

extension AttributeValue: Hashable {
    /// Whether both are of one type and equal; strings by their bytes (Semantics, "Conversion and comparison of
    /// values").
    package static func == (left: AttributeValue, right: AttributeValue) -> Bool {
        switch (left, right) {
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.data(let left), .data(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.date(let left), .date(let right)): left == right
        case (.accessControl(let left), .accessControl(let right)): left == right
        case (.string, _), (.data, _), (.number, _), (.date, _), (.accessControl, _): false
        }
    }

    /// Feeds the type and the value.
    package func hash(into hasher: inout Hasher) {
        switch self {
        case .string(let text):
            hasher.combine(0)
            hasher.combine(Array(text.utf8))
        case .data(let bytes):
            hasher.combine(1)
            hasher.combine(bytes)
        case .number(let number):
            hasher.combine(2)
            hasher.combine(number)
        case .date(let date):
            hasher.combine(3)
            hasher.combine(date)
        case .accessControl(let accessControl):
            hasher.combine(4)
            hasher.combine(accessControl)
        }
    }
}

extension AttributeValue {
    /// Whether a flag is set: a number other than 0.
    package var isTrue: Bool {
        guard case .number(let number) = self else { return false }
        return number != .integer(0) && number != .real(0)
    }
}

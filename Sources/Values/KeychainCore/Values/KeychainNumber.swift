// SPDX-License-Identifier: Apache-2.0

/// A number like in an `NSNumber`: a 64-bit integer or a real.
package enum KeychainNumber: Sendable, Hashable {
    /// An integer that fits 64 bits with sign.
    case integer(Int64)
    /// An integer above `Int64.max`.
    case unsigned(UInt64)
    /// An IEEE 754 binary64 number.
    case real(Double)

    /// An integer of any width.
    package init(_ value: UInt64) {
        self = Int64(exactly: value).map { .integer($0) } ?? .unsigned(value)
    }

    /// The signed low 32 bits, as the hashed columns and Data columns use a number (Semantics, "Conversion and
    /// comparison of values").
    package var truncatedTo32Bits: Int32 {
        switch self {
        case .integer(let value): Int32(truncatingIfNeeded: value)
        case .unsigned(let value): Int32(truncatingIfNeeded: value)
        case .real(let value):
            value >= Double(Int32.max) ? .max : value > Double(Int32.min) ? Int32(value) : .min
        }
    }

    /// The value as an integer, `nil` when it has a fraction or does not fit 64 bits.
    package var exactInteger: Int64? {
        switch self {
        case .integer(let value): value
        case .unsigned: nil
        case .real(let value): Int64(exactly: value)
        }
    }
}

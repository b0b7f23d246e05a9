// SPDX-License-Identifier: Apache-2.0

/// The kinds of columns; a kind determines the conversion of values (Semantics, "Conversion and comparison of values").
package enum AttributeKind: Sendable, Hashable {
    /// String, Data and Number, each kept as given.
    case blob
    /// Data; strings and numbers are converted.
    case data
    /// String; data must be UTF-8.
    case string
    /// Number; other strings than canonical 32-bit numerals stay strings.
    case number
    /// Date only.
    case date
    /// A protection class.
    case accessibility
    /// An access control object.
    case accessControl
    /// The internal user identifier: bytes, or null for none.
    case user
}

// SPDX-License-Identifier: Apache-2.0

import Glibc

/// How a whole number is written.
public struct OSLogIntegerFormatting: Sendable {
    private let radix: Int
    private let prefix: String
    private let uppercase: Bool
    private let explicitPositiveSign: Bool
    private let minDigits: Int

    /// In decimal digits.
    public static var decimal: OSLogIntegerFormatting { .decimal() }

    /// In hexadecimal digits.
    public static var hex: OSLogIntegerFormatting { .hex() }

    /// In octal digits.
    public static var octal: OSLogIntegerFormatting { .octal() }

    /// In decimal digits, optionally with a plus sign for positive numbers, and padded with zeros to a minimum number
    /// of digits.
    public static func decimal(explicitPositiveSign: Bool = false, minDigits: Int = 1) -> OSLogIntegerFormatting {
        OSLogIntegerFormatting(
            radix: 10,
            prefix: "",
            uppercase: false,
            explicitPositiveSign: explicitPositiveSign,
            minDigits: minDigits
        )
    }

    /// In hexadecimal digits, optionally with the prefix `0x`.
    public static func hex(
        explicitPositiveSign: Bool = false,
        includePrefix: Bool = false,
        uppercase: Bool = false,
        minDigits: Int = 1
    ) -> OSLogIntegerFormatting {
        OSLogIntegerFormatting(
            radix: 16,
            prefix: includePrefix ? "0x" : "",
            uppercase: uppercase,
            explicitPositiveSign: explicitPositiveSign,
            minDigits: minDigits
        )
    }

    /// In octal digits, optionally with the prefix `0o`.
    public static func octal(
        explicitPositiveSign: Bool = false,
        includePrefix: Bool = false,
        uppercase: Bool = false,
        minDigits: Int = 1
    ) -> OSLogIntegerFormatting {
        OSLogIntegerFormatting(
            radix: 8,
            prefix: includePrefix ? "0o" : "",
            uppercase: uppercase,
            explicitPositiveSign: explicitPositiveSign,
            minDigits: minDigits
        )
    }

    /// The text of a number.
    func text(of value: some FixedWidthInteger) -> String {
        let digits = String(value.magnitude, radix: radix, uppercase: uppercase)
        let zeros = String(repeating: "0", count: max(0, minDigits - digits.count))
        let sign = value < 0 ? "-" : explicitPositiveSign ? "+" : ""
        return sign + prefix + zeros + digits
    }
}

/// How a number with a fraction is written, in the ways of `printf(3)`.
public struct OSLogFloatFormatting: Sendable {
    private let conversion: String
    private let precision: Int?
    private let explicitPositiveSign: Bool

    /// With six digits after the point, as `%f`.
    public static var fixed: OSLogFloatFormatting { .fixed() }

    /// With binary exponents, as `%a`.
    public static var hex: OSLogFloatFormatting { .hex() }

    /// With an exponent, as `%e`.
    public static var exponential: OSLogFloatFormatting { .exponential() }

    /// The shorter of the two, as `%g`.
    public static var hybrid: OSLogFloatFormatting { .hybrid() }

    /// Like `%f`, with a number of digits after the point.
    public static func fixed(
        precision: Int? = nil,
        explicitPositiveSign: Bool = false,
        uppercase: Bool = false
    ) -> OSLogFloatFormatting {
        OSLogFloatFormatting(
            conversion: uppercase ? "F" : "f",
            precision: precision,
            explicitPositiveSign: explicitPositiveSign
        )
    }

    /// As `%a`.
    public static func hex(explicitPositiveSign: Bool = false, uppercase: Bool = false) -> OSLogFloatFormatting {
        OSLogFloatFormatting(
            conversion: uppercase ? "A" : "a",
            precision: nil,
            explicitPositiveSign: explicitPositiveSign
        )
    }

    /// Like `%e`, with a number of digits after the point.
    public static func exponential(
        precision: Int? = nil,
        explicitPositiveSign: Bool = false,
        uppercase: Bool = false
    ) -> OSLogFloatFormatting {
        OSLogFloatFormatting(
            conversion: uppercase ? "E" : "e",
            precision: precision,
            explicitPositiveSign: explicitPositiveSign
        )
    }

    /// Like `%g`, with a number of digits.
    public static func hybrid(
        precision: Int? = nil,
        explicitPositiveSign: Bool = false,
        uppercase: Bool = false
    ) -> OSLogFloatFormatting {
        OSLogFloatFormatting(
            conversion: uppercase ? "G" : "g",
            precision: precision,
            explicitPositiveSign: explicitPositiveSign
        )
    }

    /// The text of a number.
    func text(of value: Double) -> String {
        let digits = precision.map { ".\(max(0, $0))" } ?? ""
        return formatted("%\(explicitPositiveSign ? "+" : "")\(digits)\(conversion)", value)
    }
}

/// The width of a text in columns.
public struct OSLogStringAlignment: Sendable {
    private let columns: Int
    private let isRight: Bool

    /// The text's own width.
    public static var none: OSLogStringAlignment { .left(columns: 0) }

    /// To the left, with blanks after it.
    public static func left(columns: Int) -> OSLogStringAlignment {
        OSLogStringAlignment(columns: columns, isRight: false)
    }

    /// To the right, with blanks before it.
    public static func right(columns: Int) -> OSLogStringAlignment {
        OSLogStringAlignment(columns: columns, isRight: true)
    }

    /// A text with its blanks.
    func text(of value: String) -> String {
        let blanks = String(repeating: " ", count: max(0, columns - value.count))
        return isRight ? blanks + value : value + blanks
    }
}

/// How a truth value is written.
public enum OSLogBoolFormat: Sendable {
    /// `true` or `false`.
    case truth
    /// `yes` or `no`.
    case answer
}

/// One value in the way of `printf(3)`; the format must have one conversion, of the value's type.
func formatted(_ format: String, _ value: any CVarArg) -> String {
    let count = Int(withVaList([value]) { vsnprintf(nil, 0, format, $0) })
    guard count > 0 else { return "" }
    var buffer = [CChar](repeating: 0, count: count + 1)
    _ = withVaList([value]) { vsnprintf(&buffer, buffer.count, format, $0) }
    return String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
}

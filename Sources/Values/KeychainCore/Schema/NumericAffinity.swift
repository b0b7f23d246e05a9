// SPDX-License-Identifier: Apache-2.0

/// A value in an SQLite column of INTEGER affinity: an integer, a real, or text that is not a numeral.
///
/// Source: sqlite.org/datatype3.html, sections 3 and 3.1. A test compares every branch with SQLite itself.
enum NumericAffinity: Hashable {
    case integer(Int64)
    case real(Double)
    case text(String)

    init(_ number: KeychainNumber) {
        switch number {
        case .integer(let value): self = .integer(value)
        case .unsigned(let value): self = .real(Double(value))
        case .real(let value): self = NumericAffinity(real: value)
        }
    }

    /// Text that is a well-formed integer or real literal becomes that number; blanks around it do not matter.
    init(_ text: String) {
        guard let literal = NumericLiteral(text.utf8.trimmingBlanks) else {
            self = .text(text)
            return
        }
        if literal.isInteger, let value = Int64(literal.text) {
            self = .integer(value)
        } else if let value = Double(literal.text) {
            self = NumericAffinity(real: value)
        } else {
            self = .text(text)
        }
    }

    /// A real without a fraction is held as an integer, but for the two ends of the range of 64 bits.
    private init(real value: Double) {
        if let integer = Int64(exactly: value), integer != .min, integer != .max {
            self = .integer(integer)
        } else {
            self = .real(value)
        }
    }

    func append(to bytes: inout [UInt8]) {
        switch self {
        case .integer(let value):
            bytes.append(UInt8(ascii: "i"))
            bytes.append(littleEndian: value)
        case .real(let value):
            bytes.append(UInt8(ascii: "r"))
            bytes.append(littleEndian: value.bitPattern)
        case .text(let text):
            bytes.append(UInt8(ascii: "t"))
            bytes.append(contentsOf: text.utf8)
        }
    }
}

/// A decimal literal: sign, digits, fraction, exponent.
private struct NumericLiteral {
    let text: String
    let isInteger: Bool

    init?(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { rest = rest.dropFirst() }
        let whole = Self.digits(&rest)
        var fraction = 0
        var isInteger = true
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            fraction = Self.digits(&rest)
            isInteger = false
        }
        guard whole + fraction > 0 else { return nil }
        if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
            rest = rest.dropFirst()
            if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { rest = rest.dropFirst() }
            guard Self.digits(&rest) > 0 else { return nil }
            isInteger = false
        }
        guard rest.isEmpty else { return nil }
        text = String(decoding: bytes, as: UTF8.self)
        self.isInteger = isInteger
    }

    private static func digits(_ rest: inout ArraySlice<UInt8>) -> Int {
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        rest = rest.dropFirst(digits.count)
        return digits.count
    }
}

extension Collection<UInt8> {
    /// Without the blanks of SQLite's `isspace` at both ends.
    fileprivate var trimmingBlanks: ArraySlice<UInt8> {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        let bytes = ArraySlice(drop(while: isBlank))
        let trailing = bytes.reversed().prefix(while: isBlank).count
        return bytes.dropLast(trailing)
    }
}

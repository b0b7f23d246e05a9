// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The format of an `os_log` call: that of `printf(3)` with `%@` for any value, and with privacy options in braces
/// (`%{public}@`).
///
/// A conversion never reads a missing argument: without a value, or with one of another kind, the text says so.
struct FormatString {
    private var rest: Substring
    private var values: ArraySlice<Any>

    /// A format and its values.
    init(_ format: String, _ values: [Any]) {
        rest = format[...]
        self.values = values[...]
    }

    /// The formatted text.
    var text: String {
        var copy = self
        return copy.consume()
    }

    private mutating func consume() -> String {
        var text = ""
        while let character = rest.popFirst() {
            text += character == "%" ? conversion() : String(character)
        }
        return text
    }

    private mutating func conversion() -> String {
        let options = rest.first == "{" ? optionsInBraces() : []
        var flags = parse { "-+ #0'".contains($0) }
        flags += width()
        if rest.first == "." {
            rest.removeFirst()
            flags += "." + width()
        }
        _ = parse { "hlqjztL".contains($0) }
        guard let conversion = rest.popFirst() else { return "" }
        if conversion == "%" { return "%" }
        // The last error number, for which there is no argument.
        if conversion == "m" { return String(cString: strerror(errno)) }
        guard let value = values.popFirst() else { return "<decode: missing data>" }
        let privacy = privacy(options)
        let isPublic = !"@sS".contains(conversion)
        return privacy.text(of: { Self.text(of: value, flags, conversion) }, isPublicByDefault: isPublic)
    }

    /// A number of digits, or that of the next value.
    private mutating func width() -> String {
        guard rest.first == "*" else { return parse { $0.isASCII && $0.isNumber } }
        rest.removeFirst()
        return (values.popFirst() as? Int).map { String(max(0, min($0, 400))) } ?? ""
    }

    private mutating func parse(while isPart: (Character) -> Bool) -> String {
        let part = rest.prefix(while: isPart)
        rest = rest.dropFirst(part.count)
        return String(part)
    }

    private mutating func optionsInBraces() -> [Substring] {
        guard let end = rest.firstIndex(of: "}") else { return [] }
        defer { rest = rest[rest.index(after: end)...] }
        return rest[rest.index(after: rest.startIndex)..<end].split(separator: ",").map { option in
            option.drop { $0 == " " }
        }
    }

    private func privacy(_ options: [Substring]) -> OSLogPrivacy {
        let mask = options.contains("mask.hash") ? OSLogPrivacy.Mask.hash : .none
        // If both are given, the stricter one applies.
        if options.contains("sensitive") || options.contains("private") { return .private(mask: mask) }
        return options.contains("public") ? .public : .auto(mask: mask)
    }

    private static func text(of value: Any, _ flags: String, _ conversion: Character) -> String {
        switch conversion {
        case "d", "i", "D":
            guard let number = value as? any BinaryInteger else { break }
            return formatted("%\(flags)lld", Int64(truncatingIfNeeded: number))
        case "u", "U", "x", "X", "o", "O":
            guard let number = value as? any BinaryInteger else { break }
            let digits = conversion == "U" ? "u" : conversion == "O" ? "o" : conversion
            let mask = number.bitWidth >= 64 ? UInt64.max : 1 << UInt64(number.bitWidth) - 1
            return formatted("%\(flags)ll\(digits)", UInt64(truncatingIfNeeded: number) & mask)
        case "f", "F", "e", "E", "g", "G", "a", "A":
            guard let number = value as? any BinaryFloatingPoint else { break }
            return formatted("%\(flags)\(conversion)", Double(number))
        case "c", "C":
            guard let number = value as? any BinaryInteger,
                let scalar = UnicodeScalar(UInt32(truncatingIfNeeded: number))
            else { break }
            return String(scalar)
        case "s":
            // With a precision, the bytes need not be followed by a NUL.
            if let pointer = value as? UnsafePointer<CChar> { return formatted("%\(flags)s", pointer) }
            if let pointer = value as? UnsafeMutablePointer<CChar> { return formatted("%\(flags)s", pointer) }
            return String(describing: value).withCString { formatted("%\(flags)s", $0) }
        case "@", "S": return String(describing: value)
        case "p":
            // Public by default, so nothing but an address.
            if let pointer = value as? UnsafeRawPointer { return pointer.debugDescription }
            if let pointer = value as? UnsafeMutableRawPointer { return pointer.debugDescription }
        default: break
        }
        return "<decode: mismatch for [%\(conversion)]>"
    }
}

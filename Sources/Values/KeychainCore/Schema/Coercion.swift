// SPDX-License-Identifier: Apache-2.0

extension Column {
    /// Converts a caller's value to this column's kind (Semantics, "Conversion and comparison of values").
    ///
    /// - Returns: The value as it is stored and returned; `nil` for a value that means "not given".
    /// - Throws: `errSecParam` if the kind does not accept the value.
    package func coerce(_ value: PropertyValue) throws(KeychainError) -> AttributeValue? {
        switch (kind, value) {
        case (.blob, .string(let text)), (.string, .string(let text)): return .string(text)
        case (.blob, .data(let bytes)), (.data, .data(let bytes)): return .data(bytes.unprotectedCopy)
        case (.blob, .number(let number)), (.number, .number(let number)): return .number(number)
        case (.data, .string(let text)): return .data(Array(text.utf8))
        case (.data, .number(let number)): return .data(number.littleEndian32)
        case (.string, .data(let bytes)): return .string(try utf8(bytes))
        case (.string, .uuid(let text)): return .string(text)
        case (.number, .boolean(let flag)): return .number(.integer(flag ? 1 : 0))
        case (.number, .string(let text)): return Self.numeral(text).map { .number($0) } ?? .string(text)
        case (.date, .date(let date)): return .date(date)
        case (.accessibility, .string(let text)): return try accessibility(text)
        case (.accessibility, .data(let bytes)): return try accessibility(try utf8(bytes))
        case (.accessControl, .accessControl(let accessControl)): return .accessControl(accessControl)
        case (.user, .data(let bytes)): return .data(bytes.unprotectedCopy)
        case (.user, .null): return nil
        case (.user, .string(let text)), (.user, .uuid(let text)): return .data(Array(text.utf8))
        default: throw .parameter("the attribute '\(name)' does not take a value of this type")
        }
    }

    /// The number that a string represents: only the canonical decimal form of a 32-bit integer.
    private static func numeral(_ text: String) -> KeychainNumber? {
        guard let value = Int32(text), String(value) == text else { return nil }
        return .integer(Int64(value))
    }

    private func utf8(_ bytes: SecretBytes) throws(KeychainError) -> String {
        guard let text = bytes.withUnsafeBytes({ String(validating: $0, as: UTF8.self) }) else {
            throw .parameter("the data given for '\(name)' is not UTF-8")
        }
        guard !text.hasTooManyMarks else { throw .tooManyMarks }
        return text
    }

    private func accessibility(_ text: String) throws(KeychainError) -> AttributeValue {
        guard Accessibility(rawValue: text) != nil else {
            throw .parameter("the value of '\(name)' is not an accessibility constant")
        }
        return .string(text)
    }
}

extension KeychainNumber {
    /// The four bytes that a number has in a column of bytes.
    var littleEndian32: [UInt8] {
        withUnsafeBytes(of: truncatedTo32Bits.littleEndian) { Array($0) }
    }
}

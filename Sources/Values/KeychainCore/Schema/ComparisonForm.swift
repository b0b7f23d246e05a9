// SPDX-License-Identifier: Apache-2.0

extension Column {
    /// The bytes by which values of this column are compared (Semantics, "Conversion and comparison of values").
    ///
    /// Equal forms mean equal values, for a search and for the primary key. Hashed values are compared by their bytes,
    /// regardless of the type; unhashed numbers are compared as in an SQLite INTEGER column.
    package func appendComparisonForm(of value: AttributeValue, to bytes: inout [UInt8]) {
        switch (kind, value) {
        case (.number, .number(let number)) where !comparesBytes:
            NumericAffinity(number).append(to: &bytes)
        case (.number, .string(let text)) where !comparesBytes:
            NumericAffinity(text).append(to: &bytes)
        case (_, .string(let text)):
            bytes.append(contentsOf: text.utf8)
        case (_, .data(let data)):
            bytes.append(contentsOf: data)
        case (_, .number(let number)):
            bytes.append(contentsOf: number.littleEndian32)
        case (_, .date(let date)):
            bytes.append(littleEndian: date.secondsSinceReferenceDate.bitPattern)
        case (_, .accessControl(let accessControl)):
            bytes.append(contentsOf: accessControl.protection.rawValue.utf8)
        }
    }

    /// Whether two values compare equal in this column.
    package func isEqual(_ left: AttributeValue, _ right: AttributeValue) -> Bool {
        var (first, second) = ([UInt8](), [UInt8]())
        appendComparisonForm(of: left, to: &first)
        appendComparisonForm(of: right, to: &second)
        return first == second
    }
}

extension [UInt8] {
    /// Appends an integer, lowest byte first.
    @inlinable
    package mutating func append(littleEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// One attribute of an item class: a row of the schema tables.
package final class Column: Sendable {
    /// The attribute.
    package let name: AttributeName

    /// The type to which values are converted.
    package let kind: AttributeKind

    /// Whether the attribute is part of the primary key.
    package let isPrimaryKey: Bool

    /// Whether values are compared by their bytes, regardless of their type (the columns marked B in Semantics,
    /// "Attributes of each class").
    package let comparesBytes: Bool

    /// The value that is stored if an add does not specify the attribute.
    package let defaultValue: AttributeValue?

    /// Who may specify the attribute.
    package let access: Access

    /// The version of the file (``FileVersion/version``) since which the store has a search tag for it, in a separate
    /// column; `nil` if it has none.
    ///
    /// The tables of a released version never change: an attribute that becomes searchable later is a feature of a
    /// later revision.
    package let taggedSince: UInt16?

    /// Since which version the store keeps no search tag for it any more; `nil` while it keeps one, or never did.
    package let untaggedSince: UInt16?

    /// Whether the store keeps a search tag for it.
    package var isSearchable: Bool { isTagged(in: FileFormat.baseVersion) }

    /// Whether the tables of a version have a column for its search tags.
    package func isTagged(in version: UInt16) -> Bool {
        guard let taggedSince, taggedSince <= version else { return false }
        return untaggedSince.map { version < $0 } ?? true
    }

    /// Who may specify a column.
    package enum Access: Sendable, Hashable {
        /// Anybody, everywhere.
        case open
        /// A value needs a private entitlement in add and in update attributes: errSecMissingEntitlement.
        case guardedValue
        /// The same, and encrypted with the secret, so that it cannot be searched for: errSecNotAvailable.
        case encrypted
        /// Needs a private entitlement in add and in the query of update: errSecMissingEntitlement.
        case guardedQuery
        /// No client, in any function: errSecParam.
        case forbidden
        /// Any program may specify it in a query; values given by a caller are ignored.
        case computed
    }

    init(
        _ name: AttributeName,
        _ kind: AttributeKind,
        primaryKey: Bool = false,
        hashed: Bool = false,
        default defaultValue: AttributeValue? = nil,
        access: Access = .open,
        taggedSince: UInt16? = 0x0200,
        untaggedSince: UInt16? = nil
    ) {
        self.name = name
        self.kind = kind
        isPrimaryKey = primaryKey
        comparesBytes = hashed
        self.defaultValue = defaultValue
        self.access = access
        self.taggedSince = taggedSince
        self.untaggedSince = untaggedSince
    }
}

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

// SPDX-License-Identifier: Apache-2.0

/// What an item that was stored with lookup attributes keeps of them among its sealed attributes, under
/// ``AttributeName/lookup`` (Documentation/Format.md, "Lookup attributes").
package struct LookupRecord: Sendable, Hashable {
    /// The lookup attributes.
    package var attributes: LookupAttributes

    /// The content type of the secret.
    package var contentType: String

    /// A record.
    package init(_ attributes: LookupAttributes, contentType: String) {
        self.attributes = attributes
        self.contentType = contentType
    }

    private static let version: UInt8 = 1

    /// Reads what ``encoded`` gave; `nil` for any other bytes.
    package init?(_ bytes: [UInt8]) {
        var reader = Reader(rest: bytes[...])
        guard reader.byte() == Self.version, let contentType = reader.text(), let count = reader.number()
        else { return nil }
        var pairs: [LookupAttributes.Pair] = []
        for _ in 0..<count {
            guard let name = reader.text(), let value = reader.text() else { return nil }
            if let last = pairs.last, !last.name.utf8.lexicographicallyPrecedes(name.utf8) { return nil }
            pairs.append(LookupAttributes.Pair(name, value))
        }
        guard reader.rest.isEmpty, let attributes = try? LookupAttributes(ofAnySize: pairs) else { return nil }
        self.init(attributes, contentType: contentType)
    }

    /// The version, the content type, and the pairs in their order; each text after its length.
    package var encoded: [UInt8] {
        var bytes = [Self.version]
        bytes.appendText(contentType)
        bytes.append(littleEndian: UInt32(attributes.count))
        for pair in attributes.pairs {
            bytes.appendText(pair.name)
            bytes.appendText(pair.value)
        }
        return bytes
    }

    /// Reads from front to back, and never past the end.
    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func byte() -> UInt8? { rest.popFirst() }

        mutating func number() -> Int? {
            guard rest.count >= 4 else { return nil }
            defer { rest = rest.dropFirst(4) }
            return rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        }

        mutating func text() -> String? {
            guard let count = number(), count <= rest.count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return String(validating: rest.prefix(count), as: UTF8.self)
        }
    }
}

extension [UInt8] {
    /// Appends the number of bytes of a text, and the bytes.
    package mutating func appendText(_ text: String) {
        append(littleEndian: UInt32(truncatingIfNeeded: text.utf8.count))
        self += text.utf8
    }
}

extension Attributes {
    /// The lookup attributes that an item was stored with; `nil` for one that has none of its own.
    package var lookupRecord: LookupRecord? {
        get {
            guard case .data(let bytes)? = self[.lookup] else { return nil }
            return LookupRecord(bytes)
        }
        set { self[.lookup] = newValue.map { .data($0.encoded) } }
    }

    /// The label as text; empty if there is none, or if it has no text.
    package var labelText: String {
        switch self[.label] {
        case .string(let text)?: text.utf8.contains(0) ? "" : text
        case .data(let bytes)?: bytes.contains(0) ? "" : String(validating: bytes, as: UTF8.self) ?? ""
        default: ""
        }
    }
}

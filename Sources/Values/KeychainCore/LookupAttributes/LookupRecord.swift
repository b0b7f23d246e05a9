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
        var reader = ByteReader(bytes[...])
        do throws(ByteReader.Truncated) {
            guard try reader.integer(UInt8.self) == Self.version, let contentType = try reader.text()
            else { return nil }
            var pairs: [LookupAttributes.Pair] = []
            for _ in 0..<(try reader.integer(UInt32.self)) {
                guard let name = try reader.text(), let value = try reader.text() else { return nil }
                if let last = pairs.last, !last.name.utf8.lexicographicallyPrecedes(name.utf8) { return nil }
                pairs.append(LookupAttributes.Pair(name, value))
            }
            guard reader.isAtEnd, let attributes = try? LookupAttributes(ofAnySize: pairs) else { return nil }
            self.init(attributes, contentType: contentType)
        } catch {
            return nil
        }
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
}

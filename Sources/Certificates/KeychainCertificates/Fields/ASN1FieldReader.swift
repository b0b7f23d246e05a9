// SPDX-License-Identifier: Apache-2.0

package import SwiftASN1

/// An error that can describe a malformed encoding.
package protocol EncodingFailure: Error {
    /// The error for a malformed encoding.
    ///
    /// - Parameter reason: the invalid field and the defect; never its value.
    /// - Returns: The error.
    static func malformed(_ reason: String) -> Self
}

/// The encoding rules of ASN.1 (X.690).
package enum EncodingRules {
    /// Distinguished encoding rules: one encoding for each value.
    case distinguished
    /// Basic encoding rules, which old tools write (RFC 7292, section 3.1).
    case basic
}

/// Reads the fields of a constructed ASN.1 value in order.
package struct ASN1FieldReader<Failure: EncodingFailure> {
    private let name: String
    private var iterator: ASN1NodeCollection.Iterator
    private var upcoming: ASN1Node?

    /// The fields of a value that must be constructed and have this identifier.
    package init(_ node: ASN1Node, as identifier: ASN1Identifier, named name: String) throws(Failure) {
        guard node.identifier == identifier, case .constructed(let nodes) = node.content else {
            throw .malformed("\(name) has another type")
        }
        self.name = name
        iterator = nodes.makeIterator()
        upcoming = iterator.next()
    }

    /// The fields of a SEQUENCE.
    package init(_ node: ASN1Node, _ name: String) throws(Failure) {
        try self.init(node, as: .sequence, named: name)
    }

    /// The fields of an encoded SEQUENCE.
    package init(
        parsing bytes: ArraySlice<UInt8>,
        _ rules: EncodingRules,
        within limit: EncodingLimit,
        _ name: String
    ) throws(Failure) {
        try self.init(Self.parse(bytes, by: rules, within: limit, named: name), name)
    }

    /// Parses exactly one value, as ``EncodedValue`` does.
    package static func parse(
        _ bytes: ArraySlice<UInt8>,
        by rules: EncodingRules,
        within limit: EncodingLimit,
        named name: String
    ) throws(Failure) -> ASN1Node {
        do {
            return try EncodedValue.parse(bytes, rules, within: limit)
        } catch is EncodingTooLarge {
            throw .malformed("\(name) has too many bytes or values")
        } catch {
            throw .malformed("\(name) is not one \(rules == .basic ? "BER" : "DER") value")
        }
    }

    /// Whether all fields were read.
    package var isAtEnd: Bool { upcoming == nil }

    /// The identifier of the next field; `nil` at the end.
    // Inlined, it crashes the optimizer of Swift 6.3.1 (CopyPropagation, in `PBKDF2.init`).
    @inline(never)
    package var upcomingIdentifier: ASN1Identifier? { upcoming?.identifier }

    /// The next field, of any type.
    package mutating func next(_ field: String) throws(Failure) -> ASN1Node {
        guard let node = upcoming else { throw .malformed("\(name) has no \(field)") }
        upcoming = iterator.next()
        return node
    }

    /// The next field, if it has this identifier.
    package mutating func nextIfPresent(_ identifier: ASN1Identifier) -> ASN1Node? {
        guard let node = upcoming, node.identifier == identifier else { return nil }
        upcoming = iterator.next()
        return node
    }

    /// Fails if fields are left.
    package func end() throws(Failure) {
        guard isAtEnd else { throw .malformed("\(name) has trailing fields") }
    }
}

extension ASN1Identifier {
    /// A context-specific tag.
    package static func context(_ number: UInt) -> ASN1Identifier {
        ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific)
    }
}

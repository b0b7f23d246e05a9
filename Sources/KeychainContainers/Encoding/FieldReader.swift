// SPDX-License-Identifier: Apache-2.0

import SwiftASN1

/// Reads the fields of a constructed value one after the other; in BER, which old tools write (RFC 7292, section 3.1).
struct FieldReader {
    private let name: String
    private var iterator: ASN1NodeCollection.Iterator
    private var upcoming: ASN1Node?

    /// The fields of a value that must be constructed and have this identifier.
    init(_ node: ASN1Node, _ identifier: ASN1Identifier, _ name: String) throws(ContainerError) {
        guard node.identifier == identifier, case .constructed(let nodes) = node.content else {
            throw .malformed("\(name) has another type")
        }
        self.name = name
        iterator = nodes.makeIterator()
        upcoming = iterator.next()
    }

    /// The fields of a SEQUENCE.
    init(_ node: ASN1Node, _ name: String) throws(ContainerError) {
        self = try FieldReader(node, .sequence, name)
    }

    /// The fields of a SEQUENCE that bytes encode.
    init(parsing bytes: ArraySlice<UInt8>, _ name: String) throws(ContainerError) {
        let node: ASN1Node
        do {
            // No deeper than 50 levels, which the parser sees to.
            node = try BER.parse(bytes)
        } catch {
            throw .malformed("\(name) is not one BER value")
        }
        self = try FieldReader(node, name)
    }

    /// Whether all fields were read.
    var isAtEnd: Bool { upcoming == nil }

    /// The identifier of the next field.
    // Inlined, it ends the optimizer of Swift 6.3.1 (CopyPropagation, in `PBKDF2.init`).
    @inline(never)
    var upcomingIdentifier: ASN1Identifier? { upcoming?.identifier }

    /// The next field, whatever it is.
    mutating func next(_ field: String) throws(ContainerError) -> ASN1Node {
        guard let node = upcoming else { throw .malformed("\(name) has no \(field)") }
        upcoming = iterator.next()
        return node
    }

    /// The next field, if it has this identifier.
    mutating func nextIfPresent(_ identifier: ASN1Identifier) -> ASN1Node? {
        guard let node = upcoming, node.identifier == identifier else { return nil }
        upcoming = iterator.next()
        return node
    }

    /// What an explicit tag holds.
    mutating func tagged(_ number: UInt, _ field: String) throws(ContainerError) -> ASN1Node {
        var inner = try FieldReader(next(field), .context(number), field)
        let node = try inner.next(field)
        try inner.end()
        return node
    }

    /// An OBJECT IDENTIFIER.
    mutating func objectIdentifier(_ field: String) throws(ContainerError) -> ASN1ObjectIdentifier {
        let node = try next(field)
        do {
            return try ASN1ObjectIdentifier(berEncoded: node, withIdentifier: .objectIdentifier)
        } catch {
            throw .malformed("the \(field) is not an object identifier")
        }
    }

    /// An INTEGER that is not negative and has 32 bits or fewer.
    mutating func integer(_ field: String) throws(ContainerError) -> Int {
        let node = try next(field)
        guard node.identifier == .integer, case .primitive(let octets) = node.content, let first = octets.first,
            first < 0x80
        else { throw .malformed("the \(field) is not a number") }
        let significant = octets.drop { $0 == 0 }
        guard significant.count <= 4 else { throw .unsupported("the \(field) is too large") }
        return significant.reduce(0) { $0 << 8 | Int($1) }
    }

    /// The octets of an OCTET STRING, put together when it comes in pieces.
    mutating func octets(_ field: String) throws(ContainerError) -> ArraySlice<UInt8> {
        try next(field).octets(.octetString, field)
    }

    /// Nothing more may follow.
    func end() throws(ContainerError) {
        guard isAtEnd else { throw .malformed("\(name) has fields too many") }
    }
}

extension ASN1Node {
    /// The octets of an OCTET STRING under a tag.
    func octets(_ identifier: ASN1Identifier, _ name: String) throws(ContainerError) -> ArraySlice<UInt8> {
        do {
            return try ASN1OctetString(berEncoded: self, withIdentifier: identifier).bytes
        } catch {
            throw .malformed("the \(name) is not a string of octets")
        }
    }
}

extension ASN1Identifier {
    /// A tag of the structure that it stands in.
    static func context(_ number: UInt) -> ASN1Identifier {
        ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific)
    }
}

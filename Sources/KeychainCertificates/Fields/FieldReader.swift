// SPDX-License-Identifier: Apache-2.0

import SwiftASN1

/// Reads the fields of a constructed DER value one after the other.
struct FieldReader {
    private let name: String
    private var iterator: ASN1NodeCollection.Iterator
    private var upcoming: ASN1Node?

    /// The fields of a value that must be constructed and have this identifier.
    init(_ node: ASN1Node, _ identifier: ASN1Identifier, _ name: String) throws(CertificateError) {
        guard node.identifier == identifier, case .constructed(let nodes) = node.content else {
            throw CertificateError("\(name) has another type")
        }
        self.name = name
        iterator = nodes.makeIterator()
        upcoming = iterator.next()
    }

    /// The fields of a SEQUENCE.
    init(_ node: ASN1Node, _ name: String) throws(CertificateError) {
        self = try FieldReader(node, .sequence, name)
    }

    /// The fields of a SEQUENCE inside an OCTET STRING, or of a whole document.
    init(parsing bytes: ArraySlice<UInt8>, _ name: String) throws(CertificateError) {
        self = try FieldReader(Self.parse(bytes, name), name)
    }

    /// The one value that bytes encode, in DER.
    static func parse(_ bytes: ArraySlice<UInt8>, _ name: String) throws(CertificateError) -> ASN1Node {
        do {
            // No deeper than 50 levels, which the parser sees to.
            return try DER.parse(bytes)
        } catch {
            throw CertificateError("\(name) is not one DER value")
        }
    }

    /// Whether all fields were read.
    var isAtEnd: Bool { upcoming == nil }

    /// The next field, whatever it is.
    mutating func next(_ field: String) throws(CertificateError) -> ASN1Node {
        guard let node = upcoming else { throw CertificateError("\(name) has no \(field)") }
        upcoming = iterator.next()
        return node
    }

    /// The next field, if it has this identifier.
    mutating func nextIfPresent(_ identifier: ASN1Identifier) -> ASN1Node? {
        guard let node = upcoming, node.identifier == identifier else { return nil }
        upcoming = iterator.next()
        return node
    }

    /// The content octets of the next field, which must be primitive and of this type.
    mutating func bytes(_ identifier: ASN1Identifier, _ field: String) throws(CertificateError) -> ArraySlice<UInt8> {
        try next(field).bytes(identifier, field)
    }

    /// Nothing more may follow.
    func end() throws(CertificateError) {
        guard isAtEnd else { throw CertificateError("\(name) has fields too many") }
    }
}

extension ASN1Node {
    /// The content octets of a primitive value of a type.
    func bytes(_ identifier: ASN1Identifier, _ name: String) throws(CertificateError) -> ArraySlice<UInt8> {
        guard self.identifier == identifier, case .primitive(let bytes) = content else {
            throw CertificateError("\(name) has another type")
        }
        return bytes
    }

    /// The bytes of a BIT STRING that must be whole octets.
    func wholeBits(_ name: String) throws(CertificateError) -> ArraySlice<UInt8> {
        let bytes = try bytes(.bitString, name)
        guard bytes.first == 0 else { throw CertificateError("\(name) is not a string of whole octets") }
        return bytes.dropFirst()
    }

    /// The number of an OBJECT IDENTIFIER.
    func objectIdentifier(_ name: String) throws(CertificateError) -> ASN1ObjectIdentifier {
        do {
            return try ASN1ObjectIdentifier(derEncoded: self, withIdentifier: .objectIdentifier)
        } catch {
            throw CertificateError("\(name) is not an object identifier")
        }
    }
}

extension ASN1Identifier {
    /// A tag of the structure that it stands in.
    static func context(_ number: UInt) -> ASN1Identifier {
        ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific)
    }
}

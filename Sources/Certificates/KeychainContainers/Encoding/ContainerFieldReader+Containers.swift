// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import SwiftASN1

typealias ContainerFieldReader = ASN1FieldReader<ContainerError>

extension ContainerError: EncodingFailure {
    package static func malformed(_ reason: String) -> ContainerError { ContainerError(.malformed, reason) }
}

extension ContainerFieldReader {
    /// The fields of a SEQUENCE in BER.
    init(parsing bytes: ArraySlice<UInt8>, _ name: String) throws(ContainerError) {
        try self.init(parsing: bytes, .basic, within: .file, name)
    }

    /// The value under an explicit tag.
    mutating func tagged(_ number: UInt, _ field: String) throws(ContainerError) -> ASN1Node {
        var inner = try ContainerFieldReader(next(field), as: .context(number), named: field)
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

    /// A nonnegative INTEGER of at most 32 bits.
    mutating func integer(_ field: String) throws(ContainerError) -> Int {
        let node = try next(field)
        guard node.identifier == .integer, case .primitive(let octets) = node.content, let first = octets.first,
            first < 0x80
        else { throw .malformed("the \(field) is not a number") }
        let significant = octets.drop { $0 == 0 }
        guard significant.count <= 4 else { throw .unsupported("the \(field) is too large") }
        return significant.reduce(0) { $0 << 8 | Int($1) }
    }

    /// The octets of an OCTET STRING, which may be segmented in BER.
    mutating func octets(_ field: String) throws(ContainerError) -> ArraySlice<UInt8> {
        try next(field).octets(.octetString, field)
    }
}

extension ASN1Node {
    /// The content octets of an OBJECT IDENTIFIER.
    func objectIdentifierOctets(_ name: String) throws(ContainerError) -> [UInt8] {
        guard (try? ASN1ObjectIdentifier(berEncoded: self, withIdentifier: .objectIdentifier)) != nil,
            case .primitive(let octets) = content
        else { throw .malformed("the \(name) is not an object identifier") }
        return Array(octets)
    }

    /// The octets of an OCTET STRING under a tag.
    func octets(_ identifier: ASN1Identifier, _ name: String) throws(ContainerError) -> ArraySlice<UInt8> {
        do {
            return try ASN1OctetString(berEncoded: self, withIdentifier: identifier).bytes
        } catch {
            throw .malformed("the \(name) is not an octet string")
        }
    }
}

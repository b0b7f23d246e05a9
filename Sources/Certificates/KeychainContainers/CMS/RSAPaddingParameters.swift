// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import SwiftASN1

/// The parameters of RSASSA-PSS and RSAES-OAEP (RFC 4055, sections 3.1 and 4.1).
package struct RSAPaddingParameters: Sendable, Hashable {
    /// The digest function, in dotted decimal notation.
    package private(set) var digest = Self.sha1

    /// The digest function of the mask, likewise.
    package private(set) var maskDigest = Self.sha1

    /// The length of the salt of PSS in bytes.
    package private(set) var saltCount = 20

    private static let sha1 = "1.3.14.3.2.26"

    /// Parses parameters in DER; the defaults if there are none.
    ///
    /// - Parameters:
    ///   - parameters: the encoding.
    ///   - isEncryption: whether they are parameters of RSAES-OAEP.
    /// - Throws: ``ContainerError``: `.unsupported` for another mask function, trailer or label source.
    package init(_ parameters: [UInt8]?, isEncryption: Bool) throws(ContainerError) {
        guard let parameters else { return }
        var fields = try ContainerFieldReader(MessageNode.parse(parameters), "the parameters of a padding")
        if let algorithm = try Self.inner(&fields, 0) { digest = try MessageSignature.algorithm(algorithm).type }
        if let mask = try Self.inner(&fields, 1) {
            let (function, parameters) = try MessageSignature.algorithm(mask)
            guard function == "1.2.840.113549.1.1.8", let parameters else {
                throw .unsupported("the mask function \(function) is not implemented")
            }
            maskDigest = try MessageSignature.algorithm(MessageNode.parse(parameters)).type
        }
        if let third = try Self.inner(&fields, 2) {
            try isEncryption ? Self.checkLabel(third) : readSaltCount(third)
        }
        if let trailer = try Self.inner(&fields, 3) {
            guard !isEncryption, trailer.identifier == .integer, case .primitive(let octets) = trailer.content,
                octets.elementsEqual([1])
            else { throw .unsupported("another trailer field is not implemented") }
        }
        try fields.end()
    }

    private static func inner(_ fields: inout ContainerFieldReader, _ number: UInt) throws(ContainerError) -> ASN1Node?
    {
        guard fields.upcomingIdentifier == .context(number) else { return nil }
        return try fields.tagged(number, "parameter")
    }

    private mutating func readSaltCount(_ node: ASN1Node) throws(ContainerError) {
        guard node.identifier == .integer, case .primitive(let octets) = node.content, octets.count <= 2,
            let first = octets.first, first < 0x80
        else { throw .unsupported("the length of the salt is not possible") }
        saltCount = octets.reduce(0) { $0 << 8 | Int($1) }
    }

    /// Only an empty label is implemented.
    private static func checkLabel(_ node: ASN1Node) throws(ContainerError) {
        let (source, label) = try MessageSignature.algorithm(node)
        guard source == "1.2.840.113549.1.1.9", label == [0x04, 0x00] else {
            throw .unsupported("a label is not implemented")
        }
    }
}

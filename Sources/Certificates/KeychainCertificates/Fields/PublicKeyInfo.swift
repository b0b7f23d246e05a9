// SPDX-License-Identifier: Apache-2.0

internal import SwiftASN1

/// A `SubjectPublicKeyInfo` (RFC 5280, section 4.1.2.7), whose key is not parsed.
struct PublicKeyInfo {
    /// The whole value.
    let der: [UInt8]

    /// The bits of the key.
    let bits: [UInt8]

    init(_ node: ASN1Node) throws(CertificateError) {
        var fields = try CertificateFieldReader(node, "the public key")
        try AlgorithmField.check(fields.next("algorithm"), "the algorithm of the public key")
        bits = try Array(fields.next("bits").wholeBits("the public key's bits"))
        try fields.end()
        der = Array(node.encodedBytes)
    }
}

/// An `AlgorithmIdentifier`, of which only the syntax is checked.
enum AlgorithmField {
    static func check(_ node: ASN1Node, _ name: String) throws(CertificateError) {
        var fields = try CertificateFieldReader(node, name)
        _ = try fields.next("identifier").objectIdentifier(name)
        if !fields.isAtEnd { _ = try fields.next("parameters") }
        try fields.end()
    }
}

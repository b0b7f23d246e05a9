// SPDX-License-Identifier: Apache-2.0

internal import SwiftASN1

/// A `Name` of a certificate (RFC 5280, section 4.1.2.4): its encoding, and its attributes in their order.
struct Name: Sendable {
    /// The whole SEQUENCE as encoded in the certificate.
    let der: [UInt8]

    /// The attributes; those of a multi-valued relative name are in order.
    let attributes: [Attribute]

    /// One attribute; `text` is `nil` if the value is not text.
    struct Attribute: Sendable {
        var type: ASN1ObjectIdentifier
        var text: String?
    }

    init(_ node: ASN1Node, _ name: String) throws(CertificateError) {
        var relativeNames = try CertificateFieldReader(node, name)
        var attributes: [Attribute] = []
        while !relativeNames.isAtEnd {
            let part = "a part of \(name)"
            var values = try CertificateFieldReader(relativeNames.next(part), as: .set, named: part)
            repeat {
                var fields = try CertificateFieldReader(values.next("attribute"), part)
                let type = try fields.next("type").objectIdentifier(part)
                attributes.append(Attribute(type: type, text: DirectoryString.text(try fields.next("value"))))
                try fields.end()
            } while !values.isAtEnd
        }
        der = Array(node.encodedBytes)
        self.attributes = attributes
    }

    /// The texts of the attributes of a type, in their order.
    func texts(_ type: ASN1ObjectIdentifier) -> [String] {
        attributes.filter { $0.type == type }.compactMap(\.text)
    }
}

// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import SwiftASN1

/// A `SafeBag` (RFC 7292, section 4.2).
struct SafeBag {
    enum Kind {
        case key
        case encryptedKey
        case certificate
        case safeContents
        case other
    }

    let type: Kind
    let value: ASN1Node
    let names: PKCS12.BagNames

    init(_ node: ASN1Node) throws(ContainerError) {
        var fields = try ContainerFieldReader(node, "a bag")
        type = try Self.kinds[fields.objectIdentifier("type of a bag")] ?? .other
        value = try fields.tagged(0, "contents of a bag")
        names = fields.isAtEnd ? PKCS12.BagNames() : try Self.names(fields.next("attributes of a bag"))
        try fields.end()
    }

    /// The certificate of a certificate bag; `nil` if it is not X.509.
    func certificate() throws(ContainerError) -> [UInt8]? {
        var fields = try ContainerFieldReader(value, "a certificate")
        guard try fields.objectIdentifier("type of a certificate") == [1, 2, 840, 113549, 1, 9, 22, 1] else {
            return nil
        }
        return try Array(fields.tagged(0, "certificate").octets(.octetString, "certificate"))
    }

    private static let kinds: [ASN1ObjectIdentifier: Kind] = [
        [1, 2, 840, 113549, 1, 12, 10, 1, 1]: .key,
        [1, 2, 840, 113549, 1, 12, 10, 1, 2]: .encryptedKey,
        [1, 2, 840, 113549, 1, 12, 10, 1, 3]: .certificate,
        [1, 2, 840, 113549, 1, 12, 10, 1, 6]: .safeContents,
    ]

    /// Unknown attributes are ignored, and so are all values of an attribute except the first.
    private static func names(_ node: ASN1Node) throws(ContainerError) -> PKCS12.BagNames {
        var names = PKCS12.BagNames()
        var attributes = try ContainerFieldReader(node, as: .set, named: "the attributes of a bag")
        while !attributes.isAtEnd {
            var fields = try ContainerFieldReader(attributes.next("attribute"), "an attribute")
            let type = try fields.objectIdentifier("type of an attribute")
            var values = try ContainerFieldReader(fields.next("values"), as: .set, named: "an attribute")
            switch type {
            case [1, 2, 840, 113549, 1, 9, 20]:
                names.friendlyName = try text(values.next("name"))
            case [1, 2, 840, 113549, 1, 9, 21]:
                names.localKeyID = try Array(values.octets("key identifier"))
            default:
                continue
            }
        }
        return names
    }

    /// The characters of a BMPString.
    private static func text(_ node: ASN1Node) throws(ContainerError) -> String {
        guard node.identifier == .bmpString, case .primitive(let bytes) = node.content, bytes.count.isMultiple(of: 2)
        else { throw .malformed("a name is not text") }
        let units = stride(from: bytes.startIndex, to: bytes.endIndex, by: 2).map {
            UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
        }
        guard let text = String(validating: units, as: UTF16.self) else { throw .malformed("a name is not text") }
        return text
    }
}

extension ASN1ObjectIdentifier {
    /// The content type of plain octets (RFC 5652).
    static let data: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 7, 1]
    /// The content type of signed data, or of certificates only (RFC 5652).
    static let signedData: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 7, 2]
    /// The content type of password-encrypted data (RFC 5652).
    static let encryptedData: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 7, 6]
}

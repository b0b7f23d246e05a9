// SPDX-License-Identifier: Apache-2.0

internal import SwiftASN1

/// A `GeneralName` (RFC 5280, section 4.2.1.6) as a property.
enum GeneralName {
    /// The property; for an unknown kind, or bytes that are not of the kind, the bytes.
    static func property(_ node: ASN1Node) -> CertificateProperty {
        guard node.identifier.tagClass == .contextSpecific else { return bytes(node) }
        switch (node.identifier.tagNumber, node.content) {
        case (1, .primitive(let octets)): return text("Email Address", octets) ?? bytes(node)
        case (2, .primitive(let octets)): return text("DNS Name", octets) ?? bytes(node)
        case (6, .primitive(let octets)):
            guard let text = String(validating: octets, as: UTF8.self) else { return bytes(node) }
            return CertificateProperty("URI", .address(text))
        case (7, .primitive(let octets)):
            return address(octets).map { CertificateProperty("IP Address", $0) } ?? bytes(node)
        case (4, .constructed(let parts)):
            guard let name = parts.first(where: { _ in true }), let section = try? NameProperties.properties(name)
            else { return bytes(node) }
            return CertificateProperty("Directory Name", .section(section))
        default: return bytes(node)
        }
    }

    private static func bytes(_ node: ASN1Node) -> CertificateProperty {
        CertificateProperty("Data", .data(Array(node.encodedBytes)))
    }

    private static func text(_ label: String, _ octets: ArraySlice<UInt8>) -> CertificateProperty? {
        String(validating: octets, as: UTF8.self).map { CertificateProperty(label, $0) }
    }

    /// An address of IPv4 with dots, of IPv6 in its eight groups (RFC 4291, section 2.2, form 1).
    private static func address(_ octets: ArraySlice<UInt8>) -> String? {
        switch octets.count {
        case 4: return octets.map(String.init).joined(separator: ".")
        case 16:
            let octets = Array(octets)
            return stride(from: 0, to: 16, by: 2)
                .map { String(UInt16(octets[$0]) << 8 | UInt16(octets[$0 + 1]), radix: 16) }
                .joined(separator: ":")
        default: return nil
        }
    }
}

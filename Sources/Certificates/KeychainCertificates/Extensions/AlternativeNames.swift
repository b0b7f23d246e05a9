// SPDX-License-Identifier: Apache-2.0

import KeychainCore
internal import SwiftASN1

/// The names in a subject alternative name extension that are used (RFC 5280, section 4.2.1.6).
struct AlternativeNames: Sendable {
    var emailAddresses: [String] = []
    var dnsNames: [String] = []
    /// Addresses of 4 or 16 octets.
    var addresses: [[UInt8]] = []

    /// None.
    init() {}

    init(_ value: ArraySlice<UInt8>) throws(CertificateError) {
        let name = "a subject alternative name"
        var fields = try CertificateFieldReader(parsing: value, "the subject alternative names")
        guard !fields.isAtEnd else { throw CertificateError("the subject alternative names are none") }
        while !fields.isAtEnd {
            let node = try fields.next("name")
            guard node.identifier.tagClass == .contextSpecific else {
                throw CertificateError("\(name) has another type")
            }
            switch node.identifier.tagNumber {
            case 1: try emailAddresses.append(DirectoryString.latin1(node.bytes(.context(1), name)))
            case 2: try dnsNames.append(Self.text(node.bytes(.context(2), name), name))
            case 7: try addresses.append(Array(node.bytes(.context(7), name)))
            default: continue
            }
        }
    }

    /// The characters of an IA5String; the standard requires ASCII, but UTF-8 occurs.
    private static func text(_ bytes: ArraySlice<UInt8>, _ name: String) throws(CertificateError) -> String {
        let text = String(validating: bytes, as: UTF8.self) ?? DirectoryString.latin1(bytes)
        guard !text.hasTooManyMarks else { throw CertificateError("\(name) has too many combining marks") }
        return text
    }
}

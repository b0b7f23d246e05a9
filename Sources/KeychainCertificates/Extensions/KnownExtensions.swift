// SPDX-License-Identifier: Apache-2.0

import KeychainASN1
import SwiftASN1

/// The extensions that are looked into.
struct KnownExtensions: Sendable {
    private(set) var subjectKeyIdentifier: [UInt8]?
    private(set) var alternativeNames: AlternativeNames?
    /// The purposes that the key is limited to; `nil` without a limit.
    private(set) var extendedKeyUsage: [ASN1ObjectIdentifier]?
    /// Whether there is a critical extension that this package has never heard of.
    private(set) var hasUnknownCritical = false

    init(_ extensions: [CertificateExtension]) throws(CertificateError) {
        for one in extensions {
            switch one.type {
            case .subjectKeyIdentifier:
                let name = "the subject key identifier"
                subjectKeyIdentifier = try Array(FieldReader.parse(one.value, name).bytes(.octetString, name))
            case .subjectAlternativeName:
                alternativeNames = try AlternativeNames(one.value)
            case .extendedKeyUsage:
                extendedKeyUsage = try Self.purposes(one.value)
            default:
                if one.isCritical, !ASN1ObjectIdentifier.standardExtensions.contains(one.type) {
                    hasUnknownCritical = true
                }
            }
        }
    }

    private static func purposes(_ value: ArraySlice<UInt8>) throws(CertificateError) -> [ASN1ObjectIdentifier] {
        var fields = try FieldReader(parsing: value, "the extended key usage")
        var purposes: [ASN1ObjectIdentifier] = []
        while !fields.isAtEnd { purposes.append(try fields.next("purpose").objectIdentifier("a key purpose")) }
        return purposes
    }
}

// SPDX-License-Identifier: Apache-2.0

import KeychainASN1
import SwiftASN1

/// The extensions that are looked into.
struct KnownExtensions: Sendable {
    private(set) var subjectKeyIdentifier: [UInt8]?
    private(set) var alternativeNames: AlternativeNames?
    /// The purposes that the key is limited to; `nil` without a limit.
    private(set) var extendedKeyUsage: [ASN1ObjectIdentifier]?
    /// What the key may be used for; `nil` without a limit, nothing when the extension is malformed.
    private(set) var keyUsage: KeyUsage?
    /// Whether the subject is an authority by the basic constraints; `nil` without them, false when they are malformed.
    private(set) var isAuthority: Bool?
    /// What the name constraints say of hosts; `nil` without them, and where they are malformed.
    private(set) var hostConstraints: HostConstraints?
    /// The types of all extensions.
    private(set) var types: Set<ASN1ObjectIdentifier> = []
    /// Whether there is a critical extension that this package has never heard of.
    private(set) var hasUnknownCritical = false

    init(_ extensions: [CertificateExtension]) throws(CertificateError) {
        for one in extensions {
            types.insert(one.type)
            switch one.type {
            case .subjectKeyIdentifier:
                let name = "the subject key identifier"
                subjectKeyIdentifier = try Array(FieldReader.parse(one.value, name).bytes(.octetString, name))
            case .subjectAlternativeName:
                alternativeNames = try AlternativeNames(one.value)
            case .extendedKeyUsage:
                extendedKeyUsage = try Self.purposes(one.value)
            case .keyUsage:
                keyUsage = KeyUsage(extensionValue: one.value)
            case .basicConstraints:
                isAuthority = (try? Self.isAuthority(one.value)) ?? false
            case .nameConstraints:
                hostConstraints = try? HostConstraints(one.value)
            default:
                if one.isCritical, !ASN1ObjectIdentifier.standardExtensions.contains(one.type) {
                    hasUnknownCritical = true
                }
            }
        }
    }

    private static func isAuthority(_ value: ArraySlice<UInt8>) throws(CertificateError) -> Bool {
        var fields = try FieldReader(parsing: value, "the basic constraints")
        return try CertificateExtension.isTrue(fields.nextIfPresent(.boolean))
    }

    private static func purposes(_ value: ArraySlice<UInt8>) throws(CertificateError) -> [ASN1ObjectIdentifier] {
        var fields = try FieldReader(parsing: value, "the extended key usage")
        var purposes: [ASN1ObjectIdentifier] = []
        while !fields.isAtEnd { purposes.append(try fields.next("purpose").objectIdentifier("a key purpose")) }
        return purposes
    }
}

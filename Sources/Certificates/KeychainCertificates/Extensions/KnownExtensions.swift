// SPDX-License-Identifier: Apache-2.0

internal import SwiftASN1

/// The extensions that are looked into.
///
/// A malformed one makes the certificate unreadable where it is critical. Where it is not, the certificate is read, and
/// the extension permits and names nothing (Semantics, "Reading certificates"). Of one that occurs twice the last
/// counts.
struct KnownExtensions: Sendable {
    private(set) var subjectKeyIdentifier: [UInt8]?
    /// The alternative names; `nil` without the extension, none when it is malformed.
    private(set) var alternativeNames: AlternativeNames?
    /// The purposes that the key is limited to; `nil` without a limit, none when the extension is malformed.
    private(set) var extendedKeyUsage: [ASN1ObjectIdentifier]?
    /// What the key may be used for; `nil` without a limit, nothing when the extension is malformed.
    private(set) var keyUsage: KeyUsage?
    /// Whether the subject is an authority by the basic constraints; `nil` without them, false when they are malformed.
    private(set) var isAuthority: Bool?
    /// What the name constraints say of hosts; `nil` without them, none is permitted when they are malformed.
    private(set) var hostConstraints: HostConstraints?
    /// The types of all extensions.
    private(set) var types: Set<ASN1ObjectIdentifier> = []
    /// Whether there is a critical extension that this package has never heard of.
    private(set) var hasUnknownCritical = false

    /// - Throws: for a critical extension that is malformed.
    init(_ extensions: [CertificateExtension]) throws(CertificateError) {
        for one in extensions {
            types.insert(one.type)
            do throws(CertificateError) {
                try read(one)
            } catch {
                if one.isCritical { throw error }
                readMalformed(one)
            }
        }
    }

    private mutating func read(_ one: CertificateExtension) throws(CertificateError) {
        switch one.type {
        case .subjectKeyIdentifier:
            let name = "the subject key identifier"
            subjectKeyIdentifier = try Array(CertificateFieldReader.parse(one.value, name).bytes(.octetString, name))
        case .subjectAlternativeName: alternativeNames = try AlternativeNames(one.value)
        case .extendedKeyUsage: extendedKeyUsage = try ExtensionShape.purposes(one.value)
        case .keyUsage: keyUsage = try KeyUsage(extensionValue: one.value)
        case .basicConstraints: isAuthority = try ExtensionShape.isAuthority(one.value)
        case .nameConstraints:
            try ExtensionShape.checkNameConstraints(one.value)
            hostConstraints = try HostConstraints(one.value)
        case .distributionPoints: try ExtensionShape.checkDistributionPoints(one.value)
        case .certificatePolicies: try ExtensionShape.checkPolicies(one.value)
        case .authorityKeyIdentifier: try ExtensionShape.checkAuthorityKeyIdentifier(one.value)
        case .authorityInformationAccess: try ExtensionShape.checkInformationAccess(one.value)
        case .inhibitAnyPolicy: try ExtensionShape.checkInhibitAnyPolicy(one.value)
        default:
            if one.isCritical, !ASN1ObjectIdentifier.standardExtensions.contains(one.type) { hasUnknownCritical = true }
        }
    }

    private mutating func readMalformed(_ one: CertificateExtension) {
        switch one.type {
        case .subjectKeyIdentifier: subjectKeyIdentifier = nil
        case .subjectAlternativeName: alternativeNames = AlternativeNames()
        case .extendedKeyUsage: extendedKeyUsage = []
        case .keyUsage: keyUsage = []
        case .basicConstraints: isAuthority = false
        case .nameConstraints: hostConstraints = HostConstraints.none
        default: break
        }
    }
}

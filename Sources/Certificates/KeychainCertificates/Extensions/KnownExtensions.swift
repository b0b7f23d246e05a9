// SPDX-License-Identifier: Apache-2.0

internal import SwiftASN1

/// The extensions whose contents are parsed.
///
/// If a malformed extension is critical, the certificate is unreadable. Otherwise the certificate is read, and the
/// extension permits and names nothing (Semantics, "Reading certificates"). If an extension occurs twice, the last one
/// counts.
struct KnownExtensions: Sendable {
    private(set) var subjectKeyIdentifier: [UInt8]?
    /// The alternative names; `nil` without the extension, empty if it is malformed.
    private(set) var alternativeNames: AlternativeNames?
    /// The purposes that the key is limited to; `nil` without a limit, empty if the extension is malformed.
    private(set) var extendedKeyUsage: [ASN1ObjectIdentifier]?
    /// The permitted uses of the key; `nil` without a limit, empty if the extension is malformed.
    private(set) var keyUsage: KeyUsage?
    /// Whether the basic constraints make the subject an authority; `nil` without them, false if they are malformed.
    private(set) var isAuthority: Bool?
    /// The name constraints for hosts; `nil` if there are none; if they are malformed, no host is permitted.
    private(set) var hostConstraints: HostConstraints?
    /// The types of all extensions.
    private(set) var types: Set<ASN1ObjectIdentifier> = []
    /// Whether there is a critical extension that is unknown to this package.
    private(set) var hasUnknownCritical = false
    /// Whether, of the critical extensions, only markers of Apple's are unknown to X509_verify_cert(3).
    private(set) var hasOnlyMarkersUnverified = true

    /// - Throws: for a critical extension that is malformed.
    init(_ extensions: [CertificateExtension]) throws(CertificateError) {
        for one in extensions {
            types.insert(one.type)
            if one.isCritical, !one.isAppleMarker, !ASN1ObjectIdentifier.verifiedExtensions.contains(one.type) {
                hasOnlyMarkersUnverified = false
            }
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
            guard one.isCritical, !one.isAppleMarker else { return }
            if !ASN1ObjectIdentifier.standardExtensions.contains(one.type) { hasUnknownCritical = true }
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

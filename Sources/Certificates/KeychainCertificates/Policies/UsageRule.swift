// SPDX-License-Identifier: Apache-2.0

import KeychainCore
internal import SwiftASN1

/// The reason that a certificate cannot be used for a policy.
package enum UsageDefect: Sendable, Hashable {
    /// An extension is missing that the policy requires.
    case missingExtension
    /// The key is limited to other purposes (extended key usage).
    case purpose
    /// The key is limited to other operations (key usage).
    case keyUsage
}

extension Certificate {
    /// The reason that the certificate itself cannot be used for a policy; `nil` if it can.
    ///
    /// Without an extension, a key has no limit, unless the policy requires the extension. TLS policies ignore the key
    /// usage.
    package func usageDefect(for policy: CertificatePolicy) -> UsageDefect? {
        guard let rule = UsageRule(policy) else { return nil }
        guard rule.mustHave.isSubset(of: known.types) else { return .missingExtension }
        guard rule.permits(known.extendedKeyUsage, rule.purposes.union(rule.olderPurposes)) else { return .purpose }
        guard let usage = known.keyUsage, !rule.operations.isEmpty else { return nil }
        return usage.isDisjoint(with: rule.operations) ? .keyUsage : nil
    }

    /// Whether the certificate lacks the server purpose although the policy requires it of a certificate of 2019-07-01
    /// or later (Apple's support article HT210176).
    ///
    /// This applies under anchors of the system and those that a program sets, not under anchors of trust settings.
    package func lacksServerPurpose(for policy: CertificatePolicy) -> Bool {
        switch policy {
        case .tls(true, _), .purpose(.eap, true, _):
            // 2019-07-01T00:00:00Z
            validity.notBefore.secondsSinceReferenceDate >= 583_632_000
                && !(known.extendedKeyUsage?.contains(.serverAuthentication) ?? false)
        default: false
        }
    }

    /// Whether the certificate is that of an authority, whose key may sign certificates (RFC 5280, sections 4.2.1.3 and
    /// 4.2.1.9).
    ///
    /// A certificate without basic constraints, such as one of version 1, is that of an authority if it is self-issued.
    package var isOfAuthority: Bool {
        (known.isAuthority ?? isSelfIssued) && (known.keyUsage?.contains(.certificateSigning) ?? true)
    }

    /// Whether the certificate may issue one that is used for a policy: as in most software, the extended key usage of
    /// an issuer limits the certificates that it issues.
    package func mayIssue(for policy: CertificatePolicy) -> Bool {
        UsageRule(policy).map { $0.permits(known.extendedKeyUsage, $0.purposes) } ?? true
    }
}

/// The usages that a policy requires.
private struct UsageRule {
    /// One of these is required if the extension is present; empty for any.
    var purposes: Set<ASN1ObjectIdentifier> = []
    /// Others that are accepted in the certificate itself, but not in an issuer.
    var olderPurposes: Set<ASN1ObjectIdentifier> = []
    /// One of these is required if the extension is present; empty for any.
    var operations: KeyUsage = []
    /// The extensions that must be present.
    var mustHave: Set<ASN1ObjectIdentifier> = []

    /// The rule of a policy; `nil` if it has none.
    init?(_ policy: CertificatePolicy) {
        switch policy {
        case .basicX509, .revocation: return nil
        case .tls(let isServer, _), .purpose(.eap, let isServer, _):
            purposes = [isServer ? .serverAuthentication : .clientAuthentication]
            if isServer { olderPurposes = [.microsoftServerGated, .netscapeServerGated] }
        case .purpose(.ipsec, _, _):
            purposes = [.serverAuthentication, .clientAuthentication, .ipsecEndSystem, .ipsecKeyExchange]
        case .purpose(.emailProtection, _, _):
            purposes = [.emailProtection]
            operations = [.digitalSignature, .contentCommitment, .keyEncipherment, .keyAgreement]
        case .purpose(.codeSigning, _, _):
            purposes = [.codeSigning]
            operations = [.digitalSignature]
            mustHave = [.extendedKeyUsage]
        case .purpose(.timeStamping, _, _):
            purposes = [.timeStamping]
            mustHave = [.extendedKeyUsage]
        case .purpose(.chat, _, _):
            purposes = [.chatSigning, .chatEncryption]
            mustHave = [.extendedKeyUsage]
        case .purpose(.appleID, _, _):
            purposes = [.appleIDValidation]
            mustHave = [.extendedKeyUsage]
        case .purpose(.macAppStoreReceipt, _, _):
            mustHave = [.receiptSigning]
        }
    }

    /// Whether the purposes to which a key is limited satisfy the rule.
    func permits(_ limits: [ASN1ObjectIdentifier]?, _ purposes: Set<ASN1ObjectIdentifier>) -> Bool {
        guard let limits, !purposes.isEmpty else { return true }
        return limits.contains { $0 == .anyPurpose || purposes.contains($0) }
    }
}

extension ASN1ObjectIdentifier {
    // RFC 5280, section 4.2.1.12; RFC 4945, section 5.1.3.12.
    fileprivate static let serverAuthentication: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 3, 1]
    fileprivate static let clientAuthentication: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 3, 2]
    fileprivate static let codeSigning: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 3, 3]
    fileprivate static let emailProtection: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 3, 4]
    fileprivate static let ipsecEndSystem: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 3, 5]
    fileprivate static let timeStamping: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 3, 8]
    fileprivate static let ipsecKeyExchange: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 3, 17]
    fileprivate static let anyPurpose: ASN1ObjectIdentifier = [2, 5, 29, 37, 0]
    // Browsers once required this for strong encryption.
    fileprivate static let microsoftServerGated: ASN1ObjectIdentifier = [1, 3, 6, 1, 4, 1, 311, 10, 3, 3]
    fileprivate static let netscapeServerGated: ASN1ObjectIdentifier = [2, 16, 840, 1, 113730, 4, 1]
    // From Apple's certificate policies.
    fileprivate static let chatSigning: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 4, 2]
    fileprivate static let chatEncryption: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 4, 3]
    fileprivate static let appleIDValidation: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 4, 7]
    fileprivate static let receiptSigning: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 11, 1]
}

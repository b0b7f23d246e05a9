// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore

/// A chain as evaluated by policies and trust settings.
struct JudgedChain {
    /// The certificates; `nil` for one that cannot be parsed here.
    private let certificates: [Certificate?]
    /// The positions of those that claim to be authorities.
    private let authorities: Set<Int>

    init(_ chain: [[UInt8]], first: Certificate, _ authorities: Set<Int>) {
        certificates = [first] + chain.dropFirst().map { try? Certificate(der: $0) }
        self.authorities = authorities
    }

    /// The defects of usages and constraints.
    ///
    /// OpenSSL accepts a certificate without basic constraints as an authority if its key usage permits signing
    /// certificates; here every one between the first and the last must claim to be one (RFC 5280, section 6.1.4 (k)).
    ///
    /// - Parameters:
    ///   - policies: the purposes of the first certificate.
    ///   - isTrustedBySettings: whether the last one is an anchor of trust settings, under which a server's certificate
    ///     need not have the server purpose.
    /// - Returns: The defects, by position.
    func findings(for policies: [CertificatePolicy], isTrustedBySettings: Bool) -> [TrustEvaluation.Finding] {
        var findings: [TrustEvaluation.Finding] = []
        for (position, certificate) in certificates.enumerated() {
            guard let certificate else {
                findings.append(.init(position: position, defect: .malformed))
                continue
            }
            if position == 0 {
                findings += policies.compactMap { certificate.usageDefect(for: $0) }
                    .map { .init(position: 0, defect: Self.defect($0)) }
                if !isTrustedBySettings, policies.contains(where: certificate.lacksServerPurpose) {
                    findings.append(.init(position: 0, defect: .purpose))
                }
                continue
            }
            // An authority must have a name (RFC 5280, section 4.1.2.6); OpenSSL does not require one.
            if certificate.normalizedSubject.isEmpty { findings.append(.init(position: position, defect: .noSubject)) }
            if position < certificates.count - 1 {
                if !authorities.contains(position) { findings.append(.init(position: position, defect: .notAuthority)) }
                if !policies.allSatisfy(certificate.mayIssue) {
                    findings.append(.init(position: position, defect: .purpose))
                }
            }
        }
        return findings
    }

    /// The defect about the host that a policy specifies: the certificate does not name it, or an issuer may not
    /// certify it.
    ///
    /// OpenSSL applies name constraints to the names of the certificate. A wildcard may match hosts inside and outside
    /// of them, so here they are applied to the host itself.
    func findings(for host: String) -> [TrustEvaluation.Finding] {
        guard let leaf = certificates[0], leaf.hasAlternativeName(host: host) else {
            return [.init(position: 0, defect: .hostName)]
        }
        let isAllowed = certificates.dropFirst().compactMap(\.self).allSatisfy { $0.mayCertify(host: host) }
        return isAllowed ? [] : [.init(position: 0, defect: .nameNotAllowed)]
    }

    /// Whether a certificate has only critical extensions that are known here; OpenSSL knows no markers of Apple's.
    func hasKnownExtensions(_ position: Int) -> Bool {
        certificates.indices.contains(position) && certificates[position]?.hasOnlyMarkersUnverified ?? false
    }

    /// Whether the validity of a certificate includes a date; OpenSSL excludes its last moment.
    func isValid(_ position: Int, at date: Timestamp) -> Bool {
        certificates.indices.contains(position) && certificates[position]?.isValid(at: date) ?? false
    }

    private static func defect(_ defect: UsageDefect) -> TrustDefect {
        switch defect {
        case .missingExtension: .missingExtension
        case .purpose: .purpose
        case .keyUsage: .keyUsage
        }
    }

    /// The defects that trust settings cause.
    func denials(by request: TrustRequest) -> [TrustEvaluation.Finding] {
        certificates.indices.filter { position in
            guard let certificate = certificates[position] else { return false }
            return request.policies.contains {
                TrustSettings.decision(of: request.settings, certificate, $0) == .deny
            }
        }.map { .init(position: $0, defect: .denied) }
    }

    /// Whether options of the request or trust settings ignore a finding.
    func isAllowed(_ finding: TrustEvaluation.Finding, by request: TrustRequest) -> Bool {
        if finding.defect == .expired {
            if request.allowsExpired { return true }
            let isRoot = finding.position > 0 && finding.position == certificates.count - 1
            if request.allowsExpiredRoot, isRoot { return true }
        }
        let codes = Self.codes(of: finding.defect)
        // A wrong name concerns the chain; any other finding is ignored only for its certificate.
        let concerned =
            finding.defect == .hostName
            ? certificates.compactMap(\.self)
            : certificates.indices.contains(finding.position) ? [certificates[finding.position]].compactMap(\.self) : []
        return concerned.contains { certificate in
            request.settings.contains { settings in
                guard let entry = settings.entry(for: certificate) else { return false }
                return request.policies.contains { !entry.allowedErrors(for: $0).isDisjoint(with: codes) }
            }
        }
    }

    /// The numbers of a defect in settings: its status, and Apple's code of the older module interface.
    private static func codes(of defect: TrustDefect) -> Set<Int32> {
        switch defect {
        case .expired: [defect.status.rawValue, OlderErrorCode.expired]
        case .hostName: [defect.status.rawValue, OlderErrorCode.hostName]
        default: []
        }
    }
}

/// Codes of Apple's older module interface in trust settings.
package enum OlderErrorCode {
    /// `CSSMERR_TP_CERT_EXPIRED`.
    package static let expired: Int32 = -2_147_409_654
    /// `CSSMERR_APPLETP_HOSTNAME_MISMATCH`.
    package static let hostName: Int32 = -2_147_408_896
}

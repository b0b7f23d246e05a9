// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore

/// A chain as policies and trust settings look at it.
struct JudgedChain {
    /// The certificates; `nil` for one that cannot be read here.
    private let certificates: [Certificate?]
    /// The positions of those that say that they may issue others.
    private let authorities: Set<Int>

    init(_ chain: [[UInt8]], first: Certificate, _ authorities: Set<Int>) {
        certificates = [first] + chain.dropFirst().map { try? Certificate(der: $0) }
        self.authorities = authorities
    }

    /// What usages and constraints forbid.
    ///
    /// OpenSSL takes a certificate with a key for signing others, but without basic constraints, for an authority; here
    /// every one between the first and the last has to say that it is (RFC 5280, section 6.1.4 (k)).
    ///
    /// - Parameters:
    ///   - policies: what the first certificate is for.
    ///   - isTrustedBySettings: whether the last one is an anchor of trust settings, under which a server need not name
    ///     its purpose.
    /// - Returns: What is wrong, by positions.
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
            // An authority has a name (RFC 5280, section 4.1.2.6); OpenSSL asks for none.
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

    /// What is wrong with the host that a policy names: it is not among the names, or an issuer may not certify it.
    ///
    /// OpenSSL holds name constraints against the names of the certificate. A wildcard may stand for hosts in and out
    /// of them, so here the host itself is held against them.
    func findings(for host: String) -> [TrustEvaluation.Finding] {
        guard let leaf = certificates[0], leaf.hasAlternativeName(host: host) else {
            return [.init(position: 0, defect: .hostName)]
        }
        let isAllowed = certificates.dropFirst().compactMap(\.self).allSatisfy { $0.mayCertify(host: host) }
        return isAllowed ? [] : [.init(position: 0, defect: .nameNotAllowed)]
    }

    /// Whether a date belongs to the validity of a certificate, whose last moment OpenSSL leaves out.
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

    /// What trust settings deny.
    func denials(by request: TrustRequest) -> [TrustEvaluation.Finding] {
        certificates.indices.filter { position in
            guard let certificate = certificates[position] else { return false }
            return request.policies.contains {
                TrustSettings.decision(of: request.settings, certificate, $0) == .deny
            }
        }.map { .init(position: $0, defect: .denied) }
    }

    /// Whether options of the request or trust settings pass a finding over.
    func isAllowed(_ finding: TrustEvaluation.Finding, by request: TrustRequest) -> Bool {
        if finding.defect == .expired {
            if request.allowsExpired { return true }
            let isRoot = finding.position > 0 && finding.position == certificates.count - 1
            if request.allowsExpiredRoot, isRoot { return true }
        }
        let codes = Self.codes(of: finding.defect)
        // A wrong name is that of the chain; anything else is passed over for the certificate that has it alone.
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

    /// The numbers by which settings name a defect: its status, and Apple's code of the older module interface.
    private static func codes(of defect: TrustDefect) -> Set<Int32> {
        switch defect {
        case .expired: [defect.status.rawValue, OlderErrorCode.expired]
        case .hostName: [defect.status.rawValue, OlderErrorCode.hostName]
        default: []
        }
    }
}

/// Codes of Apple's older module interface that trust settings hold.
package enum OlderErrorCode {
    /// `CSSMERR_TP_CERT_EXPIRED`.
    package static let expired: Int32 = -2_147_409_654
    /// `CSSMERR_APPLETP_HOSTNAME_MISMATCH`.
    package static let hostName: Int32 = -2_147_408_896
}

// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
package import KeychainCore

/// Evaluates certificates: OpenSSL builds the chain and checks signatures, dates, constraints and names (RFC 5280, RFC
/// 9525); the other requirements of policies and trust settings are checked here.
package enum TrustEvaluator {
    /// Evaluates the first certificate of a request; in a ``TrustHelper`` where this program cannot load OpenSSL.
    ///
    /// - Returns: The chain and all its defects.
    /// - Throws: `errSecNotAvailable` if OpenSSL is not installed; `errSecAllocate`.
    package static func evaluate(_ request: TrustRequest) throws(KeychainError) -> TrustEvaluation {
        try TrustHelper.isNeeded ? TrustHelper.evaluate(request) : evaluateHere(request)
    }

    /// Evaluates the first certificate of a request in this process.
    ///
    /// - Parameters:
    ///   - request: the certificates and their purposes.
    ///   - onChain: called with each chain that is built.
    /// - Returns: The chain and all its defects.
    /// - Throws: `errSecNotAvailable` if OpenSSL is not installed; `errSecAllocate`.
    package static func evaluateHere(
        _ request: TrustRequest,
        onChain: ([[UInt8]]) -> Void = { _ in }
    ) throws(KeychainError) -> TrustEvaluation {
        let openssl = try OpenSSL.shared
        var parsed = request.certificates.map { OpenSSLCertificate(der: $0, openssl) }
        let first = try evaluateChain(request, of: parsed, by: openssl)
        onChain(first.chain)
        // OpenSSL follows one path. If that one fails, another may succeed.
        var (current, request, certificateCount) = (first, request, first.chain.count)
        for _ in 0..<maximumDetours where !current.isTrusted {
            guard certificateCount < maximumCertificates, let obstacle = obstacle(current),
                request.certificates.dropFirst().contains(obstacle)
            else { break }
            let kept = request.certificates.indices.filter { $0 == 0 || request.certificates[$0] != obstacle }
            request.certificates = kept.map { request.certificates[$0] }
            parsed = kept.map { parsed[$0] }
            current = try evaluateChain(request, of: parsed, by: openssl)
            onChain(current.chain)
            certificateCount += current.chain.count
        }
        return current.isTrusted ? current : first
    }

    /// The maximum number of alternative paths.
    private static let maximumDetours = 16

    /// No further path is tried once the chains have this many certificates in total, whose signatures were verified.
    private static let maximumCertificates = 128

    /// The certificate above the first one at which a chain fails or ends.
    private static func obstacle(_ evaluation: TrustEvaluation) -> [UInt8]? {
        let positions = evaluation.findings.map { finding in
            finding.defect == .untrusted
                ? evaluation.chain.count - 1 : min(finding.position, evaluation.chain.count - 1)
        }
        return positions.max().flatMap { $0 > 0 ? evaluation.chain[$0] : nil }
    }

    // `parsed` contains the certificates of the request, with `nil` for those that OpenSSL cannot parse.
    private static func evaluateChain(
        _ request: TrustRequest,
        of parsed: [OpenSSLCertificate?],
        by openssl: OpenSSL
    ) throws(KeychainError) -> TrustEvaluation {
        guard let leafBytes = request.certificates.first, let first = parsed.first, let leaf = first,
            let certificate = try? Certificate(der: leafBytes)
        else {
            let finding = TrustEvaluation.Finding(position: 0, defect: .malformed)
            return TrustEvaluation(chain: Array(request.certificates.prefix(1)), findings: [finding])
        }
        let anchors = Anchors(of: request, parsed: parsed, openssl: openssl)
        let verification = try ChainVerification(
            leaf,
            untrusted: parsed.dropFirst().compactMap(\.self) + anchors.others,
            anchors: anchors.all,
            at: request.date,
            securityLevel: request.policies.contains { if case .tls = $0 { true } else { false } } ? 2 : 1,
            openssl
        )
        var evaluation = TrustEvaluation(chain: verification.chain.isEmpty ? [leafBytes] : verification.chain)
        evaluation.findings = verification.findings.map { .init(position: $0.position, defect: $0.defect) }
        let judged = JudgedChain(evaluation.chain, first: certificate, verification.authorities)
        evaluation.findings.removeAll { $0.defect == .expired && judged.isValid($0.position, at: request.date) }
        evaluation.findings.removeAll {
            $0.defect == .unknownCriticalExtension && judged.hasKnownExtensions($0.position)
        }
        evaluation.isDecidedByUser = anchors.areOfSettings(evaluation.chain.last)
        evaluation.findings += judged.findings(
            for: request.policies,
            isTrustedBySettings: evaluation.isDecidedByUser
        )
        evaluation.findings += names(request.policies, of: leaf, in: judged)
        evaluation.findings += judged.denials(by: request)
        revocation(for: request, of: leaf, into: &evaluation, openssl: openssl)
        evaluation.findings.removeAll { judged.isAllowed($0, by: request) }
        applyExceptions(request.exceptions, &evaluation)
        evaluation.findings = unique(evaluation.findings)
        return evaluation
    }

    /// The anchors of the system in DER.
    ///
    /// - Throws: `errSecNotAvailable` if OpenSSL is not installed.
    package static func systemAnchors() throws(KeychainError) -> [[UInt8]] {
        try TrustHelper.isNeeded ? TrustHelper.systemAnchors() : SystemAnchors.encodings()
    }

    /// The names that policies require.
    private static func names(
        _ policies: [CertificatePolicy],
        of leaf: OpenSSLCertificate,
        in judged: JudgedChain
    ) -> [TrustEvaluation.Finding] {
        policies.flatMap { policy -> [TrustEvaluation.Finding] in
            switch policy {
            case .basicX509, .revocation, .tls(false, _): return []
            case .tls(true, let host):
                return host.map(judged.findings(for:)) ?? []
            case .purpose(let purpose, let isServer, let name):
                guard let name else { return [] }
                switch purpose {
                case .eap, .ipsec:
                    return isServer ? judged.findings(for: name) : []
                case .emailProtection, .chat:
                    return leaf.hasEmailAddress(name) ? [] : [.init(position: 0, defect: .emailAddress)]
                case .codeSigning, .timeStamping, .appleID, .macAppStoreReceipt: return []
                }
            }
        }
    }

    /// The status in stapled OCSP responses, and whether one was required.
    private static func revocation(
        for request: TrustRequest,
        of leaf: OpenSSLCertificate,
        into evaluation: inout TrustEvaluation,
        openssl: OpenSSL
    ) {
        // `kSecRevocationRequirePositiveResponse`.
        let needsResponse = request.policies.contains {
            if case .revocation(let flags) = $0 { flags & 8 != 0 } else { false }
        }
        var status: StapledOCSPResponses.CertificateStatus?
        if !request.ocspResponses.isEmpty, evaluation.chain.count > 1,
            let issuer = OpenSSLCertificate(der: evaluation.chain[1], openssl)
        {
            status = StapledOCSPResponses.status(
                request.ocspResponses,
                of: leaf,
                issuer: issuer,
                at: request.date,
                openssl
            )
        }
        evaluation.isRevocationChecked = status != nil
        if status == .revoked { evaluation.findings.append(.init(position: 0, defect: .revoked)) }
        if status == nil, needsResponse { evaluation.findings.append(.init(position: 0, defect: .revocationUnknown)) }
    }

    private static func applyExceptions(_ exceptions: TrustExceptions?, _ evaluation: inout TrustEvaluation) {
        guard let exceptions, let leaf = evaluation.chain.first, exceptions.concern(leaf) else { return }
        let (before, chain) = (evaluation.findings, evaluation)
        evaluation.findings.removeAll { exceptions.permit($0.defect, of: chain.certificate($0)) }
        if evaluation.findings.isEmpty, !before.isEmpty { evaluation.isDecidedByUser = true }
    }

    private static func unique(_ findings: [TrustEvaluation.Finding]) -> [TrustEvaluation.Finding] {
        var seen: Set<TrustEvaluation.Finding> = []
        return findings.filter { seen.insert($0).inserted }
    }
}

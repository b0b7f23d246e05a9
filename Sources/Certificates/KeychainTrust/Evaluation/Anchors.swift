// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore

/// The certificates at which the chain of a request may end.
struct Anchors {
    private var given: [OpenSSLCertificate] = []
    private var system: [OpenSSLCertificate] = []
    /// Those of trust settings, by their encodings.
    private var ofSettings: [[UInt8]: OpenSSLCertificate] = [:]
    /// Certificates of trust settings that are no anchors: a chain is built with them so that a denial is found.
    private(set) var others: [OpenSSLCertificate] = []

    /// - Parameters:
    ///   - request: which of them count.
    ///   - parsed: the certificates of the request, as far as OpenSSL can read them.
    ///   - openssl: the library.
    init(of request: TrustRequest, parsed: [OpenSSLCertificate?], openssl: OpenSSL) {
        given = request.anchors.compactMap { OpenSSLCertificate(der: $0, openssl) }
        // Only settings and implicit anchors ask what is shown for more than OpenSSL knows.
        let looksAtShown = request.hasImplicitAnchors || request.settings.contains { !$0.entries.isEmpty }
        let shown = looksAtShown ? request.certificates.compactMap { try? Certificate(der: $0) } : []
        if request.hasImplicitAnchors {
            let roots = Set(shown.filter(\.isSelfIssued).map(\.der))
            given += zip(request.certificates, parsed).filter { roots.contains($0.0) }.compactMap(\.1)
        }
        let stored = request.settings.flatMap(\.entries.values).compactMap(\.certificate)
            .compactMap { try? Certificate(der: $0) }
        for certificate in stored + shown where request.usesSystemAnchors && Self.isTrusted(certificate, request) {
            ofSettings[certificate.der] = OpenSSLCertificate(der: certificate.der, openssl)
        }
        others = stored.filter { ofSettings[$0.der] == nil }.compactMap { OpenSSLCertificate(der: $0.der, openssl) }
        if request.usesSystemAnchors { system = SystemAnchors.list(openssl) }
    }

    /// All of them; those of trust settings and those that were given first.
    var all: [OpenSSLCertificate] { Array(ofSettings.values) + given + system }

    /// Whether a chain ends at an anchor of trust settings.
    func areOfSettings(_ last: [UInt8]?) -> Bool { last.map { ofSettings[$0] != nil } ?? false }

    /// Whether settings make a certificate an anchor for all policies.
    private static func isTrusted(_ certificate: Certificate, _ request: TrustRequest) -> Bool {
        let others = request.policies.filter { if case .revocation = $0 { false } else { true } }
        // Revocation alone is asked of what is trusted at all.
        let policies = others.isEmpty ? [.basicX509] : others
        return policies.allSatisfy { policy in
            switch TrustSettings.decision(of: request.settings, certificate, policy) {
            case .trustRoot?, .trustAsRoot?: true
            case .deny?, .unspecified?, nil: false
            }
        }
    }
}

extension TrustSettings {
    /// What the first settings that say anything decide of a certificate.
    static func decision(
        of settings: [TrustSettings],
        _ certificate: Certificate,
        _ policy: CertificatePolicy
    ) -> Decision? {
        settings.lazy.compactMap {
            $0.entry(for: certificate)?.decision(for: policy, isSelfIssued: certificate.isSelfIssued)
        }.first
    }
}

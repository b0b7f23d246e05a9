// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore

/// The certificates that may end the chain of a request.
struct Anchors {
    private var given: [OpenSSLCertificate] = []
    private var system: [OpenSSLCertificate] = []
    /// The anchors of trust settings, by their encodings.
    private var ofSettings: [[UInt8]: OpenSSLCertificate] = [:]
    /// Certificates of trust settings that are not anchors: chains are built with them so that a denial is found.
    private(set) var others: [OpenSSLCertificate] = []

    /// - Parameters:
    ///   - request: specifies which of them are used.
    ///   - parsed: the certificates of the request, as far as OpenSSL can read them.
    ///   - openssl: the library.
    init(of request: TrustRequest, parsed: [OpenSSLCertificate?], openssl: OpenSSL) {
        given = request.anchors.compactMap { OpenSSLCertificate(der: $0, openssl) }
        // Only settings and implicit anchors require more of the presented certificates than OpenSSL provides.
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

    /// All anchors; those of trust settings and those of the request come first.
    var all: [OpenSSLCertificate] { Array(ofSettings.values) + given + system }

    /// Whether a chain ends at an anchor of trust settings.
    func areOfSettings(_ last: [UInt8]?) -> Bool { last.map { ofSettings[$0] != nil } ?? false }

    /// Whether settings make a certificate an anchor for all policies.
    private static func isTrusted(_ certificate: Certificate, _ request: TrustRequest) -> Bool {
        let others = request.policies.filter { if case .revocation = $0 { false } else { true } }
        // A policy of revocation alone applies to anything trusted.
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
    /// The decision about a certificate in the first settings that have one.
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

// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore

/// The certificates at which the chain of a request may end.
struct Anchors {
    private var given: [ParsedCertificate] = []
    private var system: [ParsedCertificate] = []
    /// Those of trust settings, by their encodings.
    private var ofSettings: [[UInt8]: ParsedCertificate] = [:]

    /// - Parameters:
    ///   - request: which of them count.
    ///   - parsed: the certificates of the request, as far as OpenSSL can read them.
    ///   - library: the functions.
    init(_ request: TrustRequest, _ parsed: [ParsedCertificate?], _ library: OpenSSLLibrary) {
        given = request.anchors.compactMap { ParsedCertificate(der: $0, library) }
        let shown = request.certificates.compactMap { try? Certificate(der: $0) }
        if request.hasImplicitAnchors {
            let roots = Set(shown.filter(\.isSelfIssued).map(\.der))
            given += zip(request.certificates, parsed).filter { roots.contains($0.0) }.compactMap(\.1)
        }
        guard request.usesSystemAnchors else { return }
        system = SystemAnchors.list(library)
        let stored = request.settings.flatMap(\.entries.values).compactMap(\.certificate)
            .compactMap { try? Certificate(der: $0) }
        for certificate in stored + shown where Self.isTrusted(certificate, request) {
            ofSettings[certificate.der] = ParsedCertificate(der: certificate.der, library)
        }
    }

    /// All of them; those of trust settings and those that were given first.
    var all: [ParsedCertificate] { Array(ofSettings.values) + given + system }

    /// Whether a chain ends at an anchor of trust settings.
    func areOfSettings(_ last: [UInt8]?) -> Bool { last.map { ofSettings[$0] != nil } ?? false }

    /// Whether settings make a certificate an anchor for all policies.
    private static func isTrusted(_ certificate: Certificate, _ request: TrustRequest) -> Bool {
        let policies = request.policies.filter { if case .revocation = $0 { false } else { true } }
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

// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// One run of X509_verify_cert(3), which continues after every error, so that all of them are known.
struct ChainVerification {
    /// The certificates in DER, from the evaluated one to the last that was found.
    private(set) var chain: [[UInt8]] = []

    /// The defects, each with its certificate in the chain.
    private(set) var findings: [Finding] = []

    /// The positions of certificates that claim to be authorities (RFC 5280, section 4.2.1.9).
    private(set) var authorities: Set<Int> = []

    struct Finding: Hashable {
        let position: Int
        let defect: TrustDefect
    }

    /// Builds a chain and verifies it, without a policy.
    ///
    /// - Parameters:
    ///   - leaf: the certificate.
    ///   - untrusted: certificates that may be in the chain.
    ///   - anchors: the certificates that may end it.
    ///   - date: the time at which it must be valid.
    ///   - securityLevel: the minimum strength of keys and digests (SSL_CTX_set_security_level(3)): 1 for 80 bits, 2
    ///     for 112.
    ///   - openssl: the library.
    /// - Throws: `errSecAllocate` if memory is insufficient.
    init(
        _ leaf: OpenSSLCertificate,
        untrusted: [OpenSSLCertificate],
        anchors: [OpenSSLCertificate],
        at date: Timestamp,
        securityLevel: Int32,
        _ openssl: OpenSSL
    ) throws(KeychainError) {
        let journal = Journal(openssl)
        let result = withExtendedLifetime((leaf, untrusted, anchors, journal)) {
            COpenSSL.verify(
                openssl.functions,
                leaf.pointer,
                untrusted.map(\.pointer),
                untrusted.count,
                anchors.map(\.pointer),
                anchors.count,
                date.secondsSince1970,
                securityLevel,
                Journal.record,
                Journal.add,
                Unmanaged.passUnretained(journal).toOpaque()
            )
        }
        guard result >= 0 else { throw KeychainError(.allocate, "memory is short") }
        self = journal.verification
        if result == 0 { findings.append(Finding(position: 0, defect: .invalidChain)) }
    }

    private init() {}

    /// The reports of OpenSSL; it lives as long as the run.
    private final class Journal {
        /// Limits the reports that a hostile chain can cause.
        private static let maximumFindings = 1000

        private let openssl: OpenSSL
        private(set) var verification = ChainVerification()

        init(_ openssl: OpenSSL) { self.openssl = openssl }

        static let record: @convention(c) (UnsafeMutableRawPointer?, Int32, Int32) -> Void = { context, error, depth in
            guard let journal = journal(context) else { return }
            let defect = TrustDefect(openSSLError: error)
            let finding = Finding(position: Int(max(0, depth)), defect: defect)
            let findings = journal.verification.findings
            guard findings.count < maximumFindings, !findings.contains(finding) else { return }
            journal.verification.findings.append(finding)
        }

        static let add: @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, Int32) -> Void = {
            context,
            certificate,
            isAuthority in
            guard let journal = journal(context), let certificate else { return }
            if isAuthority != 0 { journal.verification.authorities.insert(journal.verification.chain.count) }
            journal.verification.chain.append(OpenSSLCertificate.der(of: certificate, journal.openssl))
        }

        private static func journal(_ context: UnsafeMutableRawPointer?) -> Journal? {
            context.map { Unmanaged<Journal>.fromOpaque($0).takeUnretainedValue() }
        }
    }
}

extension TrustDefect {
    /// The defect for an error of X509_STORE_CTX_get_error(3).
    init(openSSLError: Int32) {
        self = TrustDefect(rawValue: String(cString: COpenSSL.defect(openSSLError))) ?? .invalidChain
    }
}

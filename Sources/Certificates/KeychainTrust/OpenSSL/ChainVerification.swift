// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// One run of X509_verify_cert(3), which goes on after what it finds wrong, so that all of it is known.
struct ChainVerification {
    /// The certificates, from the one that is judged to the last that was found.
    private(set) var chain: [[UInt8]] = []

    /// What is wrong, and with which certificate of the chain.
    private(set) var findings: [Finding] = []

    /// The positions of certificates that say themselves that they may issue others (RFC 5280, section 4.2.1.9).
    private(set) var authorities: Set<Int> = []

    struct Finding: Hashable {
        let position: Int
        let defect: TrustDefect
    }

    /// Builds a chain and judges it, without a policy.
    ///
    /// - Parameters:
    ///   - leaf: the certificate.
    ///   - others: certificates that may be in the chain.
    ///   - anchors: those that may end it.
    ///   - date: when it is to be valid.
    ///   - securityLevel: how weak keys and digests may be (SSL_CTX_set_security_level(3)): 1 for 80 bits, 2 for 112.
    ///   - library: the functions.
    /// - Throws: `errSecAllocate`
    init(
        _ leaf: ParsedCertificate,
        others: [ParsedCertificate],
        anchors: some Sequence<ParsedCertificate>,
        at date: Timestamp,
        securityLevel: Int32,
        _ library: OpenSSLLibrary
    ) throws(KeychainError) {
        let store = AnchorStore(anchors, library)
        let list = CertificateList(others, library)
        let verification = library.newVerification(library.context, nil)
        defer {
            library.freeVerification(verification)
            library.forgetErrors()
        }
        guard store.pointer != nil, list.pointer != nil,
            library.beginVerification(verification, store.pointer, leaf.pointer, list.pointer) == 1
        else { throw KeychainError(.allocate, "memory is short") }
        let parameters = library.parameters(verification)
        VerificationParameters.set(parameters, at: date, library)
        library.setSecurityLevel(parameters, securityLevel)
        let journal = Journal(library)
        _ = library.setCallbackData(verification, 0, Unmanaged.passUnretained(journal).toOpaque())
        library.setCallback(verification, Journal.callback)
        let result = withExtendedLifetime(journal) { library.verify(verification) }
        findings = journal.findings
        // The callback never ends a run: what did, such as short memory, left checks undone.
        if result != 1 { findings.append(Finding(position: 0, defect: .invalidChain)) }
        read(library.chain(verification), library)
    }

    private mutating func read(_ list: OpaquePointer?, _ library: OpenSSLLibrary) {
        for position in 0..<max(0, library.count(list)) {
            let certificate = library.element(list, position)
            chain.append(ParsedCertificate.der(of: certificate, library))
            if library.certificateAuthorityKind(certificate) == 1 { authorities.insert(Int(position)) }
        }
    }

    /// What the callback writes down; it lives as long as the run.
    private final class Journal {
        /// A hostile chain must not be told of forever.
        private static let mostFindings = 1000

        private let library: OpenSSLLibrary
        private(set) var findings: [Finding] = []

        init(_ library: OpenSSLLibrary) { self.library = library }

        /// Notes an error, and has the run go on (X509_STORE_CTX_set_verify_cb(3)).
        static let callback: OpenSSLLibrary.Callback = { isFine, verification in
            guard isFine == 0, let library = try? OpenSSLLibrary.shared,
                let data = library.callbackData(verification, 0)
            else { return 1 }
            Unmanaged<Journal>.fromOpaque(data).takeUnretainedValue().note(verification)
            return 1
        }

        private func note(_ verification: OpaquePointer?) {
            let defect = VerificationCode.defect(library.error(verification)) ?? .invalidChain
            let position = Int(max(0, library.errorDepth(verification)))
            let finding = Finding(position: position, defect: defect)
            if findings.count < Self.mostFindings, !findings.contains(finding) { findings.append(finding) }
        }
    }
}

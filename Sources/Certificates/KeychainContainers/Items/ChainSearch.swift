// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates

/// The chains of certificates of one PKCS #12 document, for which no signature is verified twice.
///
/// The author of a file decides how many certificates of one name are in it, and how many keys have the same one.
struct ChainSearch {
    /// The work that the signatures of one file may cost; a signature with a key of P-521 takes about a millisecond.
    static let mostWork = 2000

    /// So many bytes of certificates cost as much as one signature: they are hashed and compared.
    private static let bytesPerUnit = 1 << 18

    private let pool: CertificatePool
    private let isSigned: (_ certificate: Certificate, _ issuer: Certificate) -> Bool
    /// What is left of the work.
    private(set) var left: Int
    private var answers: [Pair: Bool] = [:]

    private struct Pair: Hashable {
        let issuer: Certificate
        let certificate: Certificate
    }

    /// A search among certificates.
    ///
    /// - Parameters:
    ///   - certificates: those of the file.
    ///   - work: how much work is allowed: what earlier documents of the file have left.
    ///   - isSigned: whether the second certificate's key has signed the first.
    init(
        _ certificates: [Certificate],
        work: Int = Self.mostWork,
        isSigned: @escaping (_ certificate: Certificate, _ issuer: Certificate) -> Bool = { $0.isSigned(by: $1) }
    ) {
        pool = CertificatePool(certificates)
        left = work
        self.isSigned = isSigned
    }

    /// A certificate and those that have issued it (``CertificatePool/chain(from:_:)``).
    ///
    /// - Throws: when more signatures have to be verified than is allowed for a file.
    mutating func chain(from leaf: Certificate) throws(ContainerError) -> [Certificate] {
        let chain = try pool.chain(from: leaf) { (issuer, certificate) throws(ContainerError) in
            try hasSigned(issuer, certificate)
        }
        try spend(chain.reduce(0) { $0 + $1.der.count } / Self.bytesPerUnit)
        return chain
    }

    private mutating func hasSigned(
        _ issuer: Certificate,
        _ certificate: Certificate
    ) throws(ContainerError) -> Bool {
        let pair = Pair(issuer: issuer, certificate: certificate)
        if let known = answers[pair] { return known }
        try spend(1 + certificate.der.count / Self.bytesPerUnit)
        let answer = isSigned(certificate, issuer)
        answers[pair] = answer
        return answer
    }

    private mutating func spend(_ work: Int) throws(ContainerError) {
        guard work <= left else { throw .unsupported("the file asks for more work than is allowed") }
        left -= work
    }
}

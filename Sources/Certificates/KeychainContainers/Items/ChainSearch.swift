// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates

/// The certificate chains of one PKCS #12 document; no signature is verified twice.
///
/// The author of a file chooses how many certificates of one name it has, and how many keys share a certificate.
struct ChainSearch {
    /// The maximum work for the signatures of one file; a signature with a P-521 key takes about a millisecond.
    static let maximumWork = 2000

    /// The number of certificate bytes that cost as much as one signature, because they are hashed and compared.
    private static let bytesPerUnit = 1 << 18

    private let pool: CertificatePool
    private let isSigned: (_ certificate: Certificate, _ issuer: Certificate) -> Bool
    /// The remaining work.
    private(set) var left: Int
    private var answers: [Pair: Bool] = [:]

    private struct Pair: Hashable {
        let issuer: Certificate
        let certificate: Certificate
    }

    /// A search in certificates.
    ///
    /// - Parameters:
    ///   - certificates: the certificates of the file.
    ///   - work: the permitted work, which earlier documents of the file left.
    ///   - isSigned: whether the second certificate's key signed the first.
    init(
        _ certificates: [Certificate],
        work: Int = Self.maximumWork,
        isSigned: @escaping (_ certificate: Certificate, _ issuer: Certificate) -> Bool = { $0.isSigned(by: $1) }
    ) {
        pool = CertificatePool(certificates)
        left = work
        self.isSigned = isSigned
    }

    /// A certificate and its issuers (``CertificatePool/chain(from:_:)``).
    ///
    /// - Throws: if more signatures would have to be verified than a file may require.
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

// SPDX-License-Identifier: Apache-2.0

/// The available certificates by their subjects, for building chains.
package struct CertificatePool: Sendable {
    /// The maximum number of certificates in a chain, including the first.
    package static let longestChain = 10

    /// The maximum number of certificates with one name whose signatures are verified; if there are more, the first is
    /// used.
    private static let maximumCandidates = 16

    /// The maximum number of possible issuers: each costs the evaluation of a chain.
    package static let maximumIssuers = 128

    private let bySubject: [[UInt8]: [Certificate]]

    /// The certificates, in any order; a duplicate occurs only once in a chain.
    package init(_ certificates: [Certificate]) {
        bySubject = Dictionary(grouping: certificates, by: \.normalizedSubject)
    }

    /// The possible issuers of a certificate, direct and indirect, by their names.
    ///
    /// - Parameter leaf: the certificate.
    /// - Returns: At most ``maximumIssuers`` others, the nearest first.
    package func possibleIssuers(of leaf: Certificate) -> [Certificate] {
        var found: [Certificate] = []
        var seen: Set<Certificate> = [leaf]
        var names = [leaf.normalizedIssuer]
        var seenNames = Set(names)
        for _ in 1..<Self.longestChain where !names.isEmpty && found.count < Self.maximumIssuers {
            let level = names.flatMap { bySubject[$0, default: []] }.filter { seen.insert($0).inserted }
            found += level
            names = level.map(\.normalizedIssuer).filter { seenNames.insert($0).inserted }
        }
        return Array(found.prefix(Self.maximumIssuers))
    }

    /// A certificate and its issuers, in order, as far as they are available.
    ///
    /// The issuer is found by its name. If several have the name, as after the renewal of an authority's key, the one
    /// that signed the certificate is used, or the first if none did.
    ///
    /// - Parameters:
    ///   - leaf: the first of the chain.
    ///   - hasSigned: whether the first certificate's key signed the second.
    /// - Returns: The chain, without duplicates.
    /// - Throws: The errors of `hasSigned`.
    package func chain<Failure: Error>(
        from leaf: Certificate,
        _ hasSigned: (_ issuer: Certificate, _ certificate: Certificate) throws(Failure) -> Bool
    ) throws(Failure) -> [Certificate] {
        var chain = [leaf]
        while chain.count < Self.longestChain, let last = chain.last, !last.isSelfIssued {
            let candidates = bySubject[last.normalizedIssuer, default: []].prefix(Self.maximumCandidates)
                .filter { !chain.contains($0) }
            guard var issuer = candidates.first else { break }
            if candidates.count > 1 {
                for candidate in candidates where try hasSigned(candidate, last) {
                    issuer = candidate
                    break
                }
            }
            chain.append(issuer)
        }
        return chain
    }
}

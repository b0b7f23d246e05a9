// SPDX-License-Identifier: Apache-2.0

/// Certificates at hand, by their subjects: from which chains are built.
package struct CertificatePool: Sendable {
    /// How many certificates a chain has at most, the one that it begins with among them.
    package static let longestChain = 10

    /// So many certificates of one name are compared by their signatures; of more the first is taken.
    private static let mostCandidates = 16

    /// The maximum number of possible issuers: each costs the evaluation of a chain.
    package static let mostIssuers = 128

    private let bySubject: [[UInt8]: [Certificate]]

    /// The certificates, in any order; one that is there twice counts once in a chain.
    package init(_ certificates: [Certificate]) {
        bySubject = Dictionary(grouping: certificates, by: \.normalizedSubject)
    }

    /// The certificates that may be above one in a chain, by their names.
    ///
    /// - Parameter leaf: the certificate.
    /// - Returns: At most ``mostIssuers`` others, those nearest to it first.
    package func possibleIssuers(of leaf: Certificate) -> [Certificate] {
        var found: [Certificate] = []
        var seen: Set<Certificate> = [leaf]
        var names = [leaf.normalizedIssuer]
        var seenNames = Set(names)
        for _ in 1..<Self.longestChain where !names.isEmpty && found.count < Self.mostIssuers {
            let level = names.flatMap { bySubject[$0, default: []] }.filter { seen.insert($0).inserted }
            found += level
            names = level.map(\.normalizedIssuer).filter { seenNames.insert($0).inserted }
        }
        return Array(found.prefix(Self.mostIssuers))
    }

    /// A certificate and those that have issued it, one after the other, as far as they are at hand.
    ///
    /// The issuer is found by its name. Of several with the name, as after the renewal of an authority's key, the one
    /// that has signed is taken, and where none has, the first.
    ///
    /// - Parameters:
    ///   - leaf: the first of the chain.
    ///   - hasSigned: whether the first certificate's key has signed the second.
    /// - Returns: The chain, in which no certificate stands twice.
    /// - Throws: what `hasSigned` throws.
    package func chain<Failure: Error>(
        from leaf: Certificate,
        _ hasSigned: (_ issuer: Certificate, _ certificate: Certificate) throws(Failure) -> Bool
    ) throws(Failure) -> [Certificate] {
        var chain = [leaf]
        while chain.count < Self.longestChain, let last = chain.last, !last.isSelfIssued {
            let candidates = bySubject[last.normalizedIssuer, default: []].prefix(Self.mostCandidates)
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

// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The certificates and keys that form identities by public key hash.
///
/// They are counted and sorted without creating each pair: both can be numerous for one hash.
struct PairedHalves {
    /// A row that can be half of an identity.
    struct Half {
        /// The tag of its hash; `nil` for none.
        let link: SearchTag?
        /// The tag that matching halves have for the hash; `nil` for a row that does not open, which is found through
        /// the other half.
        let linkOfOthers: SearchTag?
        /// The terms that it fails.
        let failed: TermSet
        /// Whether it is a public key that is stored as a private one.
        let isPublicKey: Bool
    }

    /// The common properties of rows that are equivalent in every pair.
    private struct Kind: Hashable {
        let failed: TermSet
        let isOpen: Bool
        let isPublicKey: Bool

        init(_ half: Half) {
            failed = half.failed
            isOpen = half.linkOfOthers != nil
            isPublicKey = half.isPublicKey
        }
    }

    /// The rows of one hash, by their positions among all rows.
    private struct Group {
        var certificates: [Kind: [Int]] = [:]
        var keys: [Kind: [Int]] = [:]
    }

    private let certificates: [Half]
    private let keys: [Half]
    /// By the tag that certificates have for the hash.
    private var groups: [SearchTag: Group] = [:]

    /// Pairs of rows, each in the order of the store.
    init(certificates: [Half], keys: [Half]) {
        self.certificates = certificates
        self.keys = keys
        var ofCertificates: [SearchTag: SearchTag] = [:]
        for (index, half) in certificates.enumerated() {
            guard let link = half.link else { continue }
            if let others = half.linkOfOthers { ofCertificates[others] = link }
            groups[link, default: Group()].certificates[Kind(half), default: []].append(index)
        }
        for (index, half) in keys.enumerated() {
            guard let link = half.link, let group = half.linkOfOthers ?? ofCertificates[link] else { continue }
            groups[group]?.keys[Kind(half), default: []].append(index)
        }
    }

    /// The number of pairs.
    var pairCount: Int {
        var count = 0
        forEachKind { count += $1.count * $3.count }
        return count
    }

    /// How many pairs fail exactly a set of terms.
    var failures: [TermSet: Int] {
        var failures: [TermSet: Int] = [:]
        forEachKind { certificate, certificates, key, keys in
            failures[certificate.failed.union(key.failed), default: 0] += certificates.count * keys.count
        }
        return failures
    }

    /// The unpaired rows, by their positions among those of their half; certificates first.
    var lone: [(half: IdentityHalf, index: Int)] {
        var paired: (certificates: Set<Int>, keys: Set<Int>) = ([], [])
        forEachKind { _, certificates, _, keys in
            paired.certificates.formUnion(certificates)
            paired.keys.formUnion(keys)
        }
        return certificates.indices.filter { !paired.certificates.contains($0) }.map { (.certificate, $0) }
            + keys.indices.filter { !paired.keys.contains($0) }.map { (.key, $0) }
    }

    /// The sort position of a pair: by distance, then those with a private key first, then in store order.
    private struct Rank: Comparable {
        let distance: Int
        let isPublicKey: Bool
        let certificate: Int
        let key: Int

        static func < (left: Rank, right: Rank) -> Bool {
            (left.distance, left.isPublicKey ? 1 : 0, left.certificate, left.key)
                < (right.distance, right.isPublicKey ? 1 : 0, right.certificate, right.key)
        }
    }

    /// The nearest pairs.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of pairs.
    ///   - distance: returns the distance of a pair that fails a set of terms.
    /// - Returns: For each pair, the positions of its certificate and its key among those of their half.
    func nearest(_ limit: Int, _ distance: (TermSet) -> Int) -> [(certificate: Int, key: Int)] {
        guard limit > 0 else { return [] }
        var nearest: [Rank] = []
        forEachKind { certificate, certificates, key, keys in
            let distance = distance(certificate.failed.union(key.failed))
            func rank(_ certificate: Int, _ other: Int) -> Rank {
                Rank(distance: distance, isPublicKey: key.isPublicKey, certificate: certificate, key: other)
            }
            if nearest.count == limit, let last = nearest.last, last < rank(certificates[0], keys[0]) { return }
            let fewKeys = keys.prefix(limit)
            let enough = certificates.prefix((limit + fewKeys.count - 1) / fewKeys.count)
            for certificate in enough { nearest += fewKeys.map { rank(certificate, $0) } }
            nearest.sort()
            nearest.removeLast(max(0, nearest.count - limit))
        }
        return nearest.map { ($0.certificate, $0.key) }
    }

    /// Goes through all pairs, those that count alike together; in no order.
    private func forEachKind(
        _ body: (_ certificate: Kind, _ certificates: [Int], _ key: Kind, _ keys: [Int]) -> Void
    ) {
        for group in groups.values {
            for (certificate, certificates) in group.certificates {
                for (key, keys) in group.keys where certificate.isOpen || key.isOpen {
                    body(certificate, certificates, key, keys)
                }
            }
        }
    }
}

/// Terms of a search, by their index.
struct TermSet: Hashable {
    // A query has too few keys for more terms.
    private var bits = SIMD4<UInt64>()

    private static let bitsOfWord = 64

    init(_ indices: [Int]) {
        for index in indices { bits[index / Self.bitsOfWord] |= 1 << UInt64(index % Self.bitsOfWord) }
    }

    /// The terms of both.
    func union(_ other: TermSet) -> TermSet {
        var union = self
        union.bits |= other.bits
        return union
    }

    /// The terms in their order.
    var indices: [Int] {
        (0..<4 * Self.bitsOfWord).filter { bits[$0 / Self.bitsOfWord] & 1 << UInt64($0 % Self.bitsOfWord) != 0 }
    }
}

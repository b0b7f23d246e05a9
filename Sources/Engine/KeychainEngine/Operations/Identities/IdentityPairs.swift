// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// The pairs of a certificate and a key that are identities, found without comparing each with each.
///
/// Tags of different classes cannot be compared, so tables cannot be joined: the rows of one half are opened, and each
/// hash leads through an index to the rows of the other, which stay closed. Rows that cannot be opened are matched in
/// the opposite direction, so that a row without a counterpart is never an obstacle.
final class IdentityPairs {
    /// Two rows that are an identity.
    struct Pair {
        let certificate: NumberedRow
        let key: NumberedRow
    }

    /// A result of the iteration over the pairs.
    enum Step {
        case pair(Pair)
        /// Half of an identity that does not open.
        case damaged(DamagedRow)
    }

    /// So few rows are opened without asking whether the other half would be cheaper.
    private static let few = 16

    private let transaction: ItemTransaction
    private let filters: [IdentityHalf: RowFilter]
    private var hashes: [IdentityHalf: Hashes] = [:]
    /// The rows of the half that stays closed, by their hash.
    private var counterparts: [AttributeValue: [NumberedRow]] = [:]

    /// The hashes of one half's rows, as tags of the other half.
    private struct Hashes {
        var tags: Set<SearchTag> = []
        /// Whether there are rows that cannot be opened, so that their counterparts are unknown.
        var areIncomplete = false
    }

    /// - Returns: `nil` when nothing can match either half.
    init?(_ transaction: ItemTransaction, certificates: RowSelection, keys: RowSelection) {
        guard let certificates = certificates.filter, var keys = keys.filter else { return nil }
        let isPrivate = transaction.tags.attributeTag(in: .key, name: .isPrivate, value: .number(.integer(1)))
        if let given = keys.tags.first(where: { $0.name == .isPrivate }) {
            guard given == isPrivate else { return nil }
        } else {
            keys.tags.append(isPrivate)
        }
        self.transaction = transaction
        filters = [.certificate: certificates, .key: keys]
    }

    /// Iterates over the pairs until no more are wanted.
    ///
    /// Those with a private key come first, so that an additional stored public key hides none of them: it forms an
    /// identity too (Semantics, open question 12).
    ///
    /// `take` is called with each, and returns whether to continue.
    ///
    /// - Throws: The error that prevents half of an identity from being opened, for example because the device is
    ///   locked.
    func visit(_ take: (Step) throws(KeychainError) -> Bool) throws(KeychainError) {
        var publicPairs: [Pair] = []
        let half = try drivingHalf()
        for row in try rows(of: half) {
            for step in try steps(row, of: half) {
                if case .pair(let pair) = step, transaction.tags.isPublicKey(pair.key.row) {
                    publicPairs.append(pair)
                    continue
                }
                guard try take(step) else { return }
            }
        }
        for pair in publicPairs {
            guard try take(.pair(pair)) else { return }
        }
    }

    /// Why there is no pair: there is none, or one could be formed with a row in quarantine.
    func absence() throws(KeychainError) -> KeychainError {
        for half in [IdentityHalf.certificate, .key] {
            for row in try quarantinedRows(of: half) where try isInPair(row, half, amongDamaged: true) {
                return KeychainError(quarantined: row)
            }
        }
        return KeychainError(.itemNotFound, "no identity matches")
    }

    private func steps(_ row: NumberedRow, of half: IdentityHalf) throws(KeychainError) -> [Step] {
        guard row.row.tags.contains(where: { $0.name == half.link }) else { return [] }
        let opened: Opened<OpenedMetadata>
        do throws(KeychainError) {
            opened = try transaction.sealer.openMetadata(row)
        } catch {
            if try isInPair(row, half) { throw error }
            return []
        }
        switch opened {
        case .damaged(let damaged):
            return try isInPair(row, half) ? [.damaged(damaged)] : []
        case .content(let metadata):
            guard let hash = metadata.attributes[half.link] else { return [] }
            return try counterparts(of: half, hash).map { mate in
                switch half {
                case .certificate: .pair(Pair(certificate: row, key: mate))
                case .key: .pair(Pair(certificate: mate, key: row))
                }
            }
        }
    }

    /// The rows of the other half, which many rows may have in common.
    private func counterparts(of half: IdentityHalf, _ hash: AttributeValue) throws(KeychainError) -> [NumberedRow] {
        if let known = counterparts[hash] { return known }
        let found = try rows(of: half.other, hash)
        counterparts[hash] = found
        return found
    }

    /// The half whose rows are opened: the one that a filter leaves few of.
    private func drivingHalf() throws(KeychainError) -> IdentityHalf {
        for half in [IdentityHalf.certificate, .key] {
            guard let filter = filters[half], filter.isSelective else { continue }
            if try transaction.rows.count(filter, limit: Self.few + 1) <= Self.few { return half }
        }
        guard let certificates = filters[.certificate], let keys = filters[.key] else { return .key }
        let keyCount = try transaction.rows.count(keys, limit: .max)
        return try transaction.rows.count(certificates, limit: max(keyCount, 1)) < keyCount ? .certificate : .key
    }

    private func rows(of half: IdentityHalf, _ hash: AttributeValue? = nil) throws(KeychainError) -> [NumberedRow] {
        guard var filter = filters[half] else { return [] }
        if let hash { filter.tags.append(half.tag(hash, transaction.tags)) }
        return try transaction.rows.rows(filter)
    }

    private func quarantinedRows(of half: IdentityHalf, limit: Int? = nil) throws(KeychainError) -> [NumberedRow] {
        guard let filter = filters[half] else { return [] }
        return try transaction.rows.quarantinedRows(filter, limit: limit)
    }

    /// Whether a row that cannot be opened is half of an identity, or may be.
    private func isInPair(
        _ row: NumberedRow,
        _ half: IdentityHalf,
        amongDamaged: Bool = false
    ) throws(KeychainError) -> Bool {
        guard let link = row.row.tags.first(where: { $0.name == half.link }) else { return false }
        if amongDamaged, try !quarantinedRows(of: half.other, limit: 1).isEmpty { return true }
        let known = try knownHashes(of: half.other)
        return known.areIncomplete || known.tags.contains(link.tag)
    }

    private func knownHashes(of half: IdentityHalf) throws(KeychainError) -> Hashes {
        if let known = hashes[half] { return known }
        var collected = Hashes()
        for row in try rows(of: half) where row.row.tags.contains(where: { $0.name == half.link }) {
            guard case .content(let metadata)? = try? transaction.sealer.openMetadata(row) else {
                collected.areIncomplete = true
                continue
            }
            guard let hash = metadata.attributes[half.link] else { continue }
            collected.tags.insert(half.other.tag(hash, transaction.tags).tag)
        }
        hashes[half] = collected
        return collected
    }
}

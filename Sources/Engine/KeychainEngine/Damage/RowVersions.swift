// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainStore

/// Chooses between rows of a damaged store that are one item, or claim one primary key.
///
/// A page that was not written, or in the place of another one, leaves an earlier version of an item beside the later
/// one, in any order. Both authenticate; the one that was modified last counts.
struct RowVersions {
    /// What the rows are of which there are several, by their places in the order in which a store passes them.
    private(set) var judgements: [Int: RowJudge.Judgement] = [:]

    /// Why a row is left out, because another one is the same item.
    private(set) var leftOut: [Int: Reason] = [:]

    /// The rows that stay in quarantine, because another item has their primary key.
    private(set) var setAside: Set<Int> = []

    /// Why a row is left out.
    enum Reason: String {
        case copy = "it is there twice"
        case earlier = "an earlier version of an item that is there"
        case undated = "another version of an item that is there; which one is later is not known"
    }

    /// Judges the rows of which there are several, and chooses.
    init(_ salvage: SalvagedStore, _ judge: inout RowJudge) throws(KeychainError) {
        var (identifiers, primaryKeys) = (Repeated<ItemIdentifier>(), Repeated<SearchTag>())
        try salvage.forEachRow { (salvaged) throws(KeychainError) in
            let row = salvaged.row.row
            identifiers.count(row.identifier, row.itemClass)
            primaryKeys.count(row.primaryKeyTag, row.itemClass)
        }
        guard !identifiers.isEmpty || !primaryKeys.isEmpty else { return }
        var (place, judging) = (-1, judge)
        defer { judge = judging }
        var candidates: [Candidate] = []
        var found: [Int: RowJudge.Judgement] = [:]
        try salvage.forEachRow { (salvaged) throws(KeychainError) in
            place += 1
            let row = salvaged.row.row
            guard
                identifiers.contains(row.identifier, row.itemClass)
                    || primaryKeys.contains(row.primaryKeyTag, row.itemClass)
            else { return }
            let judgement = try judging.judge(salvaged)
            found[place] = judgement
            if let candidate = Candidate(salvaged.row, at: place, judgement, by: judging) {
                candidates.append(candidate)
            }
        }
        judgements = found
        chooseVersions(candidates)
        chooseHolders(candidates)
    }

    private mutating func chooseVersions(_ candidates: [Candidate]) {
        for (other, kept) in candidates.compared(by: \.row.identifier, { $0.isLater(than: $1) }) {
            leftOut[other.place] = other.reason(beside: kept)
        }
    }

    private mutating func chooseHolders(_ candidates: [Candidate]) {
        let holders = candidates.filter { leftOut[$0.place] == nil && $0.claimsPrimaryKey }
        for (other, _) in holders.compared(by: \.row.primaryKeyTag, { $0.isHolder(before: $1) }) {
            setAside.insert(other.place)
        }
    }
}

extension [Candidate] {
    /// Compares each with the best one so far of the same class and value.
    ///
    /// - Parameters:
    ///   - value: the value.
    ///   - isBetter: whether a candidate is better than one that comes before it.
    /// - Returns: The pairs: the worse one, and the better one.
    fileprivate func compared<Value: Hashable>(
        by value: (Candidate) -> Value,
        _ isBetter: (Candidate, Candidate) -> Bool
    ) -> [(worse: Candidate, better: Candidate)] {
        var best: [Key<Value>: Candidate] = [:]
        var pairs: [(worse: Candidate, better: Candidate)] = []
        for candidate in self {
            let key = Key(value: value(candidate), itemClass: candidate.row.itemClass)
            guard let former = best[key] else {
                best[key] = candidate
                continue
            }
            let pair = isBetter(candidate, former) ? (former, candidate) : (candidate, former)
            best[key] = pair.1
            pairs.append(pair)
        }
        return pairs
    }
}

/// A row that can be kept.
private struct Candidate {
    let place: Int
    /// As it would be kept.
    let row: StoredRow
    let claimsPrimaryKey: Bool
    private let isInQuarantine: Bool
    private let opens: Bool
    private let date: Timestamp?

    init?(_ row: NumberedRow, at place: Int, _ judgement: RowJudge.Judgement, by judge: RowJudge) {
        self.place = place
        isInQuarantine = row.damage != nil
        switch judgement {
        case .lost: return nil
        case .intact: (self.row, opens) = (row.row, true)
        case .mended(let mended, _): (self.row, opens) = (mended, true)
        case .locked, .destroyed: (self.row, opens) = (row.row, false)
        }
        claimsPrimaryKey = opens || !isInQuarantine
        date = opens ? judge.attributes(of: self.row)?.modificationDate : nil
    }

    /// Whether it is the version to keep, and not one that comes before it in the file.
    ///
    /// What opens counts more than what is locked, of which the time is not known.
    func isLater(than other: Candidate) -> Bool {
        if opens != other.opens { return opens }
        if let date, let former = other.date { return date > former }
        return !isInQuarantine && other.isInQuarantine
    }

    /// Whether it has the primary key, and not one that comes before it in the file: what was in use keeps it.
    func isHolder(before other: Candidate) -> Bool {
        isInQuarantine == other.isInQuarantine ? isLater(than: other) : !isInQuarantine
    }

    func reason(beside kept: Candidate) -> RowVersions.Reason {
        if row.version == kept.row.version { return .copy }
        guard let date, let later = kept.date, date != later else { return .undated }
        return .earlier
    }
}

/// A value in the table of a class.
private struct Key<Value: Hashable>: Hashable {
    let value: Value
    let itemClass: ItemClass
}

/// Which values are in a table several times.
private struct Repeated<Value: Hashable> {
    private var seen: Set<Key<Value>> = []
    private var repeated: Set<Key<Value>> = []

    var isEmpty: Bool { repeated.isEmpty }

    mutating func count(_ value: Value, _ itemClass: ItemClass) {
        let key = Key(value: value, itemClass: itemClass)
        if !seen.insert(key).inserted { repeated.insert(key) }
    }

    func contains(_ value: Value, _ itemClass: ItemClass) -> Bool {
        repeated.contains(Key(value: value, itemClass: itemClass))
    }
}

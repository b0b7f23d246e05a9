// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainSync

/// The whole conflict rule, over random histories.
struct MergeTests {
    /// Few dates and digests, so that ties and equal versions are frequent.
    private static func version(_ generator: inout SeededGenerator) -> SyncVersion {
        SyncVersion(
            date: SampleCircle.date(Double(Int.random(in: -2...2, using: &generator)) * 0.001),
            digest: SyncDigest(hashing: [UInt8.random(in: 0..<4, using: &generator)])
        )
    }

    @Test("two versions merge to the same in any order, grouping and number", arguments: [1, 2, 3, 4] as [UInt64])
    func laws(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<10_000 {
            let (a, b, c) = (Self.version(&generator), Self.version(&generator), Self.version(&generator))
            let holds =
                a.merged(with: b) == b.merged(with: a) && a.merged(with: a) == a
                && a.merged(with: b).merged(with: c) == a.merged(with: b.merged(with: c))
                && !(a.wins(over: b) && b.wins(over: a)) && (a == b) == !(a.wins(over: b) || b.wins(over: a))
            guard holds else {
                Issue.record("\(a) \(b) \(c)")
                return
            }
        }
    }

    @Test("devices that hear of all changes in any order end equal", arguments: [5, 6, 7] as [UInt64])
    func histories(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let history = (0..<30).map { _ in (UInt8.random(in: 0..<5, using: &generator), Self.version(&generator)) }
            let ends = (0..<4).map { _ in
                var items: [UInt8: SyncVersion] = [:]
                for (slot, version) in history.shuffled(using: &generator) + history.prefix(7) {
                    switch version.arriving(at: items[slot], hasUnsent: true) {
                    case .replace: items[slot] = version
                    case .keep, .same: break
                    }
                }
                return items
            }
            #expect(Set(ends).count == 1)
        }
    }

    @Test("a change made after others were seen never loses to them, whatever the clock says")
    func raisedDate() {
        for now in [-1e11, 0, 3.3e9] {
            for known in [-5e8, 0, 3.3e9, 9e11] {
                let date = SyncVersion.date(
                    now: SampleCircle.date(now),
                    after: [SampleCircle.date(known), .referenceDate]
                )
                #expect(date > SampleCircle.date(known) && date > .referenceDate && date >= SampleCircle.date(now))
            }
        }
        #expect(SyncVersion.date(now: SampleCircle.date(7), after: []) == SampleCircle.date(7))
    }

    @Test("a loser that nobody else has is listed, and no other")
    func overwritten() {
        let old = SyncVersion(date: SampleCircle.date(1), digest: .zero)
        let new = SyncVersion(date: SampleCircle.date(2), digest: .zero)
        #expect(new.arriving(at: old, hasUnsent: true) == .replace(listsLoser: true))
        #expect(new.arriving(at: old, hasUnsent: false) == .replace(listsLoser: false))
        #expect(new.arriving(at: nil, hasUnsent: false) == .replace(listsLoser: false))
        #expect(old.arriving(at: new, hasUnsent: true) == .keep && new.arriving(at: new, hasUnsent: true) == .same)
    }

    @Test("an item whose slot is absent was deleted, unless it is new or changed here")
    func absent() {
        #expect(SyncVersion.absent(wasSynchronized: true, changedSince: false) == .delete)
        #expect(SyncVersion.absent(wasSynchronized: true, changedSince: true) == .send)
        #expect(SyncVersion.absent(wasSynchronized: false, changedSince: false) == .send)
    }

    @Test("a tombstone is forgotten when every member has it, or after 180 days")
    func tombstones() {
        func mayForget(_ confirmed: [UInt64], _ days: Double) -> Bool {
            SyncVersion.mayForget(
                tombstone: 9,
                madeAt: .referenceDate,
                confirmed: confirmed,
                now: SampleCircle.date(days * 86_400)
            )
        }
        #expect(mayForget([9, 12], 1) && !mayForget([8, 12], 179) && mayForget([8, 12], 180))
    }
}

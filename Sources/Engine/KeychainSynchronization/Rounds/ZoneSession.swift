// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainSync

/// A device's part in one zone: applies what others did, merges, and sends what it did itself.
///
/// It does rounds, each of which can end anywhere: what counts is in the store, and the next round, of this session or
/// another one, goes on from there. One device has one session at a time.
///
/// Its files follow `Documentation/Synchronization.md`: `+Receiving`, `+Merging`, `+Sending`, `+Membership`.
package actor ZoneSession {
    /// What a session needs of its surroundings.
    package struct Surroundings: Sendable {
        /// Waits before the next attempt.
        package var pause: @Sendable (Duration) async -> Void
        /// A number below one that is given.
        package var random: @Sendable (UInt64) -> UInt64

        /// The system's.
        package init(
            pause: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) },
            random: @escaping @Sendable (UInt64) -> UInt64 = { UInt64.random(in: 0..<$0) }
        ) {
            self.pause = pause
            self.random = random
        }
    }

    let place: SyncPlace
    let paths: CirclePaths
    let identity: SyncIdentity
    let store: any SyncStore
    let engine: any SyncEngine
    let surroundings: Surroundings
    /// What the invitation said of circle and zone, which the engine has to show.
    let offer: SyncInvitation.Offer?

    /// The membership, once it was verified.
    var circle: CircleView?
    /// The commits, as the store has applied them.
    var chain: ZoneChain?
    /// The version of the newest commit that counts, in the engine.
    var head: EnginePosition?
    /// The version of the commit behind it that does not count, and is replaced by the next one.
    var uncounted: EnginePosition?
    /// The latest positions that were verified, for comparison with the beacons of others.
    var anchors: [UInt64: ZoneAnchor] = [:]
    /// How far the beacons say that the others are.
    var confirmed: [Bytes16: UInt64] = [:]
    /// The greatest key of a commit that the engine has, whether it counts or not.
    var newest: EngineKey?
    /// Whether a later version of the program is needed to send.
    var isOutdated = false
    var report = SyncReport()

    private var isBusy = false
    private static let attempts = 12

    /// A session.
    package init(
        _ identity: SyncIdentity,
        in place: SyncPlace,
        store: any SyncStore,
        engine: any SyncEngine,
        offer: SyncInvitation.Offer? = nil,
        surroundings: Surroundings = Surroundings()
    ) {
        self.identity = identity
        self.place = place
        paths = CirclePaths(place)
        self.store = store
        self.engine = engine
        self.offer = offer
        self.surroundings = surroundings
    }

    var member: Bytes16 { identity.keys.identifier }

    /// One round: receives, merges, sends; again as long as others are faster.
    ///
    /// - Returns: What it did, and what it found.
    /// - Throws: ``SyncStop``, ``EngineError``, or what the store throws. Nothing is lost by it.
    package func round() async throws -> SyncReport {
        guard !isBusy else { throw SyncStop.busy }
        isBusy = true
        defer { isBusy = false }
        report = SyncReport()
        var attempt = 0
        while attempt < Self.attempts {
            try await receive()
            try await heal()
            try enlist()
            switch try await sendAll() {
            case .complete:
                try await tellOthers()
                report.isComplete = true
                return try finished()
            case .again:
                await surroundings.pause(delay(attempt))
                attempt += 1
            }
        }
        return try finished()
    }

    private func finished() throws -> SyncReport {
        report.number = chain?.number ?? 0
        try store.change { transaction in
            report.queued = try transaction.book.outgoing().count
            report.waiting = try transaction.book.waiting().count { $0.reason == .locked }
        }
        return report
    }

    /// A random time of up to 10 ms, doubling up to 500 ms.
    private func delay(_ attempt: Int) -> Duration {
        let longest = min(UInt64(10_000) << UInt64(min(attempt, 8)), 500_000)
        return .microseconds(Int64(surroundings.random(longest)))
    }

    func found(_ problem: SyncProblem) {
        if !report.problems.contains(problem) { report.problems.append(problem) }
    }

    /// Stops the zone in both directions.
    func stop(_ alarm: SyncAlarm) throws -> SyncStop {
        try store.change { transaction in
            var progress = try transaction.book.progress()
            progress.alarm = alarm
            try transaction.book.setProgress(progress)
            if alarm == .removed { try transaction.book.eraseKeys() }
        }
        return .alarm(alarm)
    }

    /// All entries of a range, page by page, at one position.
    func entries(
        _ range: EngineRange,
        at position: EnginePosition?
    ) async throws(EngineError) -> (entries: [EngineEntry], position: EnginePosition) {
        var found: [EngineEntry] = []
        var position = position
        var rest = range
        while true {
            let page = try await engine.scan(rest, at: position, limit: Self.pageSize)
            position = position ?? page.position
            for entry in page.entries {
                // What is answered is not trusted: not the order, either.
                guard rest.contains(entry.key) else { throw .broken("a page is out of order") }
                rest = rest.after(entry.key)
                found.append(entry)
            }
            guard page.hasMore else { return (found, position ?? page.position) }
            guard !page.entries.isEmpty else { throw .broken("a page is empty, and not the last one") }
        }
    }

    private static let pageSize = 500
}

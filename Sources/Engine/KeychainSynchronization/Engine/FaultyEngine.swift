// SPDX-License-Identifier: Apache-2.0

/// What goes wrong with one call of an engine.
package enum EngineFault: Sendable, Hashable, CaseIterable {
    /// The call does not arrive.
    case unreachable
    /// The call does not arrive, but nobody knows that.
    case timeOut
    /// The call arrives, its answer does not.
    case lostAnswer
    /// A transaction arrives before the next call of the connection, after its caller gave up.
    case late
    /// A transaction arrives twice: its answer is that of the second time.
    case doubled
    /// The history is shortened before the call.
    case compaction
    /// The engine has no space.
    case full
}

/// The connection of one device to an engine, which can fail in every way that a network or an engine does.
package actor FaultyEngine: SyncEngine {
    private let engine: any SyncEngine
    private let compact: @Sendable () async -> Void
    private var chooser: @Sendable () -> EngineFault?
    private var held: [EngineTransaction] = []
    private var isWatchHeld = false
    private var watchers: [CheckedContinuation<Void, Never>] = []

    /// Whether the engine can be reached.
    package private(set) var isReachable = true
    /// The number of calls that were made.
    package private(set) var callCount = 0

    /// A connection without faults.
    ///
    /// - Parameters:
    ///   - engine: the engine.
    ///   - compact: what shortens its history.
    package init(_ engine: any SyncEngine, compact: @escaping @Sendable () async -> Void = {}) {
        self.engine = engine
        self.compact = compact
        chooser = { nil }
    }

    /// Cuts the connection, or mends it.
    package func setReachable(_ isReachable: Bool) { self.isReachable = isReachable }

    /// Has a function choose what goes wrong with each call.
    package func fail(by chooser: @escaping @Sendable () -> EngineFault?) { self.chooser = chooser }

    /// Has the changes of the engine wait, or lets them through.
    package func holdWatch(_ isHeld: Bool) {
        isWatchHeld = isHeld
        guard !isHeld else { return }
        for watcher in watchers { watcher.resume() }
        watchers = []
    }

    package func limits() async throws(EngineError) -> EngineLimits {
        _ = try await began()
        return try await engine.limits()
    }

    package func read(
        _ keys: [EngineKey],
        at position: EnginePosition?
    ) async throws(EngineError) -> EngineSnapshot {
        let isLost = try await began()
        let answer = try await engine.read(keys, at: position)
        if isLost { throw .unreachable }
        return answer
    }

    package func scan(
        _ range: EngineRange,
        at position: EnginePosition?,
        limit: Int
    ) async throws(EngineError) -> EnginePage {
        let isLost = try await began()
        let answer = try await engine.scan(range, at: position, limit: limit)
        if isLost { throw .unreachable }
        return answer
    }

    package func commit(_ transaction: EngineTransaction) async throws(EngineError) -> EngineOutcome {
        try await deliver()
        switch chooser() {
        case nil: return try await engine.commit(transaction)
        case .unreachable: throw .unreachable
        case .timeOut: throw .outcomeUnknown
        case .lostAnswer:
            _ = try await engine.commit(transaction)
            throw .outcomeUnknown
        case .late:
            held.append(transaction)
            throw .outcomeUnknown
        case .doubled:
            _ = try await engine.commit(transaction)
            return try await engine.commit(transaction)
        case .compaction:
            await compact()
            return try await engine.commit(transaction)
        case .full: throw .full
        }
    }

    nonisolated package func changes(in range: EngineRange, after position: EnginePosition) -> EngineChanges {
        let changes = engine.changes(in: range, after: position)
        return EngineChanges { () async throws(EngineError) in
            let batch = try await changes.next()
            await self.pass()
            return batch
        }
    }

    private func pass() async {
        while isWatchHeld { await withCheckedContinuation { watchers.append($0) } }
    }

    /// Whether the answer of a call that reads gets lost.
    private func began() async throws(EngineError) -> Bool {
        try await deliver()
        switch chooser() {
        case nil, .doubled, .full: return false
        case .unreachable, .timeOut: throw .unreachable
        case .lostAnswer, .late: return true
        case .compaction:
            await compact()
            return false
        }
    }

    private func deliver() async throws(EngineError) {
        callCount += 1
        guard isReachable else { throw .unreachable }
        let late = held
        held = []
        for transaction in late { _ = try? await engine.commit(transaction) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import KeychainSynchronization
import SyncTestSupport
import Testing

/// The engine in memory keeps the rules of all engines, and so does a connection without faults.
struct EngineContractTests {
    private static func subject(_ engine: MemoryEngine, through connection: (any SyncEngine)? = nil) -> EngineSubject {
        EngineSubject(
            connection ?? engine,
            folder: "rule",
            advance: { await engine.advance(by: $0) },
            compact: { await engine.compact() }
        )
    }

    @Test("the engine in memory", arguments: EngineRule.all)
    func memory(_ rule: EngineRule) async throws { try await rule.check(Self.subject(MemoryEngine())) }

    @Test("a connection", arguments: EngineRule.all)
    func connection(_ rule: EngineRule) async throws {
        let engine = MemoryEngine()
        try await rule.check(Self.subject(engine, through: FaultyEngine(engine)))
    }

    @Test("the rules find an engine that breaks them")
    func broken() async {
        for defect in BrokenEngine.Defect.allCases {
            let engine = MemoryEngine()
            var found: [String] = []
            for rule in EngineRule.all {
                let broken = BrokenEngine(engine: MemoryEngine(), defect)
                do {
                    let subject = Self.subject(engine, through: broken)
                    try await rule.check(
                        EngineSubject(
                            broken,
                            folder: subject.folder,
                            advance: { await broken.engine.advance(by: $0) },
                            compact: { await broken.engine.compact() }
                        )
                    )
                } catch {
                    found.append(rule.description)
                }
            }
            #expect(!found.isEmpty, "\(defect)")
        }
    }
}

/// An engine with one defect.
private struct BrokenEngine: SyncEngine {
    enum Defect: CaseIterable {
        case ignoresConditions
        case putsOneByOne
        case readsTheNewest
        case forgetsDeletes
        case hasNoLimits
    }

    let engine: MemoryEngine
    let defect: Defect

    init(engine: MemoryEngine, _ defect: Defect) {
        self.engine = engine
        self.defect = defect
    }

    func limits() async throws(EngineError) -> EngineLimits {
        var limits = try await engine.limits()
        if defect == .hasNoLimits { limits.valueByteCount = 1_000 }
        return limits
    }

    func read(_ keys: [EngineKey], at position: EnginePosition?) async throws(EngineError) -> EngineSnapshot {
        try await engine.read(keys, at: defect == .readsTheNewest ? nil : position)
    }

    func scan(
        _ range: EngineRange,
        at position: EnginePosition?,
        limit: Int
    ) async throws(EngineError) -> EnginePage {
        try await engine.scan(range, at: defect == .readsTheNewest ? nil : position, limit: limit)
    }

    func commit(_ transaction: EngineTransaction) async throws(EngineError) -> EngineOutcome {
        var transaction = transaction
        switch defect {
        case .ignoresConditions: transaction.conditions = []
        case .forgetsDeletes: transaction.deletes = []
        case .putsOneByOne:
            var outcome = EngineOutcome.conflict
            for put in transaction.puts {
                outcome = try await engine.commit(
                    EngineTransaction(conditions: transaction.conditions, puts: [put])
                )
            }
            return outcome
        case .readsTheNewest, .hasNoLimits: break
        }
        return try await engine.commit(transaction)
    }

    func changes(in range: EngineRange, after position: EnginePosition) -> EngineChanges {
        engine.changes(in: range, after: position)
    }
}

// SPDX-License-Identifier: Apache-2.0

/// Where the devices of a circle meet: a store of keys and values, trusted with nothing but availability.
///
/// It knows no keys of a circle, only opaque bytes. Every engine passes the rules of `EngineContract`
/// (Tests/Support/SyncTestSupport). What it answers is untrusted: a caller verifies all of it.
package protocol SyncEngine: Sendable {
    /// What fits into the engine.
    func limits() async throws(EngineError) -> EngineLimits

    /// The values of keys, all at one position.
    ///
    /// - Parameters:
    ///   - keys: the keys; at most as many as a transaction has operations.
    ///   - position: a former position, so that several reads show one state; `nil` for the newest.
    /// - Returns: The values of the keys that have one.
    /// - Throws: ``EngineError/positionGone``, ``EngineError/tooLarge`` and others.
    func read(_ keys: [EngineKey], at position: EnginePosition?) async throws(EngineError) -> EngineSnapshot

    /// The keys of a range in their order, a page of them, at one position.
    func scan(
        _ range: EngineRange,
        at position: EnginePosition?,
        limit: Int
    ) async throws(EngineError) -> EnginePage

    /// Puts and deletes all keys of a transaction if all of its conditions hold, else none; durable when it returns.
    ///
    /// - Throws: ``EngineError/outcomeUnknown`` if it may or may not have happened, or may still happen.
    func commit(_ transaction: EngineTransaction) async throws(EngineError) -> EngineOutcome

    /// The transactions after a position that changed a range: whole, in their order, without end.
    ///
    /// Silence proves nothing: an engine may have lost its connection and not know.
    func changes(in range: EngineRange, after position: EnginePosition) -> EngineChanges
}

/// Why an engine did not do what was asked.
package enum EngineError: Error, Sendable, Hashable {
    /// It did not answer; nothing was changed.
    case unreachable
    /// It did not answer a transaction, which may or may not have happened, or may still happen.
    case outcomeUnknown
    /// It answered that this is not possible; the reason is its own.
    case refused(String)
    /// It has no space.
    case full
    /// A value or a transaction is above its limits.
    case tooLarge
    /// The position is no longer there, or never was.
    case positionGone
    /// Its users, passwords or certificates do not allow it.
    case notAllowed
    /// Its answer makes no sense.
    case broken(String)
}

/// What fits into an engine.
package struct EngineLimits: Sendable, Hashable {
    /// Bytes of a value.
    package var valueByteCount: Int
    /// Bytes of the values of a transaction.
    package var transactionByteCount: Int
    /// Conditions, puts and deletes of a transaction together; keys of a read.
    package var operationCount: Int

    /// Limits; the least that the format of synchronization needs, unless said otherwise.
    package init(
        valueByteCount: Int = 512 * 1024,
        transactionByteCount: Int = 1024 * 1024,
        operationCount: Int = 64
    ) {
        self.valueByteCount = valueByteCount
        self.transactionByteCount = transactionByteCount
        self.operationCount = operationCount
    }
}

/// The transactions of an engine, one after the other.
package struct EngineChanges: AsyncSequence, AsyncIteratorProtocol {
    private let following: @Sendable () async throws(EngineError) -> EngineBatch?

    /// Changes, each of which a function waits for; `nil` ends them, as a cancelled task does.
    package init(_ following: @escaping @Sendable () async throws(EngineError) -> EngineBatch?) {
        self.following = following
    }

    /// These changes, for one reader.
    package func makeAsyncIterator() -> EngineChanges { self }

    /// The next transaction.
    package func next() async throws(EngineError) -> EngineBatch? { try await following() }

    /// The next transaction.
    package func next(isolation actor: isolated (any Actor)?) async throws(EngineError) -> EngineBatch? {
        try await following()
    }
}

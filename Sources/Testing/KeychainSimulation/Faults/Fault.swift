// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A fault that is injected into some calls; created by ``Faults``.
public final class Fault: Sendable {
    let effect: Effect

    private let operations: Set<KeychainCall.Operation>
    private let matches: @Sendable (KeychainCall) -> Bool
    private let state: Guarded<State>

    private struct State {
        var skipping: Int
        /// `nil` for no limit.
        var remaining: Int?
        var count = 0
    }

    enum Effect: Sendable {
        case failure(Status, Faults.Moment)
        case delay(Duration)
        case barrier(Barrier)
    }

    init(
        _ effect: Effect,
        on operations: Set<KeychainCall.Operation>,
        skipping: Int,
        times: Int?,
        where matches: @escaping @Sendable (KeychainCall) -> Bool
    ) {
        self.effect = effect
        self.operations = operations
        self.matches = matches
        state = Guarded(State(skipping: skipping, remaining: times))
    }

    /// The number of calls that it affected.
    public var count: Int { state.withLock(\.count) }

    /// Whether it has ended.
    public var isOver: Bool { state.withLock { $0.remaining.map { $0 <= 0 } ?? false } }

    /// Ends the fault, and releases the calls that it holds.
    public func remove() {
        state.withLock { $0.remaining = 0 }
        if case .barrier(let barrier) = effect { barrier.open() }
    }

    var isFailure: Bool {
        guard case .failure = effect else { return false }
        return true
    }

    /// The effect on a call; `nil` for none.
    func apply(to call: KeychainCall) -> Effect? {
        guard operations.contains(call.operation), matches(call) else { return nil }
        return state.withLock { state in
            if let remaining = state.remaining, remaining <= 0 { return nil }
            guard state.skipping <= 0 else {
                state.skipping -= 1
                return nil
            }
            state.remaining = state.remaining.map { $0 - 1 }
            state.count += 1
            return effect
        }
    }
}

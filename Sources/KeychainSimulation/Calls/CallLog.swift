// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The calls that the apps of a device made, in their order: a sequence that a test filters and expects on.
///
/// ```swift
/// #expect(device.calls.filter { $0.status == errSecDuplicateItem }.isEmpty)
/// ```
///
/// Calls that are under way have no status yet. What is iterated over is the log at that moment. Thread-safe.
public final class CallLog: Sequence, Sendable {
    private let state = Guarded(State())

    private struct State {
        var calls: [KeychainCall] = []
        var count = 0
    }

    init() {}

    /// The calls so far.
    public var all: [KeychainCall] { state.withLock(\.calls) }

    /// How many calls are in the log.
    public var count: Int { state.withLock(\.calls.count) }

    /// Whether there is none.
    public var isEmpty: Bool { count == 0 }

    /// The last call.
    public var last: KeychainCall? { state.withLock(\.calls.last) }

    /// Goes over the calls so far.
    public func makeIterator() -> IndexingIterator<[KeychainCall]> { all.makeIterator() }

    /// Forgets the calls so far; numbers go on.
    public func reset() { state.withLock { $0.calls = [] } }

    /// Notes a call before it is carried out.
    func begin(
        _ operation: KeychainCall.Operation,
        by app: String,
        query: [String: String],
        attributes: [String: String] = [:]
    ) -> KeychainCall {
        state.withLock { state in
            state.count += 1
            let call = KeychainCall(
                number: state.count,
                app: app,
                operation: operation,
                query: query,
                attributes: attributes
            )
            state.calls.append(call)
            return call
        }
    }

    /// Notes what came of a call; `nil` for success.
    func end(_ call: KeychainCall, _ error: KeychainError?, isInjected: Bool) {
        state.withLock { state in
            // The log may have been reset meanwhile.
            guard let first = state.calls.first, state.calls.indices.contains(call.number - first.number) else {
                return
            }
            let index = call.number - first.number
            state.calls[index].status = (error?.status ?? .success).rawValue
            state.calls[index].reason = error?.reason
            state.calls[index].isInjected = isInjected
        }
    }
}

extension CallLog: CustomStringConvertible {
    /// One line for each call.
    public var description: String {
        let calls = all
        return calls.isEmpty ? "no calls" : calls.map(\.description).joined(separator: "\n")
    }
}

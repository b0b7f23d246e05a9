// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainDoctor

/// The calls that the apps of a device made, in their order: a sequence for the expectations of a test.
///
/// ```swift
/// #expect(device.calls.filter { $0.status == errSecDuplicateItem }.isEmpty)
/// ```
///
/// Calls in progress have no status yet. An iteration sees the log as it was when it began. Thread-safe.
public final class CallLog: Sequence, Sendable {
    private let state = Guarded(State())

    private struct State {
        var calls: [KeychainCall] = []
        var count = 0
        /// Why the last failed calls failed, by their numbers.
        var failures: [Int: FailedCall] = [:]
        /// The last failed call of each thread.
        var lastFailures: [UInt: Int] = [:]
        var history = CallHistory()
    }

    /// The number of failed calls whose reasons are kept.
    private static let maximumFailures = 100

    /// How much of the device's history is available to explanations.
    private static let maximumEvents = 300

    init() {}

    /// The calls so far.
    public var all: [KeychainCall] { state.withLock(\.calls) }

    /// How many calls are in the log.
    public var count: Int { state.withLock(\.calls.count) }

    /// Whether there are no calls.
    public var isEmpty: Bool { count == 0 }

    /// The last call.
    public var last: KeychainCall? { state.withLock(\.calls.last) }

    /// Iterates over the calls so far.
    public func makeIterator() -> IndexingIterator<[KeychainCall]> { all.makeIterator() }

    /// Removes the calls so far; numbering continues.
    public func reset() {
        state.withLock { state in
            state.calls = []
            state.failures = [:]
            state.lastFailures = [:]
        }
    }

    /// Explains why a call failed, in the words of `keychainctl doctor`: the intended item, the attribute that differs,
    /// and the call to use instead.
    ///
    /// It describes the keychain as it was before the call, and is available for the last hundred failed calls of item
    /// functions.
    ///
    /// - Returns: Several lines without secrets; `nil` for a call that succeeded, that failed because of a fault of the
    ///   test, or that is no longer kept.
    public func explanation(of call: KeychainCall) -> String? { report(of: call.number)?.briefText }

    /// The doctor's explanation of a failed call.
    func report(of number: Int) -> DoctorReport? { state.withLock { $0.failures[number] }?.report }

    /// The doctor's explanation of the last failed call of this thread.
    var lastReport: DoctorReport? {
        let failure = state.withLock { state in state.lastFailures[pthread_self()].flatMap { state.failures[$0] } }
        return failure?.report
    }

    /// Logs a call before it is carried out.
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

    /// Logs the error of a call; `nil` for success.
    func end(_ call: KeychainCall, _ error: KeychainError?, isInjected: Bool) {
        state.withLock { state in
            state.lastFailures[pthread_self()] = error == nil ? nil : call.number
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

    /// Records why a call failed.
    func record(_ failure: FailedCall, of call: KeychainCall) {
        state.withLock { state in
            state.failures[call.number] = failure
            if state.failures.count > Self.maximumFailures, let first = state.failures.keys.min() {
                state.failures[first] = nil
            }
        }
    }
}

// MARK: - Events of the device

extension CallLog {
    /// The history so far.
    var history: CallHistory {
        get { state.withLock(\.history) }
        set { state.withLock { $0.history = newValue } }
    }

    /// Adds to the history.
    func record(_ event: CallHistory.Event) {
        state.withLock { state in
            state.history.events.append(event)
            // Trimmed in batches.
            if state.history.events.count > 2 * Self.maximumEvents {
                state.history.events.removeFirst(Self.maximumEvents)
            }
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

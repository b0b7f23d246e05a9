// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// What goes wrong on a device at the calls of its apps, because a test says so.
///
/// ```swift
/// device.faults.fail(with: errSecNotAvailable, on: [.update], skipping: 1)    // the second update fails
/// device.faults.fail(with: errSecIO, .afterEffect, times: nil) { $0.account == "token" }
/// ```
///
/// A call goes through all faults that match it, in the order in which they were made: it waits for each that holds or
/// delays it, and fails by the first that has it fail. Each fault counts the calls that match it, by itself.
/// Thread-safe.
public final class Faults: Sendable {
    private let faults = Guarded<[Fault]>([])

    init() {}

    /// When a fault strikes.
    public enum Moment: String, Sendable, Hashable, CaseIterable {
        /// Nothing has happened then.
        case beforeEffect
        /// The keychain has done what was asked, and yet the caller sees a failure, and no result.
        ///
        /// A call that the keychain refuses by itself keeps the keychain's status.
        case afterEffect
    }

    /// Has calls fail.
    ///
    /// - Parameters:
    ///   - status: the `OSStatus` that the caller gets; any but 0, which is no failure.
    ///   - moment: whether the call takes effect all the same.
    ///   - operations: which operations; every one by default.
    ///   - skipping: how many matching calls go well before: n - 1 for the n-th call from now on.
    ///   - times: how often; `nil` for ever.
    ///   - matches: which calls, by what the log keeps of them.
    /// - Returns: The fault, to ask how often it struck, and to end it.
    @discardableResult
    public func fail(
        with status: Int32,
        _ moment: Moment = .beforeEffect,
        on operations: Set<KeychainCall.Operation> = Set(KeychainCall.Operation.allCases),
        skipping: Int = 0,
        times: Int? = 1,
        where matches: @escaping @Sendable (KeychainCall) -> Bool = { _ in true }
    ) -> Fault {
        precondition(status != 0, "errSecSuccess is no failure")
        return add(Fault(.failure(Status(rawValue: status), moment), operations, skipping, times, matches))
    }

    /// Has calls take time on the device's clock, before their effect; nobody waits in truth.
    ///
    /// - Parameters:
    ///   - duration: how long a call takes.
    ///   - operations: which operations; every one by default.
    ///   - skipping: how many matching calls go quickly before.
    ///   - times: how often; `nil` for ever.
    ///   - matches: which calls, by what the log keeps of them.
    /// - Returns: The fault.
    @discardableResult
    public func delay(
        by duration: Duration,
        on operations: Set<KeychainCall.Operation> = Set(KeychainCall.Operation.allCases),
        skipping: Int = 0,
        times: Int? = 1,
        where matches: @escaping @Sendable (KeychainCall) -> Bool = { _ in true }
    ) -> Fault {
        add(Fault(.delay(duration), operations, skipping, times, matches))
    }

    /// Holds calls before their effect until the test lets them go.
    ///
    /// A call that is held blocks its thread, as any call of the item functions does. Make it with
    /// ``App/runOnThread(_:)`` or the asynchronous functions of the module Keychain: one that a task makes itself holds
    /// a thread of Swift's pool, and when there is no other left for the test to go on, the call is let go and the test
    /// fails.
    ///
    /// - Parameters:
    ///   - operations: which operations; every one by default.
    ///   - skipping: how many matching calls pass before.
    ///   - times: how many calls are held; `nil` for all.
    ///   - matches: which calls, by what the log keeps of them.
    /// - Returns: What to wait for them at, and to let them go by. When it goes away, they go.
    public func hold(
        on operations: Set<KeychainCall.Operation> = Set(KeychainCall.Operation.allCases),
        skipping: Int = 0,
        times: Int? = 1,
        where matches: @escaping @Sendable (KeychainCall) -> Bool = { _ in true }
    ) -> CallGate {
        let barrier = Barrier()
        return CallGate(barrier, add(Fault(.barrier(barrier), operations, skipping, times, matches)))
    }

    /// Ends all faults, and lets go what is held.
    public func removeAll() {
        let ended = faults.withLock { faults in
            defer { faults = [] }
            return faults
        }
        for fault in ended { fault.remove() }
    }

    private func add(_ fault: Fault) -> Fault {
        faults.withLock { faults in
            faults.removeAll { $0.isFailure && $0.isOver }
            faults.append(fault)
        }
        return fault
    }

    /// Puts a call through the faults: returns what it fails by, after what delays it.
    func effect(on call: KeychainCall, _ clock: VirtualClock) -> (error: KeychainError, moment: Moment)? {
        var failure: (error: KeychainError, moment: Moment)?
        // Not in the lock: what matches is the test's to say, and it may make faults itself.
        for fault in faults.withLock({ $0 }) where !(failure != nil && fault.isFailure) {
            switch fault.apply(to: call) {
            case nil: continue
            case .failure(let status, let moment):
                failure = (KeychainError(status, "a fault of the test has this call fail"), moment)
            case .delay(let duration): clock.advance(by: duration)
            case .barrier(let barrier): barrier.pass()
            }
        }
        return failure
    }
}

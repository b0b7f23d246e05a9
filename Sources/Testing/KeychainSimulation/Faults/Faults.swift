// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Injects faults into the keychain calls of a device's apps.
///
/// ```swift
/// device.faults.fail(with: errSecNotAvailable, on: [.update], skipping: 1)    // the second update fails
/// device.faults.fail(with: errSecIO, .afterEffect, times: nil) { $0.account == "token" }
/// ```
///
/// A call passes all faults that match it, in the order of their creation: it waits for those that hold or delay it,
/// and fails with the first that makes it fail. Each fault counts its matching calls separately. Thread-safe.
public final class Faults: Sendable {
    private let faults = Guarded<[Fault]>([])

    init() {}

    /// When a call fails.
    public enum Moment: String, Sendable, Hashable, CaseIterable {
        /// Before the call has any effect.
        case beforeEffect
        /// After the keychain has performed the call: the caller nevertheless gets an error and no result.
        ///
        /// If the keychain itself refuses a call, its own status is returned.
        case afterEffect
    }

    /// Makes calls fail.
    ///
    /// - Parameters:
    ///   - status: the `OSStatus` that the caller gets; any except 0, which is not a failure.
    ///   - moment: before or after the call has its effect.
    ///   - operations: the affected operations; all by default.
    ///   - skipping: the number of matching calls that succeed first: n - 1 for the n-th call from now on.
    ///   - times: the number of affected calls; `nil` for every matching call.
    ///   - matches: selects calls by their log entries.
    /// - Returns: The fault, which counts the affected calls and can be ended.
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
        return add(
            Fault(
                .failure(Status(rawValue: status), moment),
                on: operations,
                skipping: skipping,
                times: times,
                where: matches
            )
        )
    }

    /// Makes calls take time on the device's clock before they have an effect; no real time passes.
    ///
    /// - Parameters:
    ///   - duration: the duration of a call.
    ///   - operations: the affected operations; all by default.
    ///   - skipping: the number of matching calls that are not delayed first.
    ///   - times: the number of affected calls; `nil` for every matching call.
    ///   - matches: selects calls by their log entries.
    /// - Returns: The fault.
    @discardableResult
    public func delay(
        by duration: Duration,
        on operations: Set<KeychainCall.Operation> = Set(KeychainCall.Operation.allCases),
        skipping: Int = 0,
        times: Int? = 1,
        where matches: @escaping @Sendable (KeychainCall) -> Bool = { _ in true }
    ) -> Fault {
        add(Fault(.delay(duration), on: operations, skipping: skipping, times: times, where: matches))
    }

    /// Holds calls before they have an effect, until the test releases them.
    ///
    /// A held call blocks its thread, like any call of the item functions. Make it with ``App/runOnThread(_:)`` or the
    /// asynchronous functions of the module Keychain: a call that a task makes directly blocks a thread of Swift's
    /// pool, and if no thread is left for the test to continue, the call is released and the test fails.
    ///
    /// - Parameters:
    ///   - operations: the affected operations; all by default.
    ///   - skipping: the number of matching calls that pass first.
    ///   - times: the number of calls to hold; `nil` for all.
    ///   - matches: selects calls by their log entries.
    /// - Returns: A gate to wait for held calls and to release them. They are also released when it is deallocated.
    public func hold(
        on operations: Set<KeychainCall.Operation> = Set(KeychainCall.Operation.allCases),
        skipping: Int = 0,
        times: Int? = 1,
        where matches: @escaping @Sendable (KeychainCall) -> Bool = { _ in true }
    ) -> CallGate {
        let barrier = Barrier()
        return CallGate(
            barrier,
            add(Fault(.barrier(barrier), on: operations, skipping: skipping, times: times, where: matches))
        )
    }

    /// Ends all faults, and releases the held calls.
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

    /// Applies the faults to a call: waits for delays, and returns the error that it fails with, if any.
    func effect(on call: KeychainCall, _ clock: VirtualClock) -> (error: KeychainError, moment: Moment)? {
        var failure: (error: KeychainError, moment: Moment)?
        // Not while the lock is held: the test's closure may add faults itself.
        for fault in faults.withLock({ $0 }) where !(failure != nil && fault.isFailure) {
            switch fault.apply(to: call) {
            case nil: continue
            case .failure(let status, let moment):
                failure = (KeychainError(status, "a fault of the test has this call fail"), moment)
            case .delay(let duration): clock.advance(by: duration)
            case .barrier(let barrier): barrier.waitUntilOpen()
            }
        }
        return failure
    }
}

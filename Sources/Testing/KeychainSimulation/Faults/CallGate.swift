// SPDX-License-Identifier: Apache-2.0

import Dispatch
import KeychainServices

/// Holds calls; created by ``Faults/hold(on:skipping:times:where:)``.
///
/// ```swift
/// let gate = app.device.faults.hold(on: [.add])
/// async let saving: Void = app.runOnThread { try store.save(token) }
/// await gate.waitForCall()
/// try app.device.lock()
/// gate.open()
/// try await saving
/// ```
///
/// The gate opens when the object is deallocated.
public final class CallGate: Sendable {
    private let barrier: Barrier

    /// The fault, which counts the calls.
    public let fault: Fault

    init(_ barrier: Barrier, _ fault: Fault) {
        self.barrier = barrier
        self.fault = fault
    }

    deinit { open() }

    /// Waits until a call is held or the gate is open; if that takes too long, the test fails and continues.
    ///
    /// - Parameter seconds: the time limit.
    public func waitForCall(seconds: Double = 120) async {
        guard await !barrier.arrival(seconds: seconds) else { return }
        TestingKit.reportFailure("No call has come to the gate for \(seconds) s: \(fault.count) were held before.")
    }

    /// Releases the held calls, and holds no more.
    public func open() { fault.remove() }
}

/// Blocks threads until it is opened.
final class Barrier: Sendable {
    private let state = Guarded(State())

    private struct State {
        var isOpen = false
        var held: [DispatchSemaphore] = []
        var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
        var waitCount = 0
    }

    /// Blocks the caller until the barrier is open.
    func waitUntilOpen() {
        let semaphore = DispatchSemaphore(value: 0)
        let (blocks, waiting) = state.withLock { state in
            defer { state.waiting = [:] }
            if !state.isOpen { state.held.append(semaphore) }
            return (!state.isOpen, state.waiting)
        }
        for continuation in waiting.values { continuation.resume(returning: true) }
        if blocks { BlockedThread.wait(for: semaphore, "A call that a fault holds") { open() } }
    }

    /// Waits until a thread is blocked or the barrier is open.
    ///
    /// - Returns: Whether that was so in time.
    func arrival(seconds: Double) async -> Bool {
        await withCheckedContinuation { continuation in
            let number: Int? = state.withLock { state in
                guard !state.isOpen, state.held.isEmpty else { return nil }
                state.waitCount += 1
                state.waiting[state.waitCount] = continuation
                return state.waitCount
            }
            guard let number else { return continuation.resume(returning: true) }
            Standstill.after(seconds) { [weak self] in
                self?.state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(returning: false)
            }
        }
    }

    func open() {
        let (held, waiting) = state.withLock { state in
            defer { (state.held, state.waiting) = ([], [:]) }
            state.isOpen = true
            return (state.held, state.waiting)
        }
        for semaphore in held { semaphore.signal() }
        for continuation in waiting.values { continuation.resume(returning: true) }
    }
}

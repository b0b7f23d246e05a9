// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Holds calls; made by ``Faults/hold(on:skipping:times:where:)``.
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

    /// Waits until a call is held or the gate is open.
    public func waitForCall() async { await barrier.arrival() }

    /// Releases the held calls, and holds no more.
    public func open() { fault.remove() }
}

/// Blocks threads until it is opened.
final class Barrier: Sendable {
    private let state = Guarded(State())

    private struct State {
        var isOpen = false
        var held: [DispatchSemaphore] = []
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// Blocks the caller until the barrier is open.
    func pass() {
        let semaphore = DispatchSemaphore(value: 0)
        let (blocks, waiting) = state.withLock { state in
            defer { state.waiting = [] }
            if !state.isOpen { state.held.append(semaphore) }
            return (!state.isOpen, state.waiting)
        }
        for continuation in waiting { continuation.resume() }
        if blocks { BlockedThread.wait(for: semaphore, "A call that a fault holds") { open() } }
    }

    /// Waits until a thread is blocked or the barrier is open.
    func arrival() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.isOpen, state.held.isEmpty { state.waiting.append(continuation) }
                return state.isOpen || !state.held.isEmpty
            }
            if isOver { continuation.resume() }
        }
    }

    func open() {
        let (held, waiting) = state.withLock { state in
            defer { (state.held, state.waiting) = ([], []) }
            state.isOpen = true
            return (state.held, state.waiting)
        }
        for semaphore in held { semaphore.signal() }
        for continuation in waiting { continuation.resume() }
    }
}

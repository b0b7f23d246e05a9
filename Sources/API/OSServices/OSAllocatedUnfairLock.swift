// SPDX-License-Identifier: Apache-2.0

/// A lock with the state that it protects; copies share both.
///
/// Only one thread can hold it, and a thread cannot take it twice: that stops the process, as on Apple's platforms.
@frozen
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
    /// The expectation of ``precondition(_:)`` about the calling thread.
    public enum Ownership: Hashable, Sendable {
        /// It has the lock.
        case owner
        /// It does not have the lock.
        case notOwner
    }

    // The lock protects the state; both live as long as the last copy.
    @usableFromInline
    final class Storage {
        let lock: os_unfair_lock_t
        let state: UnsafeMutablePointer<State>

        init(_ initial: State) {
            lock = .allocate(capacity: 1)
            lock.initialize(to: os_unfair_lock_s())
            state = .allocate(capacity: 1)
            state.initialize(to: initial)
        }

        deinit {
            state.deinitialize(count: 1)
            state.deallocate()
            lock.deallocate()
        }
    }

    @usableFromInline let storage: Storage

    /// Creates a lock with a state that need not be `Sendable`; the caller must keep no reference to it.
    public init(uncheckedState initialState: State) { storage = Storage(initialState) }

    /// Calls `body` with the state, while no other thread has the lock.
    public func withLockUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R {
        os_unfair_lock_lock(storage.lock)
        defer { os_unfair_lock_unlock(storage.lock) }
        return try body(&storage.state.pointee)
    }

    /// Calls `body` with the state, while no other thread has the lock.
    public func withLock<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R {
        try withLockUnchecked(body)
    }

    /// Calls `body` with the state if the lock is free; returns `nil` otherwise.
    public func withLockIfAvailableUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R? {
        guard os_unfair_lock_trylock(storage.lock) else { return nil }
        defer { os_unfair_lock_unlock(storage.lock) }
        return try body(&storage.state.pointee)
    }

    /// Calls `body` with the state if the lock is free; returns `nil` otherwise.
    public func withLockIfAvailable<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R? {
        try withLockIfAvailableUnchecked(body)
    }

    /// Stops the process unless the calling thread has the lock, or does not, as expected.
    public func precondition(_ condition: Ownership) {
        switch condition {
        case .owner: os_unfair_lock_assert_owner(storage.lock)
        case .notOwner: os_unfair_lock_assert_not_owner(storage.lock)
        }
    }
}

extension OSAllocatedUnfairLock where State: Sendable {
    /// A lock with a state.
    public init(initialState: State) { self.init(uncheckedState: initialState) }
}

extension OSAllocatedUnfairLock where State == Void {
    /// A lock without a state.
    public init() { self.init(uncheckedState: ()) }

    /// Waits for the lock; the same thread must release it.
    @available(*, noasync, message: "a task may go on in another thread; use withLock")
    public func lock() { os_unfair_lock_lock(storage.lock) }

    /// Gives the lock back.
    @available(*, noasync, message: "a task may go on in another thread; use withLock")
    public func unlock() { os_unfair_lock_unlock(storage.lock) }

    /// Takes the lock if it is free, and returns whether it did.
    @available(*, noasync, message: "a task may go on in another thread; use withLockIfAvailable")
    public func lockIfAvailable() -> Bool { os_unfair_lock_trylock(storage.lock) }

    /// Calls `body` while no other thread has the lock.
    public func withLockUnchecked<R>(_ body: () throws -> R) rethrows -> R {
        try withLockUnchecked { (_: inout Void) in try body() }
    }

    /// Calls `body` while no other thread has the lock.
    public func withLock<R: Sendable>(_ body: @Sendable () throws -> R) rethrows -> R { try withLockUnchecked(body) }

    /// Calls `body` if the lock is free; returns `nil` otherwise.
    public func withLockIfAvailableUnchecked<R>(_ body: () throws -> R) rethrows -> R? {
        try withLockIfAvailableUnchecked { (_: inout Void) in try body() }
    }

    /// Calls `body` if the lock is free; returns `nil` otherwise.
    public func withLockIfAvailable<R: Sendable>(_ body: @Sendable () throws -> R) rethrows -> R? {
        try withLockIfAvailableUnchecked(body)
    }
}

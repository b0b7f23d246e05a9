// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, TypeNamesShouldBeCapitalized

import CUnfairLock

/// A four-byte lock, for one owner at a time; it must not be copied or moved while in use.
///
/// Allocate it, or use ``OSAllocatedUnfairLock``, which does. On Linux it is a futex with priority inheritance.
@frozen
public struct os_unfair_lock_s: Sendable {
    /// 0 while the lock is free.
    public var _os_unfair_lock_opaque: UInt32

    /// Creates a free lock.
    public init() { _os_unfair_lock_opaque = 0 }

    /// Creates a lock in a state; only 0 is meaningful.
    public init(_os_unfair_lock_opaque: UInt32) { self._os_unfair_lock_opaque = _os_unfair_lock_opaque }
}

/// A lock of four bytes.
public typealias os_unfair_lock = os_unfair_lock_s

/// A pointer to a lock.
public typealias os_unfair_lock_t = UnsafeMutablePointer<os_unfair_lock_s>

/// Waits for a lock.
///
/// Stops the process when the calling thread has it already.
public func os_unfair_lock_lock(_ lock: os_unfair_lock_t) { unfair_lock_lock(word(lock)) }

/// Takes a lock if it is free, and returns whether it did.
public func os_unfair_lock_trylock(_ lock: os_unfair_lock_t) -> Bool { unfair_lock_try(word(lock)) != 0 }

/// Gives a lock back.
///
/// Stops the process when the calling thread does not have it.
public func os_unfair_lock_unlock(_ lock: os_unfair_lock_t) { unfair_lock_unlock(word(lock)) }

/// Stops the process unless the calling thread has a lock.
public func os_unfair_lock_assert_owner(_ lock: UnsafePointer<os_unfair_lock_s>) {
    precondition(isOwned(lock), "this thread does not have the lock")
}

/// Stops the process if the calling thread has a lock.
public func os_unfair_lock_assert_not_owner(_ lock: UnsafePointer<os_unfair_lock_s>) {
    precondition(!isOwned(lock), "this thread has the lock")
}

private func isOwned(_ lock: UnsafePointer<os_unfair_lock_s>) -> Bool {
    unfair_lock_is_owned(UnsafeRawPointer(lock).assumingMemoryBound(to: UInt32.self)) != 0
}

private func word(_ lock: os_unfair_lock_t) -> UnsafeMutablePointer<UInt32> {
    UnsafeMutableRawPointer(lock).assumingMemoryBound(to: UInt32.self)
}

// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Testing

@testable import OSServices

/// The two locks.
struct UnfairLockTests {
    @Test func `no change is lost between threads`() {
        let lock = OSAllocatedUnfairLock(initialState: 0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<10_000 { lock.withLock { $0 += 1 } }
        }
        #expect(lock.withLock { $0 } == 80_000)
    }

    @Test func `a lock that is taken is not taken again`() {
        let lock = OSAllocatedUnfairLock(initialState: 1)
        lock.withLock { _ in
            #expect(lock.withLockIfAvailable { $0 } == nil)
            lock.precondition(.owner)
        }
        lock.precondition(.notOwner)
        #expect(lock.withLockIfAvailable { $0 } == 1)
    }

    @Test func `a lock without a state`() {
        let lock = OSAllocatedUnfairLock()
        lock.lock()
        #expect(!lock.lockIfAvailable())
        lock.precondition(.owner)
        let done = DispatchSemaphore(value: 0)
        let seen = OSAllocatedUnfairLock(initialState: false)
        Thread.detachNewThread {
            lock.precondition(.notOwner)
            let taken = lock.lockIfAvailable()
            seen.withLock { $0 = taken }
            done.signal()
        }
        done.wait()
        #expect(!seen.withLock { $0 })
        lock.unlock()
        #expect(lock.lockIfAvailable())
        lock.unlock()
        #expect(lock.withLock { 7 } == 7)
        #expect(lock.withLockUnchecked { 8 } == 8)
    }

    @Test func `an error leaves the lock free, and a state is released with it`() {
        final class Token {}
        struct Failure: Error {}
        weak var token: Token?
        do {
            let state = Token()
            token = state
            let lock = OSAllocatedUnfairLock(uncheckedState: state)
            #expect(throws: Failure.self) { try lock.withLockUnchecked { _ in throw Failure() } }
            #expect(lock.withLockIfAvailableUnchecked { $0 === state } == true)
        }
        #expect(token == nil)
    }

    @Test func `the lock of four bytes`() {
        let lock = UnsafeMutablePointer<os_unfair_lock>.allocate(capacity: 1)
        defer { lock.deallocate() }
        lock.initialize(to: os_unfair_lock())
        #expect(MemoryLayout<os_unfair_lock>.size == 4)
        os_unfair_lock_lock(lock)
        os_unfair_lock_assert_owner(lock)
        #expect(!os_unfair_lock_trylock(lock))
        os_unfair_lock_unlock(lock)
        os_unfair_lock_assert_not_owner(lock)
        #expect(os_unfair_lock_trylock(lock))
        os_unfair_lock_unlock(lock)
    }

    @Test func `to lock twice, or to unlock what is not locked, stops the process`() async {
        await #expect(processExitsWith: .failure) {
            let lock = OSAllocatedUnfairLock()
            lock.withLock { lock.withLock {} }
        }
        await #expect(processExitsWith: .failure) {
            var lock = os_unfair_lock()
            os_unfair_lock_unlock(&lock)
        }
        await #expect(processExitsWith: .failure) { OSAllocatedUnfairLock().precondition(.owner) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Dispatch
import KeychainHost
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainDaemon

/// Locks that sessions ask for while an earlier one waits for commands.
struct LockRequestsTests {
    /// A lock that ends when a test wants it to.
    private final class HeldLock: Sendable {
        private let counts = Mutex((begun: 0, ended: 0))
        private let gate = DispatchSemaphore(value: 0)

        var begun: Int { counts.withLock(\.begun) }
        var ended: Int { counts.withLock(\.ended) }

        func lock() {
            counts.withLock { $0.begun += 1 }
            gate.wait()
            counts.withLock { $0.ended += 1 }
        }

        func endOne() { gate.signal() }
    }

    @Test("whoever asks for a lock does not wait for it, and one lock follows however many are asked for meanwhile")
    func together() {
        let requests = LockRequests()
        let held = HeldLock()
        let (first, later) = (DispatchGroup(), DispatchGroup())
        let isAsked = Mutex(false)
        _ = HostThread.start(.blocked) {
            requests.request(in: first, held.lock)
            isAsked.withLock { $0 = true }
        }
        #expect(eventually("it did not wait") { isAsked.withLock(\.self) })
        #expect(eventually("it began") { held.begun == 1 })
        for _ in 0..<20 { requests.request(in: later, held.lock) }
        held.endOne()
        first.wait()
        #expect(eventually("the next one began") { held.begun == 2 })
        #expect(later.wait(timeout: .now()) == .timedOut, "a lock that began earlier is not theirs")
        held.endOne()
        later.wait()
        #expect(held.begun == 2 && held.ended == 2)
        // Nobody is forgotten once the thread has ended.
        requests.request(in: later, held.lock)
        held.endOne()
        later.wait()
        #expect(held.ended == 3)
    }

    @Test("no order of requests and ends leaves one without its lock")
    func races() {
        let requests = LockRequests()
        let count = Mutex(0)
        let all = DispatchGroup()
        for _ in 0..<4 {
            all.enter()
            _ = HostThread.start(.blocked) {
                for _ in 0..<500 {
                    let before = count.withLock(\.self)
                    let group = DispatchGroup()
                    requests.request(in: group) { count.withLock { $0 += 1 } }
                    group.wait()
                    #expect(count.withLock(\.self) > before)
                }
                all.leave()
            }
        }
        all.wait()
    }
}

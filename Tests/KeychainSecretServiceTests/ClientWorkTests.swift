// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import Testing

@testable import KeychainSecretService

/// Who has something executed while answers are unread.
struct ClientWorkTests {
    private static func work() -> ClientWork {
        var limits = SecretServiceLimits()
        limits.unreadBytes.ofAll = 4 << 20
        return ClientWork(of: limits)
    }

    @Test("while all together have too much unread, who has any waits, others do not, and a large answer is refused")
    func ofAll() {
        let work = Self.work()
        let done = DispatchSemaphore(value: 0)
        let names = Mutex<[String]>([])
        func add(_ name: String, of process: Int32) {
            work.add(for: UInt64(process), of: process) {
                names.withLock { $0.append(name) }
                done.signal()
            }
        }
        work.addUnread(sent: 2 << 20, of: 1)
        #expect(work.addUnread(2 << 20, of: 2))
        #expect(!work.addUnread(1 << 20, of: 3))
        #expect(work.addUnread(1 << 10, of: 3))
        for process in 1...4 as ClosedRange<Int32> { add("\(process)", of: process) }
        done.wait()
        #expect(names.withLock(\.self) == ["4"])
        work.removeUnread(2 << 20, of: 2)
        for _ in 0..<3 { done.wait() }
        #expect(names.withLock(\.self).sorted() == ["1", "2", "3", "4"])
        work.removeUnread(1 << 10, of: 3)
        work.removeUnread(2 << 20, of: 1)
        #expect(work.addUnread(4 << 20, of: 3))
        work.stop()
    }
}

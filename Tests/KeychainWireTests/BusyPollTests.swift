// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainWire
import Testing

@Suite("Busy polling")
struct BusyPollTests {
    private static let canPoll = sysconf(Int32(_SC_NPROCESSORS_ONLN)) > 1

    /// How many waits of so many are polled, each in vain.
    private static func polls(_ poll: inout BusyPoll, inVain count: Int) -> [Int] {
        (0..<count).filter { _ in
            guard poll.begin() else { return false }
            poll.end(wasInVain: true)
            return true
        }
    }

    @Test("after each poll in vain, twice as many waits are not polled, and all are again after a success")
    func backOff() {
        var poll = BusyPoll()
        let polled = Self.polls(&poll, inVain: 100)
        #expect(polled == (Self.canPoll ? [0, 2, 5, 10, 19, 36, 69] : []))
        guard Self.canPoll else { return }
        while !poll.begin() {}
        poll.end(wasInVain: false)
        let isPolled = poll.begin()
        #expect(isPolled)
    }

    @Test("no thread polls where others have work for all processors")
    func room() {
        let processors = sysconf(Int32(_SC_NPROCESSORS_ONLN))
        #expect(BusyPoll.hasRoom(besides: 0) && BusyPoll.hasRoom(besides: processors - 1))
        #expect(!BusyPoll.hasRoom(besides: processors))
    }

    @Test("a poll never stops for good")
    func most() {
        var poll = BusyPoll()
        let polled = Self.polls(&poll, inVain: 10_000)
        #expect(zip(polled, polled.dropFirst()).allSatisfy { $1 - $0 <= 257 })
        #expect(polled.isEmpty == !Self.canPoll)
    }

    @Test("it ends when the socket is readable, when the other side is gone, and when it is not wanted any more")
    func ends() {
        var pair: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &pair) == 0)
        var count = 0
        // A minute, because a processor that is taken away for the usual time ends a poll as well.
        let isReady = BusyPoll.wait(for: pair[0], atMost: 60_000_000) {
            count += 1
            return count < 3
        }
        #expect(!isReady)
        #expect(count == 3)
        #expect(!BusyPoll.wait(for: pair[0], atMost: 0))
        #expect(write(pair[1], "a", 1) == 1)
        #expect(BusyPoll.wait(for: pair[0]))
        var byte: UInt8 = 0
        #expect(read(pair[0], &byte, 1) == 1)
        close(pair[1])
        #expect(BusyPoll.wait(for: pair[0]))
        close(pair[0])
    }
}

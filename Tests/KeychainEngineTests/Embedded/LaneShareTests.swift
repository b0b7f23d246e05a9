// SPDX-License-Identifier: Apache-2.0

import Dispatch
import KeychainCore
import KeychainHost
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainEngine

/// How the programs of a daemon share the connections to a store.
struct LaneShareTests {
    private let lanes: Lanes
    private let record = Record()

    init() { lanes = Lanes(readers: 3) }

    /// Which calls have begun, in order.
    private final class Record: Sendable {
        private let state = Mutex([String]())

        var begun: [String] { state.withLock { $0 } }
        func begin(_ name: String) { state.withLock { $0.append(name) } }
    }

    /// A call that holds what it has until it is ended.
    private final class Held: Sendable {
        private let (mayEnd, hasEnded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))

        init(_ name: String, for use: EngineAccess.Use, share: UInt64, lanes: Lanes, record: Record) {
            let mayEnd = mayEnd
            let hasEnded = hasEnded
            _ = HostThread.start(.blocked) {
                try? lanes.withConnections(use, for: share) { _ in
                    record.begin(name)
                    mayEnd.wait()
                }
                hasEnded.signal()
            }
        }

        func end() {
            mayEnd.signal()
            hasEnded.wait()
        }
    }

    /// A call that begins at once.
    private func begin(_ name: String, for use: EngineAccess.Use = .reading, share: UInt64) -> Held {
        let call = Held(name, for: use, share: share, lanes: lanes, record: record)
        #expect(eventually("\(name) begins") { record.begun.contains(name) })
        return call
    }

    /// A call that waits behind those that wait already.
    private func wait(_ name: String, for use: EngineAccess.Use = .reading, share: UInt64) -> Held {
        let count = lanes.waitingCount
        let call = Held(name, for: use, share: share, lanes: lanes, record: record)
        #expect(eventually("\(name) waits") { lanes.waitingCount == count + 1 })
        #expect(!record.begun.contains(name))
        return call
    }

    /// Ends a call, after which another one begins that waited.
    private func end(_ call: Held, beginning name: String) {
        let count = record.begun.count
        call.end()
        #expect(eventually("\(name) begins") { record.begun.count == count + 1 })
        #expect(record.begun.last == name)
    }

    private static let (greedy, modest, other): (UInt64, UInt64, UInt64) = (1, 2, 3)

    @Test("no program has every connection for reading: the last one is left to another")
    func lastConnection() {
        let first = begin("first", for: .reading, share: Self.greedy)
        let second = begin("second", for: .reading, share: Self.greedy)
        let third = wait("third", for: .reading, share: Self.greedy)
        for number in 0..<3 { begin("modest \(number)", for: .reading, share: Self.modest).end() }
        #expect(lanes.waitingCount == 1)
        end(first, beginning: "third")
        for call in [second, third] { call.end() }
    }

    @Test("a connection goes to the program that has the fewest, before calls that have waited longer")
    func fewestFirst() {
        let first = begin("first", for: .reading, share: Self.greedy)
        let second = begin("second", for: .reading, share: Self.greedy)
        let modest = begin("modest", for: .reading, share: Self.modest)
        let third = wait("third", for: .reading, share: Self.greedy)
        let fourth = wait("fourth", for: .reading, share: Self.greedy)
        let other = wait("other", for: .reading, share: Self.other)
        end(first, beginning: "other")
        // One is free, and left to others.
        modest.end()
        #expect(lanes.waitingCount == 2)
        end(other, beginning: "third")
        end(second, beginning: "fourth")
        for call in [third, fourth] { call.end() }
    }

    @Test("changes of a program come after the first one of another, and are in the order of their arrival")
    func changes() {
        let first = begin("first", for: .changing, share: Self.greedy)
        let second = wait("second", for: .changing, share: Self.greedy)
        let third = wait("third", for: .changing, share: Self.greedy)
        let modest = wait("modest", for: .changing, share: Self.modest)
        end(first, beginning: "modest")
        end(modest, beginning: "second")
        end(second, beginning: "third")
        third.end()
    }

    @Test("where nobody tells programs apart, all connections are used, and calls are in the order of their arrival")
    func oneShare() {
        let calls = (0..<3).map { begin("\($0)", for: .reading, share: 0) }
        let later = (3..<6).map { wait("\($0)", for: .reading, share: 0) }
        for (index, call) in calls.enumerated() { end(call, beginning: "\(index + 3)") }
        for call in later { call.end() }
    }

    @Test("who needs every connection is passed over as often as there are connections, and then is next")
    func alone() {
        let first = begin("first", for: .reading, share: Self.greedy)
        let alone = wait("alone", for: .exclusive, share: Self.other)
        for number in 0..<4 { begin("passing \(number)", for: .reading, share: Self.modest).end() }
        let later = wait("later", for: .reading, share: Self.modest)
        let change = wait("change", for: .changing, share: Self.modest)
        end(first, beginning: "alone")
        alone.end()
        #expect(eventually("the others begin") { record.begun.count == 8 })
        for call in [later, change] { call.end() }
    }
}

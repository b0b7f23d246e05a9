// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import Testing

@testable import KeychainTesting

@Suite("The line of a call is looked up beside the tests")
struct CallLocationTests {
    private static let location = CallLocation(path: "/Tests/ATests.swift", line: 7, column: 1)

    /// What the completion of a look-up received.
    private final class Received: Sendable {
        private let locations = Mutex<[CallLocation?]>([])
        let isCalled = DispatchSemaphore(value: 0)

        var all: [CallLocation?] { locations.withLock(\.self) }

        func receive(_ location: CallLocation?) {
            locations.withLock { $0.append(location) }
            isCalled.signal()
        }
    }

    @Test("when the process ends, calls are reported once, without a line if the look-up takes too long")
    func end() {
        let (began, proceeds) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let lookup = CallLocationLookup { stacks in
            began.signal()
            proceeds.wait()
            return stacks.map { _ in Self.location }
        }
        let (current, waiting) = (Received(), Received())
        let stack = CallStack.capture()
        lookup.find(stack) { current.receive($0) }
        began.wait()
        lookup.find(stack) { waiting.receive($0) }
        lookup.finish(seconds: 0)
        #expect(current.all == [nil])
        #expect(waiting.all == [nil])
        // What is found afterwards is not reported again.
        proceeds.signal()
        lookup.finish(seconds: 60)
        #expect(lookup.known(stack) == .some(Self.location))
        #expect(current.all == [nil])
        #expect(waiting.all == [nil])
    }

    @Test("a call whose line was found in time is reported with it")
    func inTime() {
        let lookup = CallLocationLookup { $0.map { _ in Self.location } }
        let received = Received()
        lookup.find(CallStack.capture()) { received.receive($0) }
        received.isCalled.wait()
        lookup.finish(seconds: 60)
        #expect(received.all == [Self.location])
    }

    @Test("calls that are made while lines are looked up share the next look-up, each with its own line")
    func together() {
        let (began, proceeds) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let counts = Mutex<[Int]>([])
        let lookup = CallLocationLookup { stacks in
            let isFirst = counts.withLock { counts in
                counts.append(stacks.count)
                return counts.count == 1
            }
            if isFirst {
                began.signal()
                proceeds.wait()
            }
            return stacks.map { CallLocation(path: "/a", line: Int($0.addresses[0]), column: 1) }
        }
        let received = (1...4).map { _ in Received() }
        func stack(_ address: UInt64) -> CallStack { CallStack(addresses: [address], functions: CalledFunctions([])) }
        lookup.find(stack(1)) { received[0].receive($0) }
        began.wait()
        for (index, address) in [2, 3, 1].enumerated() {
            lookup.find(stack(UInt64(address))) { received[index + 1].receive($0) }
        }
        proceeds.signal()
        for received in received { received.isCalled.wait() }
        // The line of the last one is known by then.
        #expect(counts.withLock(\.self) == [1, 2])
        #expect(received.map { $0.all.map { $0?.line } } == [[1], [2], [3], [1]])
    }
}

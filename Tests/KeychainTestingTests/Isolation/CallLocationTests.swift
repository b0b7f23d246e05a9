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
        let lookup = CallLocationLookup { stacks, found in
            began.signal()
            proceeds.wait()
            for index in stacks.indices { found(index, Self.location) }
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
        let lookup = CallLocationLookup { stacks, found in
            for index in stacks.indices { found(index, Self.location) }
        }
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
        let received = (1...4).map { _ in Received() }
        let lookup = CallLocationLookup { stacks, found in
            let isFirst = counts.withLock { counts in
                counts.append(stacks.count)
                return counts.count == 1
            }
            if isFirst {
                began.signal()
                proceeds.wait()
            }
            for (index, stack) in stacks.enumerated() {
                found(index, CallLocation(path: "/a", line: Int(stack.addresses[0]), column: 1))
                // Each is reported when it is found.
                if index == 0, stacks.count > 1 { received[1].isCalled.wait() }
            }
        }
        func stack(_ address: UInt64) -> CallStack { CallStack(addresses: [address], functions: CalledFunctions([])) }
        lookup.find(stack(1)) { received[0].receive($0) }
        began.wait()
        for (index, address) in [2, 3, 1].enumerated() {
            lookup.find(stack(UInt64(address))) { received[index + 1].receive($0) }
        }
        proceeds.signal()
        for index in [0, 2, 3] { received[index].isCalled.wait() }
        // The line of the last one was known by then.
        #expect(counts.withLock(\.self) == [1, 2])
        #expect(received.map { $0.all.map { $0?.line } } == [[1], [2], [3], [1]])
    }
}

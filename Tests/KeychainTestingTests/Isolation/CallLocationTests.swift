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
        let lookup = CallLocationLookup { _ in
            began.signal()
            proceeds.wait()
            return Self.location
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
        let lookup = CallLocationLookup { _ in Self.location }
        let received = Received()
        lookup.find(CallStack.capture()) { received.receive($0) }
        received.isCalled.wait()
        lookup.finish(seconds: 60)
        #expect(received.all == [Self.location])
    }
}

// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import Testing

@testable import KeychainTesting

@Suite("The line of a call is looked up beside the tests")
struct CallLocationTests {
    private static let location = CallLocation(path: "/Tests/ATests.swift", line: 7, column: 1)

    /// What was told of a call, once it was.
    private final class Told: Sendable {
        private let locations = Mutex<[CallLocation?]>([])
        let isTold = DispatchSemaphore(value: 0)

        var all: [CallLocation?] { locations.withLock(\.self) }

        func tell(_ location: CallLocation?) {
            locations.withLock { $0.append(location) }
            isTold.signal()
        }
    }

    @Test("when the process ends, calls are told once, without a line where the look-up takes too long")
    func end() {
        let (began, proceeds) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let lookup = CallLocationLookup { _ in
            began.signal()
            proceeds.wait()
            return Self.location
        }
        let (current, waiting) = (Told(), Told())
        let stack = CallStack.capture()
        lookup.find(stack) { current.tell($0) }
        began.wait()
        lookup.find(stack) { waiting.tell($0) }
        lookup.finish(seconds: 0)
        #expect(current.all == [nil])
        #expect(waiting.all == [nil])
        // What is found afterwards is told nobody.
        proceeds.signal()
        lookup.finish(seconds: 60)
        #expect(lookup.known(stack) == .some(Self.location))
        #expect(current.all == [nil])
        #expect(waiting.all == [nil])
    }

    @Test("calls are told at their line when the process ends in time")
    func inTime() {
        let lookup = CallLocationLookup { _ in Self.location }
        let told = Told()
        lookup.find(CallStack.capture()) { told.tell($0) }
        told.isTold.wait()
        lookup.finish(seconds: 60)
        #expect(told.all == [Self.location])
    }
}

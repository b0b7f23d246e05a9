// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security
import Synchronization
import Testing
import XCTest

@testable import KeychainTesting

@Suite("What XCTest tells of its tests, and what others make of it")
struct XCTestObservationTests {
    /// The suite of a class, as XCTest has it: what the class sets up, it sets up within the suite.
    private final class ClassSuite: XCTestSuite {
        let setUpClass: () -> Void

        init(_ setUpClass: @escaping () -> Void) {
            self.setUpClass = setUpClass
            super.init(name: "class")
        }

        override func setUp() { setUpClass() }
    }

    private final class Statuses: Sendable {
        let all = Mutex<[OSStatus]>([])

        /// A test case that calls, and fails no test by itself.
        func testCase(_ name: String = "call") -> XCTestCase {
            XCTestCase(name: name) { _ in
                let status = Items.add()
                self.all.withLock { $0.append(status) }
            }
        }
    }

    @Test("an app that a class sets in setUp is that of its tests, and of no other")
    func classSetUp() async {
        await #expect(processExitsWith: .success) {
            let statuses = Statuses()
            let (app, other) = (try VirtualDevice().install(), try VirtualDevice().install())
            let first = ClassSuite { ProcessWideApp.set(app) }
            first.addTest(statuses.testCase())
            // One of the class may have an app of its own, and the next has that of the class again.
            first.addTest(XCTestCase(name: "set") { _ in ProcessWideApp.set(other) })
            first.addTest(statuses.testCase())
            let second = ClassSuite {}
            second.addTest(statuses.testCase())
            let all = XCTestSuite(name: "all")
            for suite in [first, second] { all.addTest(suite) }
            all.run()
            #expect(statuses.all.withLock(\.self) == [errSecSuccess, errSecDuplicateItem, errSecNotAvailable])
            #expect(other.device.calls.isEmpty)
        }
    }

    @Test("what is set before the first suite stays set for all of them")
    func setBefore() async {
        await #expect(processExitsWith: .success) {
            let statuses = Statuses()
            let app = try VirtualDevice().install()
            await ProcessWideAppTests.onThread { ProcessWideApp.set(app) }
            for _ in 0..<2 {
                let suite = ClassSuite {}
                suite.addTest(statuses.testCase())
                suite.run()
            }
            #expect(statuses.all.withLock(\.self) == [errSecSuccess, errSecDuplicateItem])
        }
    }

    /// An observer that calls the keychain when it hears of a failure, such as to report it with a token.
    private final class CallingObserver: XCTestObservation, Sendable {
        let failures = Mutex(0)

        func testCase(
            _ testCase: XCTestCase,
            didFailWithDescription description: String,
            inFile filePath: String?,
            atLine lineNumber: Int
        ) {
            failures.withLock { $0 += 1 }
            _ = SecItemDelete([kSecClass: kSecClassGenericPassword] as CFDictionary)
        }
    }

    /// What a suite counts as its failures that calls so.
    private static func failureCount(_ call: @escaping () -> Void) -> Int? {
        let suite = ClassSuite(call)
        suite.addTest(XCTestCase(name: "none") { _ in })
        let all = XCTestSuite(name: "all")
        all.addTest(suite)
        all.run()
        return all.testRun?.totalFailureCount
    }

    @Test("a call while no test case runs fails the suite that runs")
    func betweenTestCases() async {
        await #expect(processExitsWith: .success) {
            #expect(Self.failureCount { _ = Items.add() } == 1)
            #expect(Self.failureCount {} == 0)
        }
    }

    @Test("what no test can be failed by has the process exit with 1")
    func verdict() async { await #expect(processExitsWith: .exitCode(1)) { RunVerdict.fail() } }

    @Test("a queue that a test case binds is bound until the test ends, and one of its class until the class ends")
    func boundQueues() async {
        await #expect(processExitsWith: .success) {
            let app = try VirtualDevice().install()
            let (ofClass, ofTest) = (DispatchQueue(label: "of the class"), DispatchQueue(label: "of the test"))
            let found = Mutex<[Bool]>([])
            @Sendable func look() {
                for queue in [ofClass, ofTest] {
                    queue.sync { found.withLock { $0.append(App.current === app) } }
                }
            }
            let suite = ClassSuite { app.bind(to: ofClass) }
            suite.addTest(
                XCTestCase(name: "binds") { _ in
                    app.bind(to: ofTest)
                    look()
                }
            )
            suite.addTest(XCTestCase(name: "does not") { _ in look() })
            suite.run()
            look()
            #expect(found.withLock(\.self) == [true, true, true, false, false, false])
        }
    }

    @Test("an observer that calls the keychain when a test fails neither hangs nor fails it again")
    func callingObserver() async {
        await #expect(processExitsWith: .success) {
            let observer = CallingObserver()
            XCTestObservationCenter.shared.addTestObserver(observer)
            for name in ["first", "second"] { Statuses().testCase(name).run() }
            #expect(observer.failures.withLock(\.self) == 2)
        }
    }
}

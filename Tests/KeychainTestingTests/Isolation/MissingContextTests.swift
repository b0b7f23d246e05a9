// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import LocalAuthentication
import Security
import Synchronization
import Testing
import XCTest

@testable import KeychainTesting

@Suite("A call outside of an app fails, fails the test that it is of, and touches nothing")
struct MissingContextTests {
    @Test("the issue of a test without a device names the functions, and how to carry on")
    func functions() async throws {
        try await ProcessWideApp.withNobody {
            let test = try #require(Test.current)
            withKnownIssue {
                _ = SecItemAdd(Items.query(), nil)
            } matching: { issue in
                let text = issue.comments.map(\.rawValue).joined()
                return issue.sourceLocation == test.sourceLocation && text.contains("app.bind(to: queue)")
                    && text.contains("SecItemAdd, called by a closure in MissingContextTests.functions()")
            }
        }
    }

    @Test("a call answers before its line is known")
    func atOnce() async throws {
        let (mayGoOn, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        try await ProcessWideApp.withNobody {
            // Nothing is looked up as long as this is. In its turn: before it, this would wait for a test that waits
            // for a line.
            CallLocationLookup.shared.find(CallStack.capture()) { _ in
                mayGoOn.wait()
                goesOn.signal()
            }
            let status = Mutex<OSStatus>(0)
            withKnownIssue { status.withLock { $0 = SecItemAdd(Items.query(), nil) } }
            #expect(status.withLock(\.self) == errSecNotAvailable)
        }
        mayGoOn.signal()
        await withCheckedContinuation { continuation in
            Thread {
                goesOn.wait()
                continuation.resume()
            }.start()
        }
    }

    @Test("a line is told once in a test, however often it calls")
    func once() async throws {
        let count = Mutex(0)
        try await ProcessWideApp.withNobody {
            withKnownIssue {
                for _ in 0..<100 { _ = SecItemDelete(Items.query()) }
            } matching: { _ in
                count.withLock { $0 += 1 }
                return true
            }
        }
        #expect(count.withLock { $0 } == 1)
    }

    private static func stray() { _ = SecItemDelete(Items.query()) }

    @Test("a line in withKnownIssue is told again outside of it")
    func knownAndUnknown() async throws {
        try await ProcessWideApp.withNobody {
            withKnownIssue { Self.stray() }
            // Would fail if nothing were told.
            withKnownIssue { Self.stray() }
        }
    }

    @Test("each case of a test is told of its own call", arguments: 0..<3)
    func eachCase(_ number: Int) async throws {
        try await ProcessWideApp.withNobody { withKnownIssue { Self.stray() } }
    }

    @Test("a call on a queue of a test that has ended says that it is bound no more")
    func queueOfEndedTest() async {
        await #expect(processExitsWith: .success) {
            let outcome = Outcome()
            Complaint.listener.withLock { $0 = { complaint in outcome.complaints.withLock { $0.append(complaint) } } }
            let queue = DispatchQueue(label: "bound")
            let scope = TestScope()
            let app = try VirtualDevice().install()
            TestScope.$ofTask.withValue(scope) { app.bind(to: queue) }
            #expect(queue.sync { Items.add() } == errSecSuccess)
            scope.end()
            #expect(queue.sync { Items.add() } == errSecNotAvailable)
            let complaints = outcome.complaints.withLock(\.self)
            #expect(complaints.map { $0.text.contains("a queue that a test had bound") } == [true])
        }
    }

    @Test("a call that may be of several tests names each once, with its cases")
    func names() async throws {
        let test = try #require(Test.current)
        #expect(RunningTest.names([]) == nil)
        let tests = Mutex<[RunningTest]>([])
        try await ProcessWideApp.withNobody {
            try await RunningTest.run(test) {
                try await RunningTest.run(test) {
                    let functions = CalledFunctions(stack: ["KeychainTestingTests.MissingContextTests.names() -> ()"])
                    tests.withLock { $0 = RunningTest.suspects(functions) }
                }
            }
        }
        #expect(tests.withLock { RunningTest.names($0) } == "2 cases of names()")
        #expect(tests.withLock { RunningTest.names(Array($0.prefix(1))) } == nil)
    }

    /// A call on a thread, in a function that bears no test's name.
    private static func strayElsewhere() async -> OSStatus {
        await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: SecItemDelete(Items.query())) }.start()
        }
    }

    @Test("a call of nobody's task is told in the one test that runs, at its line, before the test ends")
    func onlyTest() async throws {
        let test = try #require(Test.current)
        let statuses = Mutex<[OSStatus]>([])
        while statuses.withLock(\.isEmpty) {
            try await ProcessWideApp.withNobody {
                // A test that gave up its turn, and waits for the next, could have made the call, too.
                guard RunningTest.suspects(CalledFunctions(stack: [])).isEmpty else { return }
                try await withKnownIssue {
                    try await RunningTest.run(test) {
                        let status = await Self.strayElsewhere()
                        statuses.withLock { $0.append(status) }
                    }
                } matching: { issue in
                    issue.sourceLocation?.filePath == #filePath && Test.current == test
                }
            }
        }
        #expect(statuses.withLock(\.self) == [errSecNotAvailable])
    }

    @Test("a call in a closure of a test is told in that test, whatever else runs")
    func namedTest() async throws {
        let test = try #require(Test.current)
        let functions = CalledFunctions(stack: [
            "closure #1 @Sendable () -> () in KeychainTestingTests.MissingContextTests.namedTest() async throws -> ()"
        ])
        let other = CalledFunctions(stack: ["KeychainTestingTests.MissingContextTests.namedTestOfAnother() -> ()"])
        // Beside no test to which it would be one of those that run.
        try await ProcessWideApp.withNobody {
            try await RunningTest.run(test) {
                #expect(RunningTest.suspects(functions).map(\.test) == [test])
                let origin = try #require(RunningTest.origin(of: functions))
                #expect(origin.test == test && origin.remark == nil)
                #expect(RunningTest.suspects(other).contains { $0.test == test })
            }
            #expect(!RunningTest.suspects(functions).contains { $0.test == test })
            #expect(RunningTest.origin(of: functions)?.test == test)
            #expect(RunningTest.origin(of: functions)?.remark == "which had ended")
            #expect(RunningTest.origin(of: other) == nil)
        }
    }

    @Test("the functions of tests are known, also of those that have never been started, and no other")
    func testFunctions() throws {
        let module = "KeychainTestingTests"
        for name in [
            "KeychainTraitTests.eachCaseStartsEmpty", "KeychainTraitTests.variants", "ConditionTests.conditional",
            "KeychainSuiteTraitTests.WithinIt.within", "MissingContextTests.testFunctions",
        ] {
            #expect(TestFunctions.paths.contains("\(module).\(name)"), "\(name)")
        }
        for name in ["Items.add", "MissingContextTests.stray", "MissingContextTests.Way.call", "KeychainTraitTests"] {
            #expect(!TestFunctions.paths.contains("\(module).\(name)"), "\(name)")
        }
        // Nobody runs it in this process.
        let stack = ["closure #1 @Sendable () -> () in KeychainTestingTests.UnawaitedTests.stray() async -> ()"]
        let origin = try #require(RunningTest.origin(of: CalledFunctions(stack: stack)))
        #expect(origin.test == nil && origin.name == "UnawaitedTests.stray()")
        #expect(origin.remark == "which has no device of the trait")
    }

    @Test("each XCTestCase that loses its app fails once, at the line of the call", arguments: Way.allCases)
    func eachTestCase(_ way: Way) async {
        let name = way.rawValue
        await #expect(processExitsWith: .success) { [name = name as String] in
            let way = try #require(Way(rawValue: name))
            let failures = Failures()
            XCTestObservationCenter.shared.addTestObserver(failures)
            let outcome = Outcome()
            for name in ["first", "second"] {
                let testCase = XCTestCase(name: name) { _ in
                    let isDone = DispatchSemaphore(value: 0)
                    Task.detached {
                        await way.call { outcome.calls.withLock { $0 = Self.callAll() } }
                        isDone.signal()
                    }
                    isDone.wait()
                }
                testCase.run()
            }
            // A call for each of the four functions.
            let line = outcome.calls.withLock(\.line)
            let lines = [line, line + 1, line + 2, line + 3]
            #expect(failures.lines.withLock { $0 }.sorted() == (lines + lines).sorted())
        }
    }

    /// The lines of failures of `XCTestCase`.
    private final class Failures: XCTestObservation, Sendable {
        let lines = Mutex<[Int]>([])

        func testCase(
            _ testCase: XCTestCase,
            didFailWithDescription description: String,
            inFile filePath: String?,
            atLine lineNumber: Int
        ) {
            guard filePath == #filePath else { return }
            lines.withLock { $0.append(lineNumber) }
        }
    }

    @Test("an evaluation, keys of the enclave and a look at the entitlements are calls, too")
    func others() async throws {
        let calls: [@Sendable () -> Void] = [
            { _ = LAContext().canEvaluatePolicy(.deviceOwnerAuthentication, error: nil) },
            {
                _ = SecTaskCreateFromSelf(nil).flatMap {
                    SecTaskCopyValueForEntitlement($0, "get-task-allow" as CFString, nil)
                }
            },
            {
                let parameters: [CFString: Any] = [
                    kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
                    kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
                ]
                _ = SecKeyCreateRandomKey(parameters as CFDictionary, nil)
            },
        ]
        try await ProcessWideApp.withNobody {
            for call in calls { withKnownIssue { call() } }
        }
    }

    /// Where code runs that no test has an app for.
    enum Way: String, CaseIterable, Codable {
        case task, queue, detached, thread, bareTest

        func call(_ body: @escaping @Sendable () -> Void) async {
            switch self {
            case .bareTest: body()
            case .task: await Task { body() }.value
            case .detached: await Task.detached { body() }.value
            case .queue:
                await withCheckedContinuation { continuation in
                    DispatchQueue.global().async {
                        body()
                        continuation.resume()
                    }
                }
            case .thread:
                await withCheckedContinuation { continuation in
                    Thread {
                        body()
                        continuation.resume()
                    }.start()
                }
            }
        }
    }

    /// What a call of each kind answers, and the line of the first.
    private static func callAll() -> (statuses: [OSStatus], line: Int) {
        let query = [kSecClass: kSecClassGenericPassword, kSecAttrAccount: "stray"] as CFDictionary
        let line = #line + 1
        let added = SecItemAdd(query, nil)
        let copied = SecItemCopyMatching(query, nil)
        let updated = SecItemUpdate(query, query)
        let deleted = SecItemDelete(query)
        return ([added, copied, updated, deleted], line)
    }

    /// What was complained about, and what the calls answered.
    private final class Outcome: Sendable {
        let complaints = Mutex<[Complaint]>([])
        let calls = Mutex<(statuses: [OSStatus], line: Int)>(([], 0))
    }

    @Test("the user's own keychain is not even made", arguments: Way.allCases)
    func noStore(_ way: Way) async throws {
        let home = FileManager.default.temporaryDirectory.appendingPathComponent("home-\(UUID().uuidString)").path
        let name = way.rawValue
        await #expect(processExitsWith: .success) { [home = home as String, name = name as String] in
            setenv("SWIFT_KEYCHAIN_HOME", home, 1)
            let way = try #require(Way(rawValue: name))
            let outcome = Outcome()
            Complaint.listener.withLock { $0 = { complaint in outcome.complaints.withLock { $0.append(complaint) } } }
            await way.call { outcome.calls.withLock { $0 = Self.callAll() } }
            let (statuses, line) = outcome.calls.withLock { $0 }
            #expect(statuses == [OSStatus](repeating: errSecNotAvailable, count: 4))
            let complaint = try #require(outcome.complaints.withLock { $0.first })
            #expect(complaint.text.contains("SecItemAdd, called by MissingContextTests.callAll()"))
            let location = await complaint.findLocation()
            #expect(location?.line == line)
            #expect(location?.path == #filePath)
            #expect(!FileManager.default.fileExists(atPath: home))
        }
        #expect(!FileManager.default.fileExists(atPath: home))
    }
}

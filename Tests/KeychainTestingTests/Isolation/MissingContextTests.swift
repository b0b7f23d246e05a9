// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import LocalAuthentication
import Security
import Synchronization
import Testing
import XCTest

@testable import KeychainTesting

@Suite("A call outside of an app fails, fails the test at its line, and touches nothing")
struct MissingContextTests {
    @Test("the issue names the line of the call, and how to carry on")
    func location() async throws {
        try await ProcessWideApp.withNobody {
            let line = #line + 2
            withKnownIssue {
                _ = SecItemAdd(Items.query(), nil)
            } matching: { issue in
                issue.sourceLocation?.filePath == #filePath && issue.sourceLocation?.line == line
                    && issue.comments.contains { $0.rawValue.contains("app.bind(to: queue)") }
            }
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

    @Test("each XCTestCase that loses its app is told once") func eachTestCase() async {
        await #expect(processExitsWith: .success) {
            let outcome = Outcome()
            Complaint.listener.withLock { $0 = { _, site in outcome.sites.withLock { $0.append(site) } } }
            for name in ["first", "second", "third"] {
                let testCase = XCTestCase(name: name) { _ in
                    for _ in 0..<2 { _ = SecItemDelete(Items.query()) }
                }
                testCase.run()
            }
            #expect(outcome.sites.withLock { $0.count } == 3)
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

    /// Ways to lose the app that a test runs as.
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
        return ([added, SecItemCopyMatching(query, nil), SecItemUpdate(query, query), SecItemDelete(query)], line)
    }

    /// What was complained about, and what the calls answered.
    private final class Outcome: Sendable {
        let sites = Mutex<[CallSite?]>([])
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
            Complaint.listener.withLock { $0 = { _, site in outcome.sites.withLock { $0.append(site) } } }
            await way.call { outcome.calls.withLock { $0 = Self.callAll() } }
            let (statuses, line) = outcome.calls.withLock { $0 }
            #expect(statuses == [OSStatus](repeating: errSecNotAvailable, count: 4))
            let site = try #require(outcome.sites.withLock { $0.first } ?? nil)
            #expect(site.location?.line == line)
            #expect(site.location?.path.hasSuffix("MissingContextTests.swift") == true)
            #expect(!FileManager.default.fileExists(atPath: home))
        }
        #expect(!FileManager.default.fileExists(atPath: home))
    }
}

// SPDX-License-Identifier: Apache-2.0

import Security
import Synchronization
import Testing

@testable import KeychainTesting

@Suite("The trait gives each test its own device")
struct KeychainTraitTests {
    @Test("a thousand at once do not meet", .keychain, arguments: 0..<1_000)
    func eachCaseStartsEmpty(_ index: Int) throws {
        let query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrAccount: "same"]
        #expect(SecItemAdd(query as CFDictionary, nil) == errSecSuccess)
        #expect(App.current?.device.lockState == .unlocked)
    }

    @Test(.keychain(.macOS, passcode: nil, biometry: .touchID, entitlements: Self.entitlements))
    func variants() throws {
        let app = try #require(App.current)
        #expect(app.device.platform == .macOS)
        #expect(app.device.passcode == nil)
        #expect(app.entitlements == Self.entitlements)
    }

    static let entitlements = Entitlements(team: "TEAM000001", bundleIdentifier: "com.example.other")

    @Test("a failing test tells the calls of its device", .keychain)
    func issues() throws {
        #expect(Items.add() == errSecSuccess)
        let device = try #require(App.current).device
        let told = Mutex<Issue?>(nil)
        withKnownIssue {
            Issue.record("example")
        } matching: { issue in
            told.withLock { $0 = KeychainTrait.annotated(issue, device) }
            return true
        }
        #expect(told.withLock { $0?.comments.last?.rawValue.contains("1. SecItemAdd") } == true)
    }
}

@Suite("The trait of a suite", .keychain)
struct KeychainSuiteTraitTests {
    struct WithinIt {
        @Test("counts for suites within it")
        func within() { #expect(Items.add() == errSecSuccess) }

        @Test("gives way to that of a test", .keychain(entitlements: KeychainTraitTests.entitlements))
        func own() {
            #expect(App.current?.entitlements == KeychainTraitTests.entitlements)
            #expect(Items.add() == errSecSuccess)
        }
    }

    // The initializer runs as the app, too.
    let status = Items.add()

    @Test("counts before the suite is made")
    func initializer() {
        #expect(status == errSecSuccess)
        #expect(Items.add() == errSecDuplicateItem)
    }
}

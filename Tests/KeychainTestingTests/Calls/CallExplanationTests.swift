// SPDX-License-Identifier: Apache-2.0

import Foundation
import Keychain
import Security
import Synchronization
import Testing

@testable import KeychainTesting

/// What a failing test says of the calls that failed in it.
@Suite("A failed call is explained", .keychain)
struct CallExplanationTests {
    private var device: VirtualDevice { get throws { try #require(App.current).device } }

    private static func item(_ account: String, _ more: [CFString: Any] = [:]) -> [CFString: Any] {
        let item: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "com.example.auth", kSecAttrAccount: account,
        ]
        return item.merging(more) { $1 }
    }

    /// The comments of the issue that an expectation records.
    private func comments(_ expectation: () throws -> Void) throws -> String {
        let device = try device
        let told = Mutex<[Comment]>([])
        try withKnownIssue(isIntermittent: true) {
            try expectation()
        } matching: { issue in
            told.withLock { $0 += KeychainTrait.annotated(issue, device)?.comments ?? [] }
            return true
        }
        return told.withLock { $0.map(\.rawValue).joined(separator: "\n") }
    }

    @Test("by the item that was meant, the attribute that differs, and the call to use")
    func attribute() throws {
        let secret = "a-distinctive-secret"
        #expect(SecItemAdd(Self.item("anna", [kSecValueData: Data(secret.utf8)]) as CFDictionary, nil) == errSecSuccess)
        let status = SecItemCopyMatching(Self.item("anna", [kSecAttrLabel: "Token"]) as CFDictionary, nil)
        let text = try comments { #expect(status == errSecSuccess) }
        for part in [
            "Call 2, SecItemCopyMatching, answered errSecItemNotFound: ", "kSecAttrLabel", "\u{2260}", "absent-on-item",
            "Fix:", "let query: [CFString: Any] = [", "SecItemCopyMatching(query as CFDictionary, &result)",
        ] {
            #expect(text.contains(part), "\(part)\n\(text)")
        }
        #expect(!text.contains(secret))
    }

    @Test("an issue that shows a status is about the last call that answered it, as of before that call")
    func statusInIssue() throws {
        let missing = SecItemCopyMatching(Self.item("Anna") as CFDictionary, nil)
        #expect(SecItemAdd(Self.item("anna") as CFDictionary, nil) == errSecSuccess)
        #expect(SecItemAdd(Self.item("anna") as CFDictionary, nil) == errSecDuplicateItem)
        #expect(SecItemDelete(Self.item("anna") as CFDictionary) == errSecSuccess)
        let text = try comments { #expect(missing == errSecSuccess) }
        #expect(text.contains("Call 1, ") && !text.contains("Call 3, "), "\(text)")
        let calls = try device.calls
        let first = try #require(calls.explanation(of: calls.all[0]))
        #expect(!first.contains("anna"), "what was stored later does not count:\n\(first)")
        let duplicate = try #require(calls.explanation(of: calls.all[2]))
        #expect(duplicate.contains("anna"), "what was deleted later does:\n\(duplicate)")
        #expect(calls.explanation(of: calls.all[1]) == nil, "it succeeded")
    }

    @Test("an issue without a status tells of the last failures, the same once")
    func otherIssue() throws {
        for _ in 0..<5 { #expect(SecItemDelete(Self.item("anna") as CFDictionary) == errSecItemNotFound) }
        let text = try comments { Issue.record("example") }
        #expect(text.components(separatedBy: "answered errSecItemNotFound: ").count == 2, "\(text)")
    }

    @Test("a test in which no call failed is told the calls alone")
    func nothingFailed() throws {
        #expect(SecItemAdd(Self.item("anna") as CFDictionary, nil) == errSecSuccess)
        let text = try comments { Issue.record("example") }
        #expect(text.contains("1. SecItemAdd") && !text.contains("answered"))
    }

    @Test("a fault of the test is its own explanation")
    func fault() throws {
        try device.faults.fail(with: errSecIO)
        let status = SecItemDelete(Self.item("anna") as CFDictionary)
        let text = try comments { #expect(status == errSecSuccess) }
        #expect(text.contains("(injected)") && !text.contains("answered errSecIO: "), "\(text)")
    }

    @Test("a locked device, and what became of the item that was taken for absent")
    func lockedAndDeleted() throws {
        #expect(SecItemAdd(Self.item("session") as CFDictionary, nil) == errSecSuccess)
        let device = try device
        try device.lock()
        let query = Self.item("session", [kSecReturnData: true])
        #expect(SecItemCopyMatching(query as CFDictionary, nil) == errSecInteractionNotAllowed)
        #expect(SecItemDelete(Self.item("session") as CFDictionary) == errSecSuccess)
        try device.unlock()
        let found = SecItemCopyMatching(query as CFDictionary, nil) == errSecSuccess
        let text = try comments { #expect(found) }
        #expect(text.contains("answered errSecInteractionNotAllowed: The device is locked"), "\(text)")
        #expect(text.contains("kSecAttrAccessibleAfterFirstUnlock") || text.contains("AfterFirstUnlock"), "\(text)")
        #expect(text.contains("Do not delete the item and add it again"), "\(text)")
        #expect(
            text.contains(
                "answered errSecItemNotFound: The item was stored, and TEAMID1234.com.example.app deleted it"
            ),
            "\(text)"
        )
    }

    @Test("a duplicate is explained by the look-up before it that missed the item")
    func lookUp() throws {
        #expect(SecItemAdd(Self.item("anna", [kSecAttrLabel: "old"]) as CFDictionary, nil) == errSecSuccess)
        let query = Self.item("anna", [kSecAttrLabel: "new"]) as CFDictionary
        #expect(SecItemCopyMatching(query, nil) == errSecItemNotFound)
        #expect(SecItemAdd(query, nil) == errSecDuplicateItem)
        // What is there later says nothing of what was in the way.
        #expect(SecItemDelete(Self.item("anna") as CFDictionary) == errSecSuccess)
        let calls = try device.calls
        let text = try #require(calls.explanation(of: calls.all[2]))
        #expect(text.contains("kSecAttrLabel") && text.contains("SecItemUpdate"), "\(text)")
    }

    @Test("an error of the typed API advises on this very call")
    func advice() throws {
        let keychain = SystemKeychain()
        let item = GenericPassword(service: "com.example.auth", account: "anna", accessGroup: "com.example.app")
        let error = #expect(throws: KeychainItemError.self) {
            try keychain.set("secret", for: item, protection: .accessible(.whenUnlocked))
        }
        let advice = try #require(error?.advice)
        #expect(advice.contains("TEAMID1234.com.example"), "\(advice)")
        #expect(!advice.contains("secret"))
        let text = try comments { throw try #require(error) }
        #expect(text.contains("answered errSecMissingEntitlement: "), "\(text)")
    }

    @Test("of a hundred failed calls it is known why, whatever became of those before")
    func bound() throws {
        for index in 0..<150 { #expect(SecItemDelete(Self.item("\(index)") as CFDictionary) == errSecItemNotFound) }
        let calls = try device.calls
        #expect(calls.filter { calls.explanation(of: $0) != nil }.map(\.number) == Array(51...150))
        calls.reset()
        #expect(SecItemDelete(Self.item("x") as CFDictionary) == errSecItemNotFound)
        #expect(calls.last.flatMap(calls.explanation) != nil)
    }
}

@Suite("A contract's violation is explained")
struct ContractExplanationTests {
    /// Functions of which the add replaces what is there.
    private struct Replacing: SecItemContractSubject {
        let functions = SecItemFunctions()

        func add(_ attributes: [String: Any]) -> SecItemAnswer {
            let answer = functions.add(attributes)
            return answer.status == errSecDuplicateItem ? SecItemAnswer(errSecSuccess) : answer
        }

        func copyMatching(_ query: [String: Any]) -> SecItemAnswer { functions.copyMatching(query) }

        func update(_ query: [String: Any], _ attributes: [String: Any]) -> OSStatus {
            functions.update(query, attributes)
        }

        func delete(_ query: [String: Any]) -> OSStatus { functions.delete(query) }
    }

    @Test("in the doctor's words where a keychain refuses what the subject did")
    func duplicate() throws {
        let violations = try KeychainContract.violations(of: Replacing())
        let explained = violations.filter { $0.expected.hasPrefix("errSecDuplicateItem") }
        #expect(!explained.isEmpty)
        for violation in explained {
            let explanation = try #require(violation.explanation, "\(violation)")
            #expect(violation.description.contains("why:      \(explanation.split(separator: "\n")[0])"))
        }
    }
}

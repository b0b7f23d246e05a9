// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Rule {
    static let testRealKeychainNoCleanup = Rule(
        "test-real-keychain-no-cleanup",
        severity: .warning,
        confidence: .medium,
        family: .tests,
        in: .tests,
        title: "A test leaves items in the keychain",
        reason: """
            A test that fails half-way leaves its item behind, and the next run finds a duplicate: one failure \
            becomes many.
            """,
        remedy: """
            Delete in tearDown, in deinit, in addTeardownBlock or in defer, and before the test as well.
            """,
        flagged: Example([
            "Tests/AppTests/VaultTests.swift": """
            import XCTest
            final class VaultTests: XCTestCase {
                func testSave() throws {
                    try Vault().save(Data())
                    try Vault().delete()
                }
            }
            """,
            "Sources/App/Vault.swift": vault,
        ]),
        accepted: Example([
            "Tests/AppTests/VaultTests.swift": """
            import XCTest
            final class VaultTests: XCTestCase {
                override func tearDown() { try? Vault().delete() }
                func testSave() throws { try Vault().save(Data()) }
            }
            """,
            "Sources/App/Vault.swift": vault,
        ]),
        check: .module { all, report in
            for suite in TestSuite.all(all) {
                let adds = suite.functions.filter { facts in
                    facts.sites.contains { $0.function == .add } && !SetUp.isSetUp(facts.name)
                }
                guard let add = adds.first?.sites.first(where: { $0.function == .add }) else { continue }
                let cleans =
                    ["tearDown", "deinit", "addTeardownBlock", "defer", "addCleanup"].contains {
                        suite.text.contains($0)
                    }
                    || all.module.inherited(suite.name).contains { all.module.types[$0]?.isTest == true }
                if cleans || suite.hasVirtualKeychain { continue }
                let cleansBefore = SetUp.cleans(suite)
                report.add(
                    suite.place,
                    cleansBefore
                        ? "leaves its last item in the keychain"
                        : "adds items to the keychain, and does not remove them when a test fails",
                    severity: cleansBefore ? .note : nil,
                    related: [(add.rootCall, "an item is added here")],
                    context: suite.name
                )
            }
        }
    )
}

private enum SetUp {
    static func isSetUp(_ name: String) -> Bool { ["setUp", "setUpWithError", "init", "beforeEach"].contains(name) }

    private static let words = ["delete", "remove", "clear", "reset", "wipe", "purge", "clean", "erase"]

    /// Whether a suite removes leftovers before each test.
    static func cleans(_ suite: TestSuite) -> Bool {
        suite.type.declarations.flatMap(\.declaration.members).contains { member in
            guard case .function(let function) = member.kind, isSetUp(function.name) else { return false }
            return SyntaxWalk.expressions(function.body ?? []).contains { expression in
                guard case .call(let callee, _) = expression.kind, let name = callee.lastName?.lowercased() else {
                    return false
                }
                return words.contains { name.contains($0) }
            }
        }
    }
}

/// A store, for the examples.
private let vault = """
    import Security
    struct Vault {
        func save(_ d: Data) throws {
            let s = SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a",
                kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked, kSecValueData: d] as CFDictionary, nil)
            guard s == errSecSuccess else { throw Failure(s) }
        }
        func delete() throws {
            let s = SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary)
            guard s == errSecSuccess || s == errSecItemNotFound else { throw Failure(s) }
        }
    }
    """

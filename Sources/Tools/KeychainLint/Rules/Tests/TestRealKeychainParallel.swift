// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Rule {
    static let testRealKeychainParallel = Rule(
        "test-real-keychain-parallel",
        severity: .note,
        confidence: .medium,
        family: .tests,
        in: .tests,
        title: "Tests that share items run at the same time",
        reason: """
            Swift Testing runs the tests of a suite in parallel: those that write the same items see each \
            other's.
            """,
        remedy: "Add .serialized to the suite, or give each test a service of its own.",
        flagged: Example([
            "Tests/AppTests/VaultTests.swift": """
            import Testing
            @Suite struct VaultTests {
                @Test func one() { #expect(Vault().save(Data()) == errSecSuccess) }
                @Test func two() { #expect(Vault().save(Data()) == errSecDuplicateItem) }
            }
            """,
            "Sources/App/Vault.swift": vault,
        ]),
        accepted: Example([
            "Tests/AppTests/VaultTests.swift": """
            import Testing
            @Suite(.serialized) struct VaultTests {
                @Test func one() { #expect(Vault().save(Data()) == errSecSuccess) }
                @Test func two() { #expect(Vault().save(Data()) == errSecDuplicateItem) }
            }
            """,
            "Sources/App/Vault.swift": vault,
        ]),
        check: .module { all, report in
            for suite in TestSuite.all(all) where !suite.hasVirtualKeychain {
                if suite.text.contains(".serialized") || suite.text.contains("UUID()") { continue }
                let tests = suite.functions.filter { facts in
                    facts.symbol?.function.attributes.contains { $0.name == "Test" } == true
                        && facts.sites.contains { $0.function == .add || $0.function == .delete }
                }
                guard tests.count > 1, let first = tests[0].sites.first else { continue }
                report.add(
                    suite.place,
                    "its tests write to the keychain at the same time",
                    related: [(first.rootCall, "one of them, here")],
                    context: suite.name
                )
            }
        }
    )
}

/// A store, for the examples.
private let vault = """
    import Security
    struct Vault {
        func save(_ d: Data) -> OSStatus {
            SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a",
                kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked, kSecValueData: d] as CFDictionary, nil)
        }
    }
    """

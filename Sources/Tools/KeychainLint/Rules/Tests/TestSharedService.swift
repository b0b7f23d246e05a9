// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Rule {
    static let testSharedService = Rule(
        "test-shared-service",
        severity: .warning,
        confidence: .medium,
        family: .tests,
        in: .tests,
        title: "A test uses the items of the program",
        reason: """
            A test that writes under the same service and account as the program overwrites a developer's own \
            session, and meets other tests' items.
            """,
        remedy: "Give the store a service of its own, such as tests.vault and a UUID.",
        flagged: Example([
            "Tests/AppTests/VaultTests.swift": """
            import XCTest
            final class VaultTests: XCTestCase {
                override func tearDown() {}
                func testSave() throws { try Vault().save(Data(), "ada") }
            }
            """,
            "Sources/App/Vault.swift": Example.productionVault,
        ]),
        accepted: Example([
            "Tests/AppTests/VaultTests.swift": """
            import XCTest
            final class VaultTests: XCTestCase {
                override func tearDown() {}
                func testSave() throws { try Vault().save(Data(), "test-account") }
            }
            """,
            "Sources/App/Vault.swift": Example.productionVault,
        ]),
        check: .module { all, report in
            let markers = [
                "test", "spec", "mock", "unit", "ci.", "uuid", "fixture", "dummy", "example.test", "foo", "bar",
            ]
            var seen: Set<Place> = []
            for facts in all.functions where facts.isTest {
                guard let type = facts.typeName, let symbol = all.module.types[type] else { continue }
                let text = symbol.declarations.map { all.module.files[$0.file].text($0.declaration.range) }.joined()
                if text.contains(".keychain") || text.contains("withKeychain") { continue }
                for site in facts.sites where site.function == .add && !site.query.variants.isEmpty {
                    let isShared = site.query.variants.allSatisfy { variant in
                        let values = ["kSecAttrService", "kSecAttrServer", "kSecAttrAccount", "kSecAttrAccessGroup"]
                            .compactMap {
                                variant.value($0)
                            }
                        guard !variant.isOpen, values.count > 1 else { return false }
                        return values.allSatisfy { value in
                            guard case .string(let text) = value else { return false }
                            let lower = text.lowercased()
                            return !markers.contains { lower.contains($0) }
                        }
                    }
                    guard isShared, seen.insert(site.rootCall).inserted else { continue }
                    report.add(
                        site.rootCall,
                        "writes under the service and account of the program",
                        context: facts.name
                    )
                }
            }
        }
    )
}

extension Rule.Example {
    /// A store that uses the service of the shipped app.
    static let productionVault = """
        import Security
        struct Vault {
            var service = "com.example.production"
            func save(_ d: Data, _ account: String) throws {
                let s = SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrService: "com.example.vault", kSecAttrAccount: account,
                    kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked, kSecValueData: d] as CFDictionary, nil)
                guard s == errSecSuccess else { throw Failure(s) }
            }
        }
        """
}

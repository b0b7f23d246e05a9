// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Rule {
    static let testMissingErrorPaths = Rule(
        "test-missing-error-paths",
        severity: .note,
        confidence: .medium,
        family: .tests,
        in: .tests,
        title: "Tests of a keychain type try no failure",
        reason: """
            A duplicate, an item that is not there, a locked device and a failed authentication are ordinary days of a \
            keychain. Code for them that no test runs is where data is lost.
            """,
        remedy: """
            Inject each status and check what becomes of it: errSecDuplicateItem, errSecItemNotFound, errSecAuthFailed, \
            errSecInteractionNotAllowed.
            """,
        flagged: Example([
            "Sources/App/Vault.swift": vault,
            "Tests/AppTests/VaultTests.swift": """
            import XCTest
            final class VaultTests: XCTestCase {
                override func tearDown() {}
                func testSave() throws {
                    try Vault().save(Data([1]), "test")
                    XCTAssertEqual(try Vault().read("test"), Data([1]))
                }
            }
            """,
        ]),
        accepted: Example([
            "Sources/App/Vault.swift": vault,
            "Tests/AppTests/VaultTests.swift": """
            import XCTest
            final class VaultTests: XCTestCase {
                override func tearDown() {}
                func testTwice() throws {
                    try Vault().save(Data([1]), "test")
                    XCTAssertThrowsError(try Vault().save(Data([1]), "test"))
                }
            }
            """,
        ]),
        check: .module { all, report in
            // Suites by the tested types that throw and call an item function.
            var suites: [String: [TestSuite]] = [:]
            for suite in TestSuite.all(all) {
                for facts in suite.functions {
                    for site in facts.sites where site.depth > 0 {
                        guard let symbol = site.symbol, symbol.function.throws, !all.module.files[symbol.file].isTest,
                            let type = symbol.typeName
                        else { continue }
                        if suites[type]?.last?.name != suite.name { suites[type, default: []].append(suite) }
                    }
                }
            }
            var reported: Set<String> = []
            for (type, tests) in suites.sorted(by: { $0.key < $1.key }) {
                if tests.contains(where: { ErrorPaths.areTried($0.text) }) { continue }
                for suite in tests where reported.insert(suite.name).inserted {
                    let missing = ErrorPaths.missing(suite.functions.flatMap(\.sites).map(\.function))
                    report.add(
                        suite.place,
                        "no test of \(type) tries \(missing.joined(separator: ", "))",
                        context: suite.name
                    )
                }
            }
        }
    )

    private static let vault = """
        import Security
        struct Failure: Error { var status: OSStatus }
        struct Vault {
            func save(_ d: Data, _ account: String) throws {
                let s = SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: account,
                    kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked, kSecValueData: d] as CFDictionary, nil)
                guard s == errSecSuccess else { throw Failure(status: s) }
            }
            func read(_ account: String) throws -> Data? {
                var r: CFTypeRef?
                let s = SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: account,
                    kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne] as CFDictionary, &r)
                guard s == errSecSuccess else { throw Failure(status: s) }
                return r as? Data
            }
        }
        """
}

private enum ErrorPaths {
    private static let words = [
        "duplicate", "-25299", "notfound", "not_found", "-25300", "authfailed", "-25293", "interactionnotallowed",
        "-25308", "throwserror", "throws:", "locked",
    ]

    static func areTried(_ text: String) -> Bool {
        let lower = text.lowercased()
        return words.contains { lower.contains($0) }
    }

    /// The possible failures of calls of these functions.
    static func missing(_ functions: [ItemFunction]) -> [String] {
        var result: [String] = []
        if functions.contains(.add) { result.append("errSecDuplicateItem") }
        if functions.contains(where: { $0 != .add }) { result.append("errSecItemNotFound") }
        return result + ["errSecAuthFailed", "errSecInteractionNotAllowed"]
    }
}

// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Rule {
    static let testSimulatorBiometricItem = Rule(
        "test-simulator-biometric-item",
        severity: .note,
        confidence: .medium,
        family: .tests,
        in: .tests,
        title: "A test reads an item behind biometry, which a simulator hands out without asking",
        reason: """
            The simulator returns items with an access control without any prompt. A test that stores one and reads it \
            back passes there, and says nothing about a device.
            """,
        remedy: """
            Skip the test with #if targetEnvironment(simulator), or run it on a virtual device whose owner answers as the \
            test says.
            """,
        flagged: .test(
            """
            import Security
            import XCTest
            final class BiometryTests: XCTestCase {
                override func tearDown() {}
                func testRoundTrip() throws {
                    let control = try XCTUnwrap(SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, .biometryCurrentSet, nil))
                    let added = SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrService: "test", kSecAttrAccount: "a",
                        kSecAttrAccessControl: control, kSecValueData: Data([1])] as CFDictionary, nil)
                    XCTAssertEqual(added, errSecSuccess)
                }
            }
            """
        ),
        accepted: Example([
            "Sources/App/Vault.swift": vault,
            "Tests/AppTests/VaultTests.swift": """
            import XCTest
            final class VaultTests: XCTestCase {
                override func tearDown() {}
                func testSave() throws {
                    #if targetEnvironment(simulator)
                    throw XCTSkip("needs a device")
                    #else
                    XCTAssertEqual(Vault().save(Data([1]), "test"), errSecSuccess)
                    #endif
                }
            }
            """,
        ]),
        check: .module { all, report in
            for suite in TestSuite.all(all) where !suite.hasVirtualKeychain && !suite.asksWhereItRuns {
                let asserts = ["XCTAssert", "XCTUnwrap", "#expect", "#require", "expect("].contains {
                    suite.text.contains($0)
                }
                let add = suite.functions.lazy.compactMap { facts -> Site? in
                    guard facts.accessControls.contains(where: \.asksForPresence) else { return nil }
                    return facts.sites.first { site in
                        site.function == .add && site.query.variants.contains { $0.has("kSecAttrAccessControl") }
                    }
                }.first
                guard asserts, let add else { continue }
                report.add(
                    suite.place,
                    "stores an item that asks for its owner, which a simulator does not do",
                    related: [(add.rootCall, "it is added here")],
                    context: suite.name
                )
            }
        }
    )

    private static let vault = """
        import Security
        struct Vault {
            func save(_ d: Data, _ account: String) -> OSStatus {
                var e: Unmanaged<CFError>?
                guard let control = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, .userPresence, &e)
                else { return errSecParam }
                return SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: account,
                    kSecAttrAccessControl: control, kSecValueData: d] as CFDictionary, nil)
            }
        }
        """
}

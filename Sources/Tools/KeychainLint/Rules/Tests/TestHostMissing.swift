// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let testHostMissing = Rule(
        "test-host-missing",
        severity: .warning,
        confidence: .high,
        family: .tests,
        in: .all,
        title: "Tests of the keychain run without a host app",
        reason: """
            A bundle of unit tests without a host has no entitlements: on iOS every call of the keychain fails with \
            errSecMissingEntitlement (-34018), or with errSecNotAvailable (-25291).
            """,
        remedy:
            "Choose a host application for the target, whose TEST_HOST is then $(BUILT_PRODUCTS_DIR)/Host.app/Host.",
        flagged: example(["Debug": ["PRODUCT_NAME": "VaultTests"], "Release": [:]]),
        accepted: example(["Debug": ["TEST_HOST": "$(BUILT_PRODUCTS_DIR)/App.app/App"]]),
        check: .project { project, report in
            let wrappers: Set<String> = [
                "KeychainAccess", "Valet", "KeychainSwift", "SwiftKeychainWrapper", "SimpleKeychain", "Locksmith",
            ]
            let reaching = project.modules.flatMap(\.functions).filter { $0.isTest && !$0.sites.isEmpty }
            let wrapped = project.modules.flatMap(\.module.files).filter {
                $0.isTest && !$0.imports.isDisjoint(with: wrappers)
            }
            let paths = Set(reaching.map(\.source.path) + wrapped.map(\.path))
            for xcode in project.xcodeProjects {
                for target in xcode.targets where target.productType == "com.apple.product-type.bundle.unit-test" {
                    let hasHost = target.configurations.contains {
                        $0.isIncomplete || !($0.settings["TEST_HOST"] ?? "").isEmpty
                    }
                    guard target.isIOS, !target.isMac, !hasHost, paths.contains(where: target.compiles) else {
                        continue
                    }
                    report.add(
                        path: xcode.path,
                        line: target.line,
                        "'\(target.name)' uses the keychain, and has no TEST_HOST",
                        context: target.name
                    )
                }
            }
        }
    )

    fileprivate static let adding = """
        import Security
        import XCTest
        final class VaultTests: XCTestCase {
            override func tearDown() {}
            func testAdd() {
                XCTAssertEqual(SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrService: "test", kSecAttrAccount: "a",
                    kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked, kSecValueData: Data()] as CFDictionary, nil), errSecSuccess)
            }
        }
        """
}

/// An app's project with tests that use the keychain, and their settings by configuration.
private func example(_ settings: [String: [String: String]]) -> Rule.Example {
    Rule.Example([
        "App.xcodeproj/project.pbxproj": Rule.Example.project(
            ["SDKROOT": "iphoneos"],
            .init("VaultTests", type: "bundle.unit-test", sources: ["VaultTests.swift"], settings: settings)
        ),
        "VaultTests/VaultTests.swift": Rule.adding,
    ])
}

// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let testHostMissing = Rule(
        "test-host-missing",
        .warning,
        .high,
        .tests,
        in: .all,
        title: "Tests of the keychain run without a host app",
        reason: """
            A bundle of unit tests without a host has no entitlements: on iOS every call of the keychain fails with \
            errSecMissingEntitlement (-34018), or with errSecNotAvailable (-25291).
            """,
        remedy:
            "Choose a host application for the target, whose TEST_HOST is then $(BUILT_PRODUCTS_DIR)/Host.app/Host.",
        flagged: [
            Example([
                "App.xcodeproj/project.pbxproj": Example.project(
                    ["SDKROOT": "iphoneos"],
                    .init(
                        "VaultTests",
                        "bundle.unit-test",
                        sources: ["VaultTests.swift"],
                        ["Debug": ["PRODUCT_NAME": "VaultTests"], "Release": [:]]
                    )
                ),
                "VaultTests/VaultTests.swift": adding,
            ]),
            Example([
                "App.xcodeproj/project.pbxproj": Example.project(
                    ["SUPPORTED_PLATFORMS": "iphoneos iphonesimulator"],
                    .init("VaultTests", "bundle.unit-test", sources: ["VaultTests.swift"], ["Debug": ["TEST_HOST": ""]])
                ),
                "VaultTests/VaultTests.swift": adding,
            ]),
            Example([
                "App.xcodeproj/project.pbxproj": Example.project(
                    ["SDKROOT": "iphoneos"],
                    .init("VaultTests", "bundle.unit-test", sources: ["WrapperTests.swift"], ["Debug": [:]])
                ),
                "VaultTests/WrapperTests.swift": """
                import KeychainAccess
                import XCTest
                final class WrapperTests: XCTestCase {
                    func testSave() throws { try Keychain(service: "test").set("a", key: "b") }
                }
                """,
            ]),
        ],
        accepted: [
            Example([
                "App.xcodeproj/project.pbxproj": Example.project(
                    ["SDKROOT": "iphoneos"],
                    .init(
                        "VaultTests",
                        "bundle.unit-test",
                        sources: ["VaultTests.swift"],
                        ["Debug": ["TEST_HOST": "$(BUILT_PRODUCTS_DIR)/App.app/App"]]
                    )
                ),
                "VaultTests/VaultTests.swift": adding,
            ]),
            Example([
                "App.xcodeproj/project.pbxproj": Example.project(
                    ["SDKROOT": "iphoneos"],
                    .init("MathTests", "bundle.unit-test", sources: ["MathTests.swift"], ["Debug": [:]])
                ),
                "MathTests/MathTests.swift": """
                import XCTest
                final class MathTests: XCTestCase { func testSum() { XCTAssertEqual(1 + 1, 2) } }
                """,
            ]),
            Example([
                "App.xcodeproj/project.pbxproj": Example.project(
                    ["SDKROOT": "macosx"],
                    .init("VaultTests", "bundle.unit-test", sources: ["VaultTests.swift"], ["Debug": [:]])
                ),
                "VaultTests/VaultTests.swift": adding,
            ]),
            // The host is set for all configurations in a file that another one includes.
            Example([
                "App.xcodeproj/project.pbxproj": """
                { objects = {
                P = { isa = PBXProject; buildConfigurationList = PL; };
                PL = { isa = XCConfigurationList; buildConfigurations = (PD); };
                PD = { isa = XCBuildConfiguration; name = Debug; buildSettings = { SDKROOT = iphoneos; }; };
                T = { isa = PBXNativeTarget; name = VaultTests; productType = "com.apple.product-type.bundle.unit-test";
                    buildPhases = (S); buildConfigurationList = L; };
                S = { isa = PBXSourcesBuildPhase; files = (B); };
                B = { isa = PBXBuildFile; fileRef = F; };
                F = { isa = PBXFileReference; path = VaultTests.swift; };
                L = { isa = XCConfigurationList; buildConfigurations = (D); };
                D = { isa = XCBuildConfiguration; name = Debug; baseConfigurationReference = X; buildSettings = { }; };
                X = { isa = PBXFileReference; path = Tests.xcconfig; };
                }; }
                """,
                "Configuration/Tests.xcconfig": "#include \"Hosted.xcconfig\"\nSWIFT_VERSION = 6.0\n",
                "Configuration/Hosted.xcconfig": "TEST_HOST = $(BUILT_PRODUCTS_DIR)/App.app/App\n",
                "VaultTests/VaultTests.swift": adding,
            ]),
        ],
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

    private static let adding = """
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

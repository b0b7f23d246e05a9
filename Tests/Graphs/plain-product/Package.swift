// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

/// A product of swift-keychain, where the system does not have the module itself.
func keychain(_ product: String) -> Target.Dependency {
    .product(name: product, package: "swift-keychain", condition: .when(platforms: [.linux]))
}

// Way (a): depend on the product by its plain name.
let package = Package(
    name: "plain-product",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "swift-keychain", path: "../../..")],
    targets: [
        .target(name: "ImportsSecurity", dependencies: [keychain("Security")]),
        .target(
            name: "ImportsFoundation",
            dependencies: [
                .product(name: "Security", package: "swift-keychain", condition: .when(platforms: [.linux]))
            ]
        ),
        .target(name: "ImportsLocalAuthentication", dependencies: [keychain("LocalAuthentication")]),
        .target(name: "ImportsCryptoKit", dependencies: [keychain("CryptoKit")]),
        .target(name: "ImportsCommonCrypto", dependencies: [keychain("CommonCrypto")]),
        .target(
            name: "ImportsOS",
            dependencies: [.product(name: "PortableOS", package: "swift-keychain")],
            swiftSettings: [.unsafeFlags(["-module-alias", "os=PortableOS"])]
        ),
        .testTarget(
            name: "PlainProductTests",
            dependencies: [
                "ImportsSecurity", "ImportsFoundation", "ImportsLocalAuthentication", "ImportsCryptoKit",
                "ImportsCommonCrypto", "ImportsOS",
                keychain("Security"), keychain("LocalAuthentication"),
            ]
        ),
    ]
)

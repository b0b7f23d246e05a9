// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// Way (b): a package as it is written for Apple's platforms. Nothing in it mentions swift-keychain; the toolset does.
let package = Package(
    name: "toolset-unmodified",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    ],
    targets: [
        .target(name: "Vault"),
        .target(
            name: "Companions",
            dependencies: [
                "Vault",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .executableTarget(name: "vault-tool", dependencies: ["Vault"]),
        .testTarget(name: "VaultTests", dependencies: ["Vault", "Companions"]),
        .testTarget(name: "VaultXCTests", dependencies: ["Vault"]),
    ]
)

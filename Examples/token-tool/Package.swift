// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

let package = Package(
    name: "token-tool",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "swift-keychain", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .target(name: "TokenStore", dependencies: [.product(name: "Security", package: "swift-keychain")]),
        .executableTarget(
            name: "token-tool",
            dependencies: [
                "TokenStore",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        .testTarget(
            name: "TokenStoreTests",
            dependencies: ["TokenStore", .product(name: "Security", package: "swift-keychain")]
        ),
    ]
)

// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

let package = Package(
    name: "secret-server",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(name: "swift-keychain", path: "../.."),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    ],
    targets: [
        .target(
            name: "Webhooks",
            dependencies: [
                .product(name: "Security", package: "swift-keychain"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .executableTarget(name: "secret-server", dependencies: ["Webhooks"]),
        .testTarget(
            name: "WebhooksTests",
            dependencies: [
                "Webhooks",
                .product(name: "Security", package: "swift-keychain"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
            ]
        ),
    ]
)

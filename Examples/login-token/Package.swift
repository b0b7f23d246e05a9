// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

let package = Package(
    name: "login-token",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "swift-keychain", path: "../..")],
    targets: [
        .target(
            name: "LoginToken",
            dependencies: [
                .product(name: "Keychain", package: "swift-keychain"),
                .product(name: "KeychainRecipes", package: "swift-keychain"),
            ]
        ),
        .executableTarget(
            name: "login-token",
            dependencies: ["LoginToken", .product(name: "Keychain", package: "swift-keychain")]
        ),
    ]
)

#if os(Linux)
// The virtual device is there on Linux only: a Mac's own keychain cannot be taken away from a test.
package.targets.append(
    .testTarget(
        name: "LoginTokenTests",
        dependencies: [
            "LoginToken",
            .product(name: "Keychain", package: "swift-keychain"),
            .product(name: "KeychainRecipes", package: "swift-keychain"),
            .product(name: "KeychainTesting", package: "swift-keychain"),
        ]
    )
)
#endif

// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

let package = Package(
    name: "session-kit",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [.library(name: "SessionKit", targets: ["SessionKit"])],
    dependencies: [.package(name: "swift-keychain", path: "../..")],
    targets: [
        .target(
            name: "SessionKit",
            dependencies: [
                .product(name: "Security", package: "swift-keychain"),
                .product(name: "LocalAuthentication", package: "swift-keychain"),
            ]
        )
    ]
)

#if os(Linux)
// The virtual device is there on Linux only: a Mac's own keychain cannot be taken away from a test.
package.targets.append(
    .testTarget(
        name: "SessionKitTests",
        dependencies: [
            "SessionKit",
            .product(name: "Security", package: "swift-keychain"),
            .product(name: "LocalAuthentication", package: "swift-keychain"),
            .product(name: "KeychainTesting", package: "swift-keychain"),
        ]
    )
)
#endif

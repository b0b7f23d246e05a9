// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// An app's package as it is on Apple's platforms, which reaches the keychain through somebody's wrapper. Nothing here
// or in the wrapper mentions swift-keychain but `import KeychainTesting` in the tests; the toolset does the rest.
let package = Package(
    name: "journal",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [.library(name: "Journal", targets: ["Journal"])],
    dependencies: [.package(path: "Lockbox")],
    targets: [
        .target(
            name: "Journal",
            dependencies: [.product(name: "Lockbox", package: "Lockbox")],
            resources: [.process("Resources")]
        ),
        .testTarget(name: "JournalTests", dependencies: ["Journal"]),
        .testTarget(name: "JournalXCTests", dependencies: ["Journal"]),
    ]
)

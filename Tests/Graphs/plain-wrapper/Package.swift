// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// The same app, wrapper and tests as in toolset-wrapper, by the plain product: the wrapper is a target of this package,
// whose sources are a submodule (here a link), so that the package manager knows what it needs. Nothing of the wrapper
// is changed.
let package = Package(
    name: "journal",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [.library(name: "Journal", targets: ["Journal"])],
    dependencies: [.package(name: "swift-keychain", path: "../../..")],
    targets: [
        .target(
            name: "Lockbox",
            dependencies: [.product(name: "Security", package: "swift-keychain")],
            path: "Vendor",
            exclude: ["Lockbox/Package.swift"],
            sources: ["Lockbox/Sources/Lockbox", "Lockbox.Security.swift"],
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        .target(name: "Journal", dependencies: ["Lockbox"], resources: [.process("Resources")]),
        .testTarget(
            name: "JournalTests",
            dependencies: ["Journal", "Lockbox", .product(name: "KeychainTesting", package: "swift-keychain")],
            linkerSettings: [.unsafeFlags(["-use-ld=lld"], .when(platforms: [.linux]))]
        ),
        .testTarget(name: "JournalXCTests", dependencies: ["Journal"] + kit),
    ]
)

var kit: [Target.Dependency] {
    [
        .product(name: "KeychainTesting", package: "swift-keychain"),
        .product(name: "Security", package: "swift-keychain"),
    ]
}

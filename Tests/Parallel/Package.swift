// swift-tools-version: 6.2
import PackageDescription

// A package as any team would write it: unmodified keychain code, and tests of it that use the kit.
// Scripts/test-threads runs the tests under the thread sanitizer.
let package = Package(
    name: "parallel",
    dependencies: [.package(name: "swift-keychain", path: "../..")],
    targets: [
        .target(name: "TokenStore", dependencies: [.product(name: "Security", package: "swift-keychain")]),
        .testTarget(
            name: "ParallelTests",
            dependencies: [
                "TokenStore",
                .product(name: "Security", package: "swift-keychain"),
                .product(name: "KeychainTesting", package: "swift-keychain"),
            ]
        ),
    ]
)

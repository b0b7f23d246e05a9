// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "swift-keychain-benchmarks",
    platforms: [.macOS(.v13)],
    products: [
        // Preloaded into the daemon, by its file.
        .library(name: "slow-sync", type: .dynamic, targets: ["slow-sync"])
    ],
    dependencies: [
        .package(name: "swift-keychain", path: ".."),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
    ],
    targets: [
        .systemLibrary(name: "CBenchmarkSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .executableTarget(
            name: "keychain-benchmarks",
            dependencies: [
                "CBenchmarkSQLite",
                .product(name: "Security", package: "swift-keychain"),
                .product(name: "KeychainEngine", package: "swift-keychain"),
                .product(name: "KeychainClient", package: "swift-keychain"),
                .product(name: "KeychainSimulation", package: "swift-keychain"),
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .executableTarget(name: "benchmark-peer"),
        .target(name: "slow-sync"),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.name == "keychain-benchmarks" {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("MemberImportVisibility"),
        ]
}

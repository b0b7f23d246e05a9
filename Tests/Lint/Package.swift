// swift-tools-version: 6.2
// The tests of keychain-lint. A package of their own: they alone need swift-syntax, and nothing of swift-crypto.
import PackageDescription

let package = Package(
    name: "keychain-lint-tests",
    dependencies: [.package(name: "swift-keychain", path: "../..", traits: ["Lint"])],
    targets: [
        .testTarget(
            name: "KeychainLintTests",
            dependencies: [
                .product(name: "KeychainLint", package: "swift-keychain"),
                .product(name: "keychain-lint", package: "swift-keychain"),
            ],
            exclude: ["Corpus", "Examples", "Snippets"]
        )
    ],
    swiftLanguageModes: [.v6]
)

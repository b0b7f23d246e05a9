// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// The usual server packages beside Security, by each of the three ways; the folder's name says which. X509 asks
// `canImport(Security)`, which our module may answer for it: it must compile and work either way.
let name = Context.packageDirectory.split(separator: "/").last.map(String.init) ?? ""

/// What differs: the package that is named, its product, how the code sees it as Security, and whether a program links
/// that uses X509 without us.
let way: (packages: [Package.Dependency], products: [Target.Dependency], settings: [SwiftSetting], hasBystander: Bool) =
    switch name {
    // (b), with the toolset that adds no import: a file that needs Security imports it by name.
    case "toolset-server": ([], [], [], true)
    // (c): X509 must never see Security.
    case "server-private-name":
        (
            [.package(name: "swift-keychain", path: "../../..")],
            [.product(name: "PortableSecurity", package: "swift-keychain")],
            [.unsafeFlags(["-module-alias", "Security=PortableSecurity"])],
            true
        )
    // (a)
    default:
        (
            [.package(name: "swift-keychain", path: "../../..")],
            [.product(name: "Security", package: "swift-keychain")],
            [],
            false
        )
    }

let certificates: [Target.Dependency] = [
    .product(name: "X509", package: "swift-certificates"),
    .product(name: "Crypto", package: "swift-crypto"),
]

let package = Package(
    name: name,
    dependencies: way.packages + [
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    ],
    targets: [
        .target(
            name: "Server",
            dependencies: way.products + [
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ] + certificates,
            swiftSettings: way.settings
        )
    ] + (way.hasBystander ? [.executableTarget(name: "bystander", dependencies: certificates)] : []) + [
        .testTarget(
            name: "ServerTests",
            dependencies: ["Server", .product(name: "HummingbirdTesting", package: "hummingbird")]
        )
    ]
)

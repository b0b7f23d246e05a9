// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// Way (c): the module lies in the graph under a private name, and only the targets with this alias see it as Security.
let alias: [SwiftSetting] = [
    .unsafeFlags(
        [
            "-module-alias", "Security=PortableSecurity",
            "-module-alias", "LocalAuthentication=PortableLocalAuthentication",
        ],
        .when(platforms: [.linux])
    )
]

let package = Package(
    name: "private-name",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "swift-keychain", path: "../../.."),
        .package(path: "Unrelated"),
    ],
    targets: [
        .target(
            name: "Aliased",
            dependencies: [
                .product(name: "PortableSecurity", package: "swift-keychain"),
                .product(name: "PortableLocalAuthentication", package: "swift-keychain"),
            ],
            swiftSettings: alias
        ),
        .target(name: "Direct", dependencies: [.product(name: "PortableSecurity", package: "swift-keychain")]),
        .testTarget(
            name: "PrivateNameTests",
            dependencies: ["Aliased", "Direct", .product(name: "Unrelated", package: "Unrelated")]
        ),
    ]
)

// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// Way (c) by SwiftPM's own means, without flags: the plain products are built under private names, and only the targets
// that depend on them so see them as Security and LocalAuthentication.
let package = Package(
    name: "module-alias",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "swift-keychain", path: "../../.."),
        .package(path: "../private-name/Unrelated"),
    ],
    targets: [
        .target(
            name: "Aliased",
            dependencies: [
                .product(
                    name: "LinuxLocalAuthentication",
                    package: "swift-keychain",
                    moduleAliases: [
                        "Security": "KeychainSecurity",
                        "LocalAuthentication": "KeychainLocalAuthentication",
                    ],
                    condition: .when(platforms: [.linux])
                )
            ]
        ),
        .target(name: "Direct", dependencies: [.product(name: "PortableSecurity", package: "swift-keychain")]),
        .testTarget(
            name: "PrivateNameTests",
            dependencies: ["Aliased", "Direct", .product(name: "Unrelated", package: "Unrelated")]
        ),
    ]
)

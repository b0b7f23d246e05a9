// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// All names of the API in one program: whichever module a file imports, it must mean the same types and functions.
let package = Package(
    name: "types",
    dependencies: [.package(name: "swift-keychain", path: "../../..")],
    targets: [
        .testTarget(
            name: "TypesTests",
            dependencies: [
                "Security", "PortableSecurity", "LocalAuthentication", "PortableLocalAuthentication",
            ].map { .product(name: $0, package: "swift-keychain") }
        )
    ]
)

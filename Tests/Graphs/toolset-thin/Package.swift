// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// Way (b) with the parts for CommonCrypto and os: nothing here mentions swift-keychain. Beside it are packages that ask
// whether these modules are there: argument-parser for os, swift-crypto's extras for CommonCrypto.
let package = Package(
    name: "toolset-thin",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    ],
    targets: [
        .target(name: "Diary"),
        .testTarget(
            name: "DiaryTests",
            dependencies: [
                "Diary",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
    ]
)

// swift-tools-version: 5.9
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// A wrapper in the style of many public ones; its files import only Foundation.
let package = Package(
    name: "Lockbox",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [.library(name: "Lockbox", targets: ["Lockbox"])],
    targets: [.target(name: "Lockbox")]
)

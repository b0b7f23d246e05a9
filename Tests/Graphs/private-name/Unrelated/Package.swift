// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// Somebody else's package, which asks for Security and must go on without it on Linux.
let package = Package(
    name: "Unrelated",
    products: [.library(name: "Unrelated", targets: ["Unrelated"])],
    targets: [.target(name: "Unrelated")]
)

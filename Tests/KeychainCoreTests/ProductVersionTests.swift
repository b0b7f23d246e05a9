// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import Testing

struct ProductVersionTests {
    @Test("the version is that of the newest entry of the change log")
    func changeLog() throws {
        let package = URL(fileURLWithPath: #filePath).appendingPathComponent("../../..").standardized
        let log = try String(contentsOf: package.appendingPathComponent("CHANGELOG.md"), encoding: .utf8)
        let heading = try #require(log.split(separator: "\n").first { $0.hasPrefix("## ") })
        #expect(heading.dropFirst(3).prefix { $0 != " " } == ProductVersion.number)
    }

    @Test(
        "what cannot take the version from its table names the same one",
        arguments: [
            ("README.md", "swift-keychain_@_amd64.deb"), ("README.md", "swift-keychain-@-linux-x86_64.tar.xz"),
            ("Packaging/rpm/swift-keychain.spec", "Version:        @"),
            ("Packaging/homebrew/swift-keychain.rb", "swift-keychain-@-linux-x86_64.tar.xz"),
        ]
    )
    func copies(file: String, text: String) throws {
        let package = URL(fileURLWithPath: #filePath).appendingPathComponent("../../..").standardized
        let contents = try String(contentsOf: package.appendingPathComponent(file), encoding: .utf8)
        #expect(contents.contains(text.replacing("@", with: ProductVersion.number)))
    }
}

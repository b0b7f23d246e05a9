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
}

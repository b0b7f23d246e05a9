// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("Files that Architecture names")
struct ArchitecturePathTests {
    @Test("each file that the page names with its folder is there")
    func files() throws {
        let page = try Repository.lines(of: "Documentation/Architecture.md").joined(separator: "\n")
        let files = try ["swift", "c"].flatMap { try Repository.files(in: ["Sources", "Tests"], ending: $0) }
        let named = Set(page.matches(of: /`([A-Z][A-Za-z]+(?:\/[A-Za-z+_]+)+\.(?:swift|c))`/).map { String($0.1) })
        #expect(named.count > 40)
        for file in named.sorted() { #expect(files.contains { "/\($0)".hasSuffix("/\(file)") }, "\(file)") }
    }
}

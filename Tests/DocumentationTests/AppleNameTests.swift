// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What is not here, and what to use.
@Suite("Apple's names that are not here")
struct AppleNameTests {
    /// Apple's public names, each once.
    private static func names() throws -> [String] {
        try Repository.lines(of: "Tests/DocumentationTests/Cases/apple-names.txt")
            .filter { !$0.isEmpty && !$0.hasPrefix("#") }
    }

    /// What the modules declare at their top level.
    private static func declared() throws -> Set<String> {
        let folders = ["Sources/API/KeychainServices", "Sources/API/LocalAuthenticationServices"]
        var names: Set<String> = []
        for file in try Repository.files(in: folders, ending: "swift") {
            for line in try Repository.lines(of: file) {
                guard let match = line.prefixMatch(of: declaration) else { continue }
                names.insert(String(match.output.1))
            }
        }
        return names
    }

    nonisolated(unsafe) private static let declaration =
        /(?:@\w+ |nonisolated\(unsafe\) )*(?:public|open) (?:final )?(?:let|var|func|class|struct|enum|typealias) (\w+)/

    /// The names of the page's tables; one with an ellipsis stands for all that begin so.
    private static func page() throws -> [String] {
        try Repository.lines(of: "Documentation/NotHere.md").filter { $0.hasPrefix("| `") }
            .compactMap { $0.components(separatedBy: " | ").first }
            .flatMap { $0.matches(of: /`(\w+…?)`/).map { String($0.output.1) } }
    }

    private static func covers(_ entry: String, _ name: String) -> Bool {
        entry.hasSuffix("…") ? name.hasPrefix(entry.dropLast()) : name == entry
    }

    @Test("each public name of Apple's is declared here, or stands on the page")
    func covered() throws {
        let names = try Self.names()
        let declared = try Self.declared()
        let page = try Self.page()
        let missing = names.filter { name in
            !declared.contains(name) && !page.contains { Self.covers($0, name) }
        }
        #expect(missing == [])
        #expect(names.count > 2400)
        #expect(Set(names).count == names.count)
        #expect(names.filter(declared.contains).count > 900)
    }

    @Test("the page names nothing that is here")
    func superfluous() throws {
        let declared = try Self.declared()
        let absent = try Self.names().filter { !declared.contains($0) }
        for entry in try Self.page() {
            #expect(absent.contains { Self.covers(entry, $0) }, "\(entry) is here, or no name of Apple's")
        }
    }
}

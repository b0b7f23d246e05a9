// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTesting
import Security
import Testing

/// The table of TestingKeychainCode.
///
/// The process that `StrayTableTests` starts leaves the one line out of each row.
@Suite("Work elsewhere runs as the app by itself, by one line, or by a process-wide app", .keychain)
struct FollowingWorkTests {
    @Test(arguments: Way.allCases)
    func row(_ way: Way) async throws {
        let app = try #require(App.current)
        guard !StrayTable.isChild else {
            let status = await way.call(as: app, isCarried: false)
            #expect(status == (way.following == .byItself ? errSecSuccess : errSecNotAvailable))
            return
        }
        let status: OSStatus
        switch way.following {
        case .byItself, .byOneLine: status = await way.call(as: app, isCarried: true)
        case .not: status = try await ProcessWideApp.with(app) { await way.call(as: app, isCarried: false) }
        }
        #expect(status == errSecSuccess)
        #expect(app.device.calls.map(\.operation) == [.add])
    }

    @Test("the table of the documentation has the rows that are tested, and says what they need")
    func table() throws {
        let page = StrayTable.sources.appending(
            "/Sources/Testing/KeychainTesting/KeychainTesting.docc/TestingKeychainCode.md"
        )
        let text = try String(contentsOfFile: page, encoding: .utf8)
        let section = try #require(
            text.components(separatedBy: "\n## ").first { $0.hasPrefix("Work on other threads") }
        )
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst(2).map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        #expect(rows.map(\.first) == Way.allCases.map(\.row))
        for (way, row) in zip(Way.allCases, rows) {
            switch way.following {
            case .byItself: #expect(row.last == "nothing")
            case .byOneLine: #expect(row.last?.hasPrefix("`app.") == true, "\(row)")
            case .not: #expect(row.last?.contains("processWide") == true)
            }
        }
    }
}

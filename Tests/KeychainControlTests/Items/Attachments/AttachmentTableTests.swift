// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import Testing

@testable import KeychainControl

/// Which items belong to a password, and what dates people write, by the tables in `Cases`.
struct AttachmentTableTests {
    private static func rows(_ name: String) -> [JSONValue] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let path = folder.deletingLastPathComponent().appendingPathComponent("Cases/\(name).jsonl").path
        let lines = (FileManager.default.contents(atPath: path) ?? Data()).split(separator: 0x0A)
        precondition(!lines.isEmpty, "there are no cases in \(path)")
        return lines.map { line in
            guard let row = try? JSONParser.parse(line, limitsMarks: false) else {
                preconditionFailure("a line of \(path) is not JSON")
            }
            return row
        }
    }

    @Test("an item belongs to the password that its service names, and any other one is listed by itself")
    func naming() throws {
        for row in Self.rows("attachments") {
            let title = row["title"].string ?? ""
            let scene = try ItemScene()
            for (service, account) in [("github.com", "ada"), ("github.com", ""), ("a/b", "c/d")] {
                #expect(try scene.run("set", service, "--account", account, input: "s").status == 0)
            }
            let server = ["--class", "internet", "--protocol", "https", "--port", "8443"]
            #expect(try scene.run(["set"] + server + ["a.example/ada"], input: "s").status == 0)
            var item: [String: PropertyValue] = [:]
            for (name, key) in [("service", "svce"), ("account", "acct"), ("comment", "icmt")] {
                item[key] = row[name].string.map { .string($0) }
            }
            try scene.add(.genericPassword, item)
            let lines = try scene.run("list").output.split(separator: "\n")
            guard let owner = row["of"].string else {
                #expect(lines.count == 5 && lines.allSatisfy { !$0.contains("(") }, "\(title): \(lines)")
                continue
            }
            let marked = lines.filter { $0.contains("(") }
            #expect(lines.count == 4 && marked.count == 1, "\(title): \(lines)")
            #expect(marked.first?.hasPrefix("\(owner)\t") == true, "\(title): \(lines)")
            #expect(try scene.run("list", "--all").output.split(separator: "\n").count == 5, "\(title)")
            let meant = try #require(AttachmentOwner(service: row["service"].string ?? ""))
            #expect(meant.service == row["service"].string)
        }
    }

    @Test("a date is read as people write it, and nothing else is one")
    func dates() throws {
        // 2026-11-29T06:00:00Z
        let now = 1_795_932_000
        for row in Self.rows("expiry") {
            let text = try #require(row["text"].string)
            let date = ExpiryDate(text, now: now)
            switch row["expires"].string {
            case nil: #expect(date == nil, "\(text)")
            case "never"?: #expect(date == .never)
            case let expected?:
                guard case .at(let time)? = date else {
                    Issue.record("\(text) is not read")
                    continue
                }
                #expect(TimeText.text(time) == expected, "\(text)")
            }
        }
    }
}

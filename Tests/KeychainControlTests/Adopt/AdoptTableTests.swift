// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// What becomes of each kind of file, by the table in `Cases`.
struct AdoptTableTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let json: JSONValue

        var testDescription: String { json["title"].string ?? "" }

        static let all: [Row] = {
            let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            let path = folder.appendingPathComponent("Cases/adopt.jsonl").path
            let lines = (FileManager.default.contents(atPath: path) ?? Data()).split(separator: 0x0A)
            precondition(!lines.isEmpty, "there are no cases in \(path)")
            return lines.map { line in
                guard let row = try? JSONParser.parse(line, limitsMarks: false) else {
                    preconditionFailure("a line of \(path) is not JSON")
                }
                return Row(json: row)
            }
        }()

        func texts(_ name: String) -> [String] { json[name].elements?.compactMap(\.string) ?? [] }
    }

    @Test("the secrets go to the items of their programs, and the file comes back byte for byte", arguments: Row.all)
    func table(_ row: Row) throws {
        let scene = try AdoptScene()
        func meant(_ text: String) -> String {
            text.replacing("HELPERS", with: scene.helpers.control.helperFolder ?? "")
                .replacing("%2FHOME", with: "%2F").replacing(
                    "HOME%2F",
                    with: scene.home.replacing("/", with: "%2F") + "%2F"
                )
                .replacing("HOME", with: scene.home)
        }
        let name = try #require(row.json["path"].string)
        let before = try #require(row.json["before"].string)
        try scene.helpers.write(name, before)
        for (other, text) in row.json["files"].members ?? [:] { try scene.helpers.write(other, text.string ?? "") }
        let state = scene.state(name)
        let others = (row.json["others"].members ?? [:]).keys.map { ($0, scene.state($0)) }

        let dry = try scene.run("--dry-run", scene.path(name))
        #expect(scene.state(name) == state && dry.status == Int32(row.json["status"].integer ?? 0))
        #expect(try scene.count() == 0, "a dry run stores something")
        let outcome = try scene.run("--yes", scene.path(name))
        let said = outcome.output + outcome.remarks + outcome.error + dry.output + dry.remarks
        #expect(!said.contains("s3cr3t"), "a secret is shown: \(said)")
        #expect(scene.helpers.text(name) == meant(row.json["after"].string ?? before))
        for (other, text) in row.json["others"].members ?? [:] {
            #expect(scene.helpers.text(other)?.contains(meant(text.string ?? "")) == true)
        }
        for left in row.texts("left") { #expect(said.contains(left), "\(said)") }
        for command in row.texts("commands") { #expect(outcome.remarks.contains(meant(command)), "\(outcome.remarks)") }
        let items = row.json["items"].elements ?? []
        for item in items {
            var attributes: [String: PropertyValue] = [:]
            for (key, value) in item.members ?? [:] where key != "class" && key != "secret" {
                attributes[key] =
                    value.string.map { .string(meant($0)) }
                    ?? .number(.integer(Int64(value.integer ?? 0)))
            }
            let itemClass = try #require(ItemClass(rawValue: item["class"].string ?? ""))
            let secrets = try scene.secrets(itemClass, attributes)
            #expect(secrets == [item["secret"].string ?? ""], "\(item)")
        }
        let again = try scene.run("--yes", scene.path(name))
        #expect(!again.remarks.contains("Moved"), "a second run finds something")

        let undone = try scene.run("--undo", scene.path(name))
        #expect(undone.status == (items.isEmpty ? 3 : 0), "\(undone.error)\(undone.remarks)")
        #expect(scene.state(name) == state)
        for (other, former) in others { #expect(scene.state(other).bytes == former.bytes, "\(other)") }
        #expect(try scene.count() == 0, "something is left in the keychain")
    }

    @Test("each kind has a row")
    func kinds() throws {
        let paths = try Row.all.map { try #require($0.json["path"].string) }
        let kinds = Set(paths.compactMap { AdoptedKind(path: "/home/\($0)") })
        #expect(kinds == Set(AdoptedKind.allCases))
    }
}

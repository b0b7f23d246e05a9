// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// The JSON of the commands for passwords, and the schema in the documentation.
struct ItemSchemaTests {
    private static let documentation = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Documentation")

    private func schema() throws -> [String: Any] {
        let data = try Data(contentsOf: Self.documentation.appendingPathComponent("password-1.schema.json"))
        return try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    private func json(_ outcome: ItemScene.Outcome) throws -> Any {
        #expect(outcome.status == 0)
        return try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
    }

    @Test("the JSON of list, search, show and get has the published schema")
    func schemaHolds() throws {
        let scene = try ItemScene()
        try scene.add(
            .internetPassword,
            [
                "srvr": .string("a.example"), "acct": .string("ada"), "ptcl": .string("htps"), "path": .string("/p"),
                "port": .number(.integer(8443)), "sdmn": .string("realm"), "atyp": .string("form"),
                "desc": .string("D"), "icmt": .string("C"), "labl": .string("L"), "sync": .boolean(true),
            ]
        )
        try scene.add(.genericPassword, ["svce": .data(SecretBytes([0xFF])), "acct": .string("ada")])
        try scene.add(.genericPassword, [:])
        _ = try scene.run("set", "svc/ada", "--accessible", "when-unlocked", input: "1")
        let schema = try schema()
        let list: [String: Any] = ["type": "array", "items": schema]
        let all = try json(scene.run("list", "--json"))
        #expect(SchemaValidator.problems(all, list) == [])
        #expect((all as? [Any])?.count == 4)
        #expect(SchemaValidator.problems(try json(scene.run("search", "ada", "--json")), list) == [])
        #expect(SchemaValidator.problems(try json(scene.run("list", "--group", "none", "--json")), list) == [])
        for name in ["a.example/ada", "svc/ada"] {
            for command in ["show", "get"] {
                let object = try json(scene.run(command, name, "--json"))
                #expect(SchemaValidator.problems(object, schema) == [])
                #expect(((object as? [String: Any])?["password"] == nil) == (command == "show"))
            }
        }
        let path = scene.folder.path(of: "bytes")
        try Data([0xFF]).write(to: URL(fileURLWithPath: path))
        _ = try scene.run("set", "bytes/ada", "--file", path)
        let bytes = try json(scene.run("get", "bytes/ada", "--json"))
        #expect(SchemaValidator.problems(bytes, schema) == [])
        #expect((bytes as? [String: Any])?["passwordBase64"] as? String == "/w==")
    }

    @Test("every member of the schema is described on the page")
    func page() throws {
        let properties = try #require(schema()["properties"] as? [String: Any])
        let page = try String(contentsOf: Self.documentation.appendingPathComponent("Items.md"), encoding: .utf8)
        #expect(properties.keys.filter { !page.contains("`\($0)`") } == [])
    }
}

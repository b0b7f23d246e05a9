// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// `keychainctl history` and `keychainctl undo`.
struct HistoryCommandTests {
    private var scene: ItemScene

    init() throws {
        scene = try ItemScene()
        _ = try scene.run("set", "svc/ada", input: "one")
    }

    private func change(_ secrets: String...) throws {
        for secret in secrets { #expect(try scene.run("set", "svc/ada", input: secret).status == 0) }
    }

    @Test("without a number nothing is kept, and the list says how to keep some")
    func off() throws {
        try change("two")
        let list = try scene.run("history", "svc/ada")
        #expect(list.status == 0 && list.output.isEmpty && list.remarks.contains("history keep"), "\(list)")
        let undo = try scene.run("undo", "svc/ada", "--yes")
        #expect(undo.status == 3 && undo.error.contains("0 former values"), "\(undo)")
    }

    @Test("former values are listed by number, and shown on request only")
    func list() throws {
        #expect(try scene.run("history", "keep", "5", "svc/ada").remarks.contains("5 former values of svc/ada"))
        try change("two", "two", "three")
        let list = try scene.run("history", "svc/ada")
        let lines = list.output.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].hasPrefix("1\t") && lines[0].contains("3 bytes"), "\(list)")
        #expect(!list.output.contains("two") && !list.output.contains("one"))
        let json = try scene.run("history", "svc/ada", "--json").output
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        #expect(object["keep"] as? Int == 5 && object["keepIsOwn"] as? Bool == true)
        let values = try #require(object["values"] as? [[String: Any]])
        #expect(values.map { $0["number"] as? Int } == [1, 2] && values[0]["bytes"] as? Int == 3)
        #expect(try scene.run("history", "show", "svc/ada", "--reveal", "2").text == "one")
        #expect(try scene.run("history", "svc/ada", "--reveal", "3").status == 3)
        #expect(try scene.run("history", "svc/ada", "--reveal", "0").status == 3)
        #expect(try scene.run("history", "svc/ada", "--reveal", "1", "--json").status == 2)
        #expect(try scene.run("history", "svc/nobody").status == 3)
    }

    @Test("undo asks, restores as a change, and a second one brings back what was there")
    func undo() throws {
        var scene = scene
        _ = try scene.run("history", "keep", "5", "svc/ada")
        _ = try scene.run("set", "svc/ada", input: "two")
        let unasked = try scene.run("undo", "svc/ada")
        #expect(unasked.status == 1 && unasked.error.contains("--yes"), "\(unasked)")
        scene.control.confirmation = false
        #expect(try scene.run("undo", "svc/ada").status == 1)
        #expect(try scene.run("get", "svc/ada").text == "two")
        scene.control.confirmation = true
        #expect(try scene.run("undo", "svc/ada").status == 0)
        #expect(try scene.run("get", "svc/ada").text == "one")
        #expect(try scene.run("undo", "svc/ada", "--yes").status == 0)
        #expect(try scene.run("get", "svc/ada").text == "two")
        #expect(try scene.run("undo", "svc/ada", "--to", "2", "--yes").status == 0)
        #expect(try scene.run("get", "svc/ada").text == "two")
        #expect(try scene.run("undo", "svc/ada", "--to", "9", "--yes").status == 3)
    }

    @Test("they go with a name, and a copy has none")
    func names() throws {
        _ = try scene.run("history", "keep", "5", "svc/ada")
        try change("two")
        #expect(try scene.run("rename", "svc/ada", "svc/eve").status == 0)
        #expect(try scene.run("history", "svc/eve", "--reveal", "1").text == "one")
        #expect(try scene.run("copy", "svc/eve", "svc/ada").status == 0)
        #expect(try scene.run("history", "svc/ada").output.isEmpty)
    }

    @Test("a smaller number and a removal ask first; a number for all is one for passwords without their own")
    func numbers() throws {
        var scene = scene
        #expect(try scene.run("history", "keep", "3", "--all").status == 0)
        for secret in ["two", "three"] { _ = try scene.run("set", "svc/ada", input: secret) }
        #expect(try scene.run("history", "svc/ada").output.split(separator: "\n").count == 2)
        #expect(try scene.run("history", "keep", "1", "svc/ada").status == 1)
        scene.control.confirmation = true
        #expect(try scene.run("history", "keep", "1", "svc/ada").status == 0)
        #expect(try scene.run("history", "svc/ada").output.split(separator: "\n").count == 1)
        #expect(try scene.run("history", "keep", "default", "svc/ada").remarks.contains("3 former values"))
        #expect(try scene.run("history", "clear", "svc/ada").status == 0)
        #expect(try scene.run("history", "svc/ada").output.isEmpty)
        #expect(try scene.run("history", "clear", "--all", "--yes").status == 0)
        let store = try scene.run("store", "downgrade", "3.0")
        #expect(store.status == 1 && (store.output + store.error).contains("history keep 0 --all"), "\(store)")
        #expect(try scene.run("history", "keep", "0", "--all", "--yes").status == 0)
        #expect(try scene.run("store").output.contains("Features:         none"))
        #expect(try scene.run("get", "svc/ada").text == "three")
    }

    @Test(
        "wrong usage",
        arguments: [
            ["keep", "101", "svc/ada"], ["keep", "-1", "svc/ada"], ["keep", "x", "svc/ada"], ["keep", "3"],
            ["keep", "3", "svc/ada", "--all"], ["keep", "default", "--all"], ["clear"], ["clear", "svc/ada", "--all"],
        ]
    )
    func usage(_ words: [String]) throws {
        #expect(try scene.run(["history"] + words).status == 2)
    }

    @Test("a locked keychain says so")
    func locked() throws {
        _ = try scene.run("history", "keep", "5", "svc/ada")
        try scene.lock()
        for words in [
            ["history", "svc/ada"], ["undo", "svc/ada", "--yes"], ["history", "clear", "svc/ada", "--yes"],
        ] {
            #expect(try scene.run(words).status == 5, "\(words)")
        }
    }
}

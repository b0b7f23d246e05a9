// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// `keychainctl list` and `search`, and the names that shells complete.
struct ListCommandTests {
    private let scene: ItemScene

    init() throws {
        scene = try ItemScene()
        for name in ["github.com/ada", "gitlab.com/ada", "mail/bob"] {
            _ = try scene.run("set", name, input: "hunter2")
        }
        try scene.add(.internetPassword, ["srvr": .string("example.com"), "ptcl": .string("htps")])
    }

    private func names(_ outcome: ItemScene.Outcome) -> [String] {
        outcome.output.split(separator: "\n").map { String($0.split(separator: "\t").first ?? "") }
    }

    @Test("each password is a line with its name first, in order, and no secret is in it")
    func lines() throws {
        let all = try scene.run("list")
        #expect(names(all) == ["example.com", "github.com/ada", "gitlab.com/ada", "mail/bob"])
        #expect(all.output.contains("internet https") && !all.output.contains("hunter2"))
        #expect(try names(scene.run("list", "--class", "internet")) == ["example.com"])
        #expect(try scene.run("list", "--group", "none").output.isEmpty)
    }

    @Test("on a terminal the columns are aligned")
    func columns() throws {
        var scene = scene
        scene.control.isTerminal = true
        let lines = try scene.run("list").output.split(separator: "\n")
        #expect(Set(lines.map { $0.range(of: "swift-keychain.common")?.lowerBound.utf16Offset(in: $0) }).count == 1)
    }

    @Test("JSON has an object for each, and references with a NUL are read again")
    func machines() throws {
        let json = try JSONSerialization.jsonObject(with: Data(try scene.run("list", "--json").output.utf8))
        #expect(
            (json as? [[String: Any]])?.map { $0["service"] as? String } == [
                "example.com", "github.com", "gitlab.com", "mail",
            ]
        )
        let references = try scene.run("list", "--null").text.split(separator: "\0")
        #expect(references.count == 4)
        for reference in references { #expect(try scene.run("show", String(reference)).status == 0, "\(reference)") }
        #expect(try scene.run("list", "--null", "--json").status == 2)
    }

    @Test("names that a terminal would obey are shown without that, and are whole in JSON")
    func controlCharacters() throws {
        _ = try scene.run("set", "\u{1B}[31m", input: "1")
        #expect(try scene.run("list").output.contains("?[31m"))
        #expect(try !scene.run("list").output.contains("\u{1B}"))
        #expect(try scene.run("list", "--json").output.contains(#"\u001b[31m"#))
    }

    @Test("words find names that are similar, the best first")
    func search() throws {
        #expect(try names(scene.run("search", "git")) == ["github.com/ada", "gitlab.com/ada"])
        #expect(try names(scene.run("search", "GHUB")) == ["github.com/ada"])
        #expect(try names(scene.run("search", "ada", "lab")) == ["gitlab.com/ada"])
        let none = try scene.run("search", "nosuch")
        #expect(none.status == 3 && none.output.isEmpty)
    }

    @Test("where a name is locked nothing is listed, so that none is taken for missing")
    func locked() throws {
        try scene.add(.genericPassword, ["svce": .string("open"), "pdmn": .string("dk")])
        try scene.lock()
        for words in [["list"], ["search", "open"], ["list", "--json"], ["list", "--null"]] {
            let outcome = try scene.run(words)
            #expect(outcome.status == 5 && outcome.output.isEmpty && outcome.bytes.isEmpty, "\(words)")
        }
        #expect(ItemCompletion.names(in: scene.control.keychain).isEmpty)
    }

    @Test("names are offered for completion, and none that a shell would take for more than text")
    func completion() throws {
        for service in ["$(touch x)", "`x`", "a b", "it's", "*", "~", "!x", "ü@example.com"] {
            #expect(try scene.run("set", "--account", "z", "--", service, input: "secret").status == 0)
        }
        let expected = ["example.com", "github.com/ada", "gitlab.com/ada", "mail/bob", "ü@example.com/z"]
        #expect(ItemCompletion.names(in: scene.control.keychain) == expected)
    }
}

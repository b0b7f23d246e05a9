// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainEngine
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// The commands of `keychainctl` for single passwords: by name, byte for byte, with statuses for scripts.
struct ItemCommandTests {
    private var scene: ItemScene

    init() throws { scene = try ItemScene() }

    @Test("a final newline of standard input is not a part of the secret, unless it is kept")
    func newline() throws {
        for (input, options, stored) in [
            ("pw\n", [], "pw"), ("pw", [], "pw"), ("a\nb\n\n", [], "a\nb\n"), ("pw\n", ["--keep-newline"], "pw\n"),
            ("pw\n", ["--file", "-"], "pw\n"), ("\n", [], ""),
        ] as [(String, [String], String)] {
            #expect(try scene.run(["set", "svc/ada"] + options, input: input).status == 0)
            let got = try scene.run("get", "svc/ada")
            #expect(got.status == 0 && got.text == stored && got.output.isEmpty && got.remarks.isEmpty, "\(input)")
        }
    }

    @Test("standard input without a byte is that of a program that failed, and stores nothing")
    func emptyInput() throws {
        let outcome = try scene.run("set", "svc/ada", input: "")
        #expect(outcome.status == 1 && outcome.error.contains("empty"))
        #expect(try scene.run("get", "svc/ada").status == 3)
        #expect(try scene.run("set", "svc/ada", "--file", "/dev/null").status == 0)
        #expect(try scene.run("get", "svc/ada").bytes.isEmpty)
    }

    @Test("every byte of a file is stored and written to a new file of its owner alone")
    func files() throws {
        let contents = Data(Array(0...255) + Array("\n\n".utf8))
        let path = scene.folder.path(of: "key")
        try contents.write(to: URL(fileURLWithPath: path))
        #expect(try scene.run("set", "svc/ada", "--file", path).status == 0)
        let copy = scene.folder.path(of: "copy")
        #expect(try scene.run("get", "svc/ada", "--output", copy).status == 0)
        #expect(FileManager.default.contents(atPath: copy) == contents)
        #expect(try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? Int == 0o600)
        let again = try scene.run("get", "svc/ada", "--output", copy)
        #expect(again.status == 1 && again.error.contains("File exists"))
        let missing = try scene.run("set", "svc/ada", "--file", scene.folder.path(of: "missing"))
        #expect(missing.status == 1 && missing.error.contains("missing cannot be opened: No such file"))
    }

    @Test("what a killed command left of a secret is removed by the next one that writes to the folder")
    func remains() throws {
        _ = try scene.run("set", "svc/ada", input: "1")
        let left = scene.folder.path(of: ".swift-keychain.\(String(repeating: "0", count: 32)).new")
        let other = scene.folder.path(of: ".swift-keychain.mine.new")
        for path in [left, other] { try Data("1".utf8).write(to: URL(fileURLWithPath: path)) }
        #expect(try scene.run("get", "svc/ada", "--output", scene.folder.path(of: "copy")).status == 0)
        #expect(!FileManager.default.fileExists(atPath: left) && FileManager.default.fileExists(atPath: other))
    }

    @Test("what is too large for an item is refused before anything is stored")
    func tooLarge() throws {
        let path = scene.folder.path(of: "large")
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        #expect(truncate(path, off_t(ItemLimits.secretByteCount) + 1) == 0)
        let large = try scene.run("set", "svc/ada", "--file", path)
        #expect(large.status == 1 && large.error.contains("more than 16777216 bytes"))
        #expect(try scene.run("get", "svc/ada").status == 3)
    }

    @Test("a password that is there gets another secret, and keeps its label and group")
    func replacement() throws {
        #expect(try scene.run("set", "svc/ada", "--label", "Key", input: "old").remarks == "Stored svc/ada.")
        #expect(try scene.run("set", "svc/ada", input: "new").remarks == "Replaced svc/ada.")
        #expect(try scene.run("get", "svc/ada").text == "new")
        #expect(try scene.run("get", "svc/ada", "--field", "label").text == "Key")
        #expect(try scene.run("set", "svc/bob", input: "other").remarks == "Stored svc/bob.")
        #expect(try scene.run("get", "svc/ada").text == "new")
    }

    @Test("a secret is never an argument")
    func arguments() throws {
        let outcome = try scene.run("set", "svc/ada", "hunter2")
        #expect(outcome.status == 2 && !outcome.error.contains("hunter2"), "\(outcome.error)")
    }

    @Test("on a terminal the password is asked for, and a shown one is said to be on the screen")
    func terminal() throws {
        var scene = scene
        scene.control.isTerminal = true
        scene.control.answers = [.secret(SecretBytes(Array("typed".utf8)))]
        #expect(try scene.run("set", "svc/ada").status == 0)
        let shown = try scene.run("get", "svc/ada")
        #expect(shown.text == "typed" && shown.remarks.contains("on the screen"))
    }

    @Test("a terminal gets nothing of an item that it would obey, and anything else gets the bytes")
    func controlCharacters() throws {
        let hostile = "a\u{1B}]0;x\u{7}\u{9B}31m"
        for account in ["\(hostile)1", "\(hostile)2"] {
            #expect(
                try scene.run(["set", "svc", "--account", account, "--label", hostile], input: hostile).status == 0
            )
        }
        var terminal = scene
        terminal.control.isTerminal = true
        let words = ["svc", "--account", "\(hostile)1"]
        for field in ["label", "account", "password"] {
            let get = ["get", "--field", field] + words
            let whole = hostile + (field == "account" ? "1" : "")
            #expect(try scene.run(get).bytes == Data(whole.utf8))
            let shown = try terminal.run(get)
            #expect(shown.text == whole.printable && shown.remarks.contains("terminal would obey"), "\(shown)")
        }
        for words in [["show"] + words, ["list"], ["search", "svc"], ["get", "svc"], ["delete", "svc"]] {
            let shown = try terminal.run(words)
            let text = shown.text + shown.output + shown.remarks + shown.error
            #expect(text.contains("a?]0;x??31m"), "\(words)")
            #expect(!text.unicodeScalars.contains { ["\u{1B}", "\u{7}", "\u{9B}"].contains($0) }, "\(words)")
        }
        _ = try scene.run("set", "lines", input: "one\n\ttwo\n")
        #expect(try terminal.run("get", "lines").text == "one\n\ttwo")
    }

    @Test("a name without an account means the only account, and several are listed")
    func ambiguity() throws {
        _ = try scene.run("set", "svc/ada", input: "1")
        #expect(try scene.run("get", "svc").text == "1")
        _ = try scene.run("set", "svc/bob", input: "2")
        let several = try scene.run("get", "svc")
        #expect(several.status == 4 && several.bytes.isEmpty)
        #expect(several.error.contains("account 'ada'") && several.error.contains("account 'bob'"))
        // Its name is the service alone.
        _ = try scene.run("set", "svc", "--account", "", input: "3")
        #expect(try scene.run("get", "svc").text == "3")
        #expect(try scene.run("get", "svc", "--account", "bob").text == "2")
        #expect(try scene.run("get", "nosuch").status == 3)
    }

    @Test("a slash may be part of service and account, and a new name with several says which")
    func slashes() throws {
        let unclear = try scene.run("set", "https://example.com/ada", input: "1")
        #expect(unclear.status == 2 && unclear.error.contains("--account"))
        #expect(try scene.run("set", "https://example.com", "--account", "ada", input: "1").status == 0)
        #expect(try scene.run("get", "https://example.com/ada").text == "1")
        #expect(try scene.run("get", "https://example.com").text == "1")
        #expect(try scene.run("set", "https://example.com/ada", input: "2").remarks.hasPrefix("Replaced"))
        #expect(try scene.run("get", "keychain://https:%2F%2Fexample.com/ada").text == "2")
        _ = try scene.run("set", "https:", "--account", "/example.com/ada", input: "3")
        #expect(try scene.run("get", "https://example.com/ada").status == 4)
        // There is a search for each.
        let many = try scene.run("get", String(repeating: "/", count: 20_000))
        #expect(many.status == 2 && many.error.contains("20000 slashes"))
    }

    @Test("items of servers and of other groups are told apart by options and references")
    func classesAndGroups() throws {
        _ = try scene.run("set", "example.com/ada", input: "generic")
        #expect(try scene.run("set", "--class", "internet", "example.com/ada", input: "internet").status == 0)
        #expect(try scene.run("set", "example.com/ada", input: "which").status == 4)
        #expect(try scene.run("set", "--group", "com.example", "example.com/ada", input: "group").status == 0)
        #expect(try scene.run("get", "example.com/ada").status == 4)
        #expect(try scene.run("get", "--class", "internet", "example.com/ada").text == "internet")
        #expect(try scene.run("get", "--group", "com.example", "example.com/ada").text == "group")
        let reference = "keychain://example.com/ada?class=generic&group=com.example"
        #expect(try scene.run("get", reference).text == "group")
        let shown = #""reference": "\#(reference)&synchronizable=no""#
        #expect(try scene.run("show", reference, "--json").output.contains(shown))
    }

    @Test("synchronizable items are found, and made on request")
    func synchronizable() throws {
        #expect(try scene.run("set", "svc/ada", "--synchronizable", input: "1").status == 0)
        #expect(try scene.run("get", "svc/ada").text == "1")
        #expect(try scene.run("show", "svc/ada").output.contains("Synchronizable:   yes"))
        #expect(try scene.run("set", "svc/ada", input: "2").remarks.hasPrefix("Replaced"))
    }

    @Test("show has every attribute and no secret")
    func show() throws {
        _ = try scene.run(["set", "svc/ada", "--label", "L", "--comment", "C"], input: "hunter2")
        let text = try scene.run("show", "svc/ada").output
        for line in ["Service:          svc", "Account:          ada", "Label:            L", "Comment:          C"] {
            #expect(text.contains(line), "\(text)")
        }
        #expect(!text.contains("hunter2"))
        let json = try JSONSerialization.jsonObject(with: Data(try scene.run("show", "svc/ada", "--json").output.utf8))
        let object = try #require(json as? [String: Any])
        #expect(object["service"] as? String == "svc" && object["comment"] as? String == "C")
        #expect(object["class"] as? String == "generic" && object["password"] == nil)
        let whole = try JSONSerialization.jsonObject(with: Data(try scene.run("get", "svc/ada", "--json").output.utf8))
        #expect((whole as? [String: Any])?["password"] as? String == "hunter2")
        #expect(try scene.run("get", "svc/ada", "--field", "comment").text == "C")
    }

    @Test("a copy and a new name keep everything but the name, and replace nothing")
    func renaming() throws {
        try scene.add(
            .internetPassword,
            [
                "srvr": .string("a.example"), "acct": .string("ada"), "ptcl": .string("htps"), "path": .string("/p"),
                "port": .number(.integer(8443)), "icmt": .string("C"), "labl": .string("a.example"),
                "pdmn": .string("ck"),
            ]
        )
        #expect(try scene.run("copy", "a.example/ada", "b.example/ada").status == 0)
        let copy = try scene.run("show", "b.example/ada").output
        for part in ["https:8443/p", "Comment:          C", "AfterFirstUnlock", "Label:            b.example"] {
            #expect(copy.contains(part), "\(copy)")
        }
        #expect(try scene.run("get", "b.example/ada").text == "secret")
        #expect(try scene.run("rename", "a.example/ada", "b.example/bob").status == 0)
        #expect(try scene.run("get", "a.example").status == 3)
        #expect(try scene.run("show", "b.example/bob").output.contains("https:8443/p"))
        let taken = try scene.run("rename", "b.example/bob", "b.example/ada")
        #expect(taken.status == 1 && taken.error.contains("'b.example/ada' was not made"))
        #expect(try scene.run("copy", "b.example/bob", "b.example/ada").status == 1)
        #expect(try scene.run("get", "b.example/bob").text == "secret")
    }

    @Test("what is deleted is shown before, and nothing if a name means none or several")
    func deletion() throws {
        for name in ["svc/ada", "svc/bob", "other/ada"] { _ = try scene.run("set", name, input: "1") }
        #expect(try scene.run("delete", "--yes", "other", "svc").status == 4)
        #expect(try scene.run("delete", "--yes", "other", "nosuch").status == 3)
        #expect(try scene.run("delete", "other").status == 1)
        let dry = try scene.run("delete", "--dry-run", "other").output
        #expect(
            dry.hasPrefix("Would delete 1 password, touches 1 item:") && dry.contains("service 'other', account 'ada'")
        )
        var asked = scene
        asked.control.confirmation = false
        let declined = try asked.run("delete", "other", "svc/ada")
        #expect(declined.status == 1 && declined.remarks.contains("2 passwords"))
        #expect(try scene.run("get", "other").status == 0)
        asked.control.confirmation = true
        #expect(try asked.run("delete", "other", "svc/ada", "svc/ada").remarks.hasSuffix("Deleted 2 passwords."))
        #expect(try scene.run("get", "other").status == 3)
        #expect(try scene.run("get", "svc").text == "1")
    }

    @Test(
        "a locked keychain asks for the passcode at a terminal, and is status 5 elsewhere",
        arguments: ["get", "show"]
    )
    func locked(_ command: String) throws {
        _ = try scene.run("set", "svc/ada", input: "1")
        try scene.lock()
        let refused = try scene.run(command, "svc/ada")
        #expect(refused.status == 5 && refused.error.contains("keychainctl device unlock"), "\(refused)")
        var asked = scene
        asked.control.answers = [.secret(SecretBytes(Array("wrong".utf8)))]
        #expect(try asked.run(command, "svc/ada").status == 5)
        asked.control.answers = [.secret(SecretBytes(Array("1234".utf8)))]
        #expect(try asked.run(command, "svc/ada").status == 0)
    }

    @Test("nothing is changed while the keychain is locked")
    func lockedChanges() throws {
        _ = try scene.run("set", "svc/ada", input: "1")
        try scene.lock()
        for words in [
            ["set", "svc/ada"], ["delete", "--yes", "svc/ada"], ["rename", "svc/ada", "b/c"],
            ["generate", "--set", "svc/ada"],
        ] {
            #expect(try scene.run(words, input: "2").status == 5, "\(words)")
        }
        try scene.control.keychain.device.unlock(passcode: SecretBytes(Array("1234".utf8)))
        #expect(try scene.run("get", "svc/ada").text == "1")
    }
}

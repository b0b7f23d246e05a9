// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainAuthenticators
import KeychainCore
import KeychainEngine
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// `keychainctl note`, `attach`, `attachments`, `detach` and `expire`, and the commands that take along what belongs to
/// a password.
struct AttachmentCommandTests {
    private var scene: ItemScene

    init() throws {
        scene = try ItemScene()
        _ = try scene.run("set", "svc/ada", input: "pw")
    }

    /// A file with every byte.
    private func file(_ name: String = "codes.bin", _ text: String? = nil) throws -> String {
        let path = scene.folder.path(of: name)
        try (text.map { Data($0.utf8) } ?? Data(Array(0...255) + [10])).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func attachAll() throws {
        #expect(try scene.run("note", "svc/ada", "--set", input: "hush\n").status == 0)
        #expect(try scene.run("attach", "svc/ada", file()).status == 0)
        #expect(try scene.run("expire", "svc/ada", "2001-02-03").status == 0)
    }

    /// Whether a password has the note, the file and the date.
    private func expectAll(of name: String, _ options: String...) throws {
        #expect(try scene.run(["note", name] + options).text == "hush\n")
        #expect(try scene.run(["get", name, "--attachment", "codes.bin"] + options).bytes.count == 257)
        #expect(try scene.run(["expire", name] + options).output == "2001-02-03T00:00:00Z")
    }

    @Test("a note is kept byte for byte, replaced, and removed after a question")
    func note() throws {
        var scene = scene
        let none = try scene.run("note", "svc/ada")
        #expect(none.status == 3 && none.error.contains("has no note"), "\(none)")
        #expect(try scene.run("note", "svc/ada", "--set", input: "one\n\n").remarks == "Stored the note of svc/ada.")
        #expect(try scene.run("note", "svc/ada").text == "one\n\n")
        #expect(try scene.run("note", "svc/ada", "--set", input: "two").status == 0)
        #expect(try scene.run("note", "svc/ada").text == "two")
        #expect(try scene.run("get", "svc/ada").text == "pw")
        #expect(try scene.run("note", "svc/ada", "--set", input: "").status == 1)
        #expect(try scene.run("note", "svc/ada", "--set", "--remove").status == 2)
        #expect(try scene.run("note", "svc/ada", "--yes").status == 2)
        #expect(try scene.run("note", "nosuch", "--set", input: "x").status == 3)
        #expect(try scene.run("note", "svc/ada", "--remove").status == 1)
        scene.control.confirmation = false
        #expect(try scene.run("note", "svc/ada", "--remove").status == 1)
        #expect(try scene.run("note", "svc/ada").text == "two")
        scene.control.confirmation = true
        #expect(try scene.run("note", "svc/ada", "--remove").status == 0)
        #expect(try scene.run("note", "svc/ada").status == 3)
    }

    @Test("on a terminal a note is not typed in the clear, and a shown one is said to be on the screen")
    func terminal() throws {
        var terminal = scene
        terminal.control.isTerminal = true
        let typed = try terminal.run("note", "svc/ada", "--set", input: "x")
        #expect(typed.status == 2 && typed.error.contains("--edit"), "\(typed)")
        _ = try scene.run("note", "svc/ada", "--set", input: "a\u{1B}b")
        let shown = try terminal.run("note", "svc/ada")
        #expect(shown.text == "a?b" && shown.remarks.contains("on the screen"), "\(shown)")
    }

    @Test("files are kept byte for byte, listed by name, replaced on request only, and removed after a question")
    func files() throws {
        let path = try file()
        #expect(try scene.run("attachments", "svc/ada").output.isEmpty)
        #expect(try scene.run("attach", "svc/ada", path).remarks == "Attached codes.bin to svc/ada.")
        #expect(try scene.run("attach", "svc/ada", path, "--name", "a.bin").status == 0)
        #expect(try scene.run("attach", "svc/ada", "-", "--name", "empty").status == 0)
        let again = try scene.run("attach", "svc/ada", file("codes.bin", "new"))
        #expect(again.status == 1 && again.error.contains("--replace"), "\(again)")
        #expect(try scene.run("get", "svc/ada", "--attachment", "codes.bin").bytes == Data(Array(0...255) + [10]))
        #expect(try scene.run("attach", "svc/ada", path, "--replace").status == 0)
        #expect(try scene.run("get", "svc/ada", "--attachment", "codes.bin").text == "new")
        let names = try scene.run("attachments", "svc/ada").output.split(separator: "\n").map {
            $0.prefix { $0 != "\t" }
        }
        #expect(names == ["a.bin", "codes.bin", "empty"])
        let json = try scene.run("attachments", "svc/ada", "--json").output
        #expect(json.contains(#""name": "a.bin""#) && json.contains(#""modified""#))
        let copy = scene.folder.path(of: "copy")
        #expect(try scene.run("get", "svc/ada", "--attachment", "a.bin", "--output", copy).status == 0)
        #expect(FileManager.default.contents(atPath: copy)?.count == 257)
        #expect(try scene.run("detach", "svc/ada", "a.bin").status == 1)
        #expect(try scene.run("detach", "svc/ada", "a.bin", "--yes").remarks == "Removed a.bin of svc/ada.")
        let gone = try scene.run("get", "svc/ada", "--attachment", "a.bin")
        #expect(gone.status == 3 && gone.error.contains("keychainctl attachments"), "\(gone)")
        #expect(try scene.run("detach", "svc/ada", "a.bin", "--yes").status == 3)
    }

    @Test("what is too large, has no name, or is not there is refused before anything is stored")
    func refused() throws {
        let large = try file("large", String(repeating: "x", count: AttachmentKind.largestByteCount + 1))
        let refusal = try scene.run("attach", "svc/ada", large)
        #expect(refusal.status == 1 && refusal.error.contains("more than 1048576 bytes"), "\(refusal)")
        let note = try scene.run("note", "svc/ada", "--set", input: String(contentsOfFile: large, encoding: .utf8))
        #expect(note.status == 1 && note.error.contains("more than 1048576 bytes"), "\(note)")
        #expect(try scene.run("attach", "svc/ada", scene.folder.path(of: "none")).status == 1)
        for words in [["-"], [large, "--name", ".."], [large, "--name", "a/b"], [large, "--name", ""], ["/"]] {
            #expect(try scene.run(["attach", "svc/ada"] + words).status == 2, "\(words)")
        }
        #expect(try scene.run("get", "svc/ada", "--attachment", "a", "--json").status == 2)
        #expect(try scene.run("get", "svc/ada", "--attachment", "a", "--field", "label").status == 2)
        #expect(try scene.run("list", "--all").output.split(separator: "\n").count == 1)
    }

    @Test("lists show them with their password, and as items of their own on request only")
    func lists() throws {
        _ = try scene.run("set", "other", input: "pw")
        try attachAll()
        let list = try scene.run("list").output.split(separator: "\n")
        #expect(list.count == 2 && list[1].contains("svc/ada\tgeneric (note, 1 file, expires 2001-02-03)\t"), "\(list)")
        let all = try scene.run("list", "--all").output
        #expect(all.split(separator: "\n").count == 5 && all.contains("/file/codes.bin\t"), "\(all)")
        #expect(try scene.run("search", "codes").output.hasPrefix("svc/ada\t"))
        #expect(ItemCompletion.names(in: scene.control.keychain) == ["other", "svc/ada"])
        for command in [["show", "svc/ada", "--json"], ["list", "--json"], ["get", "svc/ada", "--json"]] {
            let json = try scene.run(command).output
            for member in [#""expires": "2001-02-03T00:00:00Z""#, #""note": true"#, #""codes.bin""#] {
                #expect(json.contains(member), "\(command): \(json)")
            }
        }
        let shown = try scene.run("show", "svc/ada").output
        #expect(shown.contains("Expires:          2001-02-03") && shown.contains("Attachments:      codes.bin"))
        for option in [["--class", "generic"], ["--group", Client.commonGroup]] {
            #expect(try scene.run(["list"] + option).output.contains("(note, 1 file"), "\(option)")
        }
        #expect(try scene.run("list", "--class", "internet").output.isEmpty)
        #expect(try scene.run("delete", "svc/ada", "--dry-run").output.contains("touches 4 items"))
    }

    @Test("another program reads them by the documented name")
    func otherPrograms() throws {
        try attachAll()
        let query: PropertyDictionary = [
            "class": .string("genp"), "acct": .string("note"), "r_Data": .boolean(true),
            "svce": .string("swift-keychain.attached:keychain://svc/ada?class=generic"),
        ]
        let request = KeychainRequest(.copyMatching(query), client: Client(accessGroups: [Client.commonGroup]))
        guard case .single(.data(let secret)) = try scene.control.keychain.perform(request) else {
            Issue.record("the note is not found")
            return
        }
        #expect(secret == SecretBytes(Array("hush\n".utf8)))
    }

    @Test("they have the accessibility, the synchronizability and the group of their password, and follow it")
    func sealing() throws {
        let words = ["--group", "com.example", "--accessible", "when-unlocked", "--synchronizable"]
        _ = try scene.run(["set", "own/ada"] + words, input: "pw")
        for command in [["note", "own/ada", "--set"], ["attach", "own/ada", "-", "--name", "f"]] {
            #expect(try scene.run(command, input: "hush").status == 0)
        }
        #expect(try scene.run("expire", "own/ada", "30d").status == 0)
        func expectAll(_ level: String, isSynchronizable: Bool) throws {
            let json = try scene.run("list", "--all", "--json", "--group", "com.example").output
            let items = try #require(JSONParser.parse(Array(json.utf8)).elements)
            #expect(items.count == 4)
            for item in items {
                #expect(item["accessible"].string == level && item["accessGroup"].string == "com.example")
                #expect(item["synchronizable"] == .boolean(isSynchronizable))
            }
        }
        try expectAll("kSecAttrAccessibleWhenUnlocked", isSynchronizable: true)
        let change = ["--accessible", "after-first-unlock", "--no-synchronizable"]
        #expect(try scene.run(["set", "own/ada", "--group", "com.example"] + change, input: "new").status == 0)
        try expectAll("kSecAttrAccessibleAfterFirstUnlock", isSynchronizable: false)
        #expect(try scene.run("note", "own/ada").text == "hush")
    }

    @Test("rename, move, copy and delete take them along")
    func along() throws {
        try attachAll()
        #expect(try scene.run("rename", "svc/ada", "svc/eve").status == 0)
        try expectAll(of: "svc/eve")
        #expect(try scene.run("move", "svc/eve", "--to-group", "g", "--dry-run").output.contains("with note, 1 file"))
        #expect(try scene.run("move", "svc/eve", "--to-group", "g").status == 0)
        try expectAll(of: "svc/eve")
        #expect(try scene.run("copy", "svc/eve", "svc/two", "--to-group", "h").status == 0)
        try expectAll(of: "svc/two", "--group", "h")
        #expect(try scene.run("note", "svc/two", "--set", input: "other").status == 0)
        try expectAll(of: "svc/eve")
        #expect(try scene.run("delete", "--yes", "svc/eve").status == 0)
        #expect(try scene.run("list", "--all").output.split(separator: "\n").count == 4)
        #expect(try scene.run("delete", "--yes", "svc/two").status == 0)
        #expect(try scene.run("list", "--all").output.isEmpty)
    }

    @Test("those of the password of a server go by its whole address")
    func servers() throws {
        let words = ["--class", "internet", "--protocol", "https", "a.example/ada"]
        for port in ["0", "8443"] {
            #expect(try scene.run(["set", "--port", port] + words, input: port).status == 0)
            #expect(try scene.run(["note", "--set", "--port", port] + words, input: "note \(port)").status == 0)
        }
        for port in ["0", "8443"] {
            #expect(try scene.run(["note", "--port", port] + words).text == "note \(port)")
        }
        #expect(try scene.run(["rename", "--port", "8443"] + words + ["b.example/ada"]).status == 0)
        #expect(try scene.run("note", "b.example/ada").text == "note 8443")
        #expect(try scene.run("note", "a.example/ada").text == "note 0")
        let list = try scene.run("list", "--class", "internet").output
        #expect(list.split(separator: "\n").allSatisfy { $0.contains("(note)") }, "\(list)")
        // Of this class, those of servers belong to none that was searched.
        #expect(try scene.run("list", "--class", "generic").output.split(separator: "\n").count == 1)
    }

    @Test("what another program leaves when it deletes a password is listed, comes back with it, and can be deleted")
    func left() throws {
        try attachAll()
        let query: PropertyDictionary = ["class": .string("genp"), "svce": .string("svc")]
        let client = Client(accessGroups: [Client.commonGroup])
        _ = try scene.control.keychain.perform(KeychainRequest(.delete(query), client: client))
        let list = try scene.run("list").output.split(separator: "\n")
        #expect(list.count == 3 && list.allSatisfy { $0.contains("(left of svc/ada)") }, "\(list)")
        #expect(try scene.run("note", "svc/ada").status == 3)
        _ = try scene.run("set", "svc/ada", input: "pw")
        try expectAll(of: "svc/ada")
        _ = try scene.control.keychain.perform(KeychainRequest(.delete(query), client: client))
        #expect(try scene.run("delete", "--yes", "svc/adb").status == 3)
        #expect(try scene.run("delete", "--yes", "svc/ada", "--group", "g").status == 3)
        #expect(try scene.run("delete", "--dry-run", "svc/ada").output.contains("touches 3 items"))
        #expect(try scene.run("delete", "--yes", "svc/ada").status == 0)
        #expect(try scene.run("list", "--all").output.isEmpty)
    }

    @Test("what is left under the new name is not replaced")
    func inTheWay() throws {
        try attachAll()
        for name in ["svc/eve", "svc/eve"] { _ = try scene.run("set", name, input: "pw") }
        _ = try scene.run("note", "svc/eve", "--set", input: "of eve")
        let query: PropertyDictionary = ["class": .string("genp"), "svce": .string("svc"), "acct": .string("eve")]
        let client = Client(accessGroups: [Client.commonGroup])
        _ = try scene.control.keychain.perform(KeychainRequest(.delete(query), client: client))
        for command in [["rename", "svc/ada", "svc/eve"], ["copy", "svc/ada", "svc/eve"]] {
            let refused = try scene.run(command)
            #expect(refused.status == 1, "\(refused)")
            try expectAll(of: "svc/ada")
            #expect(try scene.run("list", "--all").output.split(separator: "\n").count == 5)
        }
        #expect(try scene.run("rename", "svc/ada", "svc/eve").error.contains("what is left of another password"))
    }

    @Test("what is due is listed by date, with other statuses if nothing is")
    func due() throws {
        #expect(try scene.run("expire", "--due").status == 3)
        #expect(try scene.run("expire", "svc/ada").status == 3)
        #expect(try scene.run("expire", "svc/ada", "10d").remarks.hasPrefix("svc/ada expires on 20"))
        _ = try scene.run("set", "old", input: "pw")
        #expect(try scene.run("expire", "old", "2001-02-03").status == 0)
        let due = try scene.run("expire", "--due")
        #expect(due.status == 0 && due.output == "2001-02-03\told\tgeneric\t\(Client.commonGroup)", "\(due)")
        let soon = try scene.run("expire", "--due", "--within", "30d", "--json").output
        let names = try #require(JSONParser.parse(Array(soon.utf8)).elements).map { $0["service"].string }
        #expect(names == ["old", "svc"])
        #expect(try scene.run("expire", "--due", "--group", "none").status == 3)
        #expect(try scene.run("expire", "--due", "--class", "internet").status == 3)
        // It changes nothing of the password, and a new secret leaves it.
        _ = try scene.run("set", "old", input: "new")
        #expect(try scene.run("expire", "old").output == "2001-02-03T00:00:00Z")
        #expect(try scene.run("expire", "old", "never").remarks == "old never expires.")
        #expect(try scene.run("expire", "old").status == 3)
        for words in [
            [], ["svc/ada", "--due"], ["svc/ada", "soon"], ["--due", "--within", "30"], ["svc/ada", "--json"],
        ] {
            #expect(try scene.run(["expire"] + words).status == 2, "\(words)")
        }
    }

    @Test("a locked keychain says so")
    func locked() throws {
        let path = try file()
        try attachAll()
        try scene.lock()
        for words in [
            ["note", "svc/ada"], ["note", "svc/ada", "--set"], ["attach", "svc/ada", path], ["attachments", "svc/ada"],
            ["detach", "svc/ada", "codes.bin", "--yes"], ["expire", "svc/ada", "1d"], ["expire", "--due"],
        ] {
            #expect(try scene.run(words, input: "x").status == 5, "\(words)")
        }
    }

    @Test("an export in JSON has them, other formats say what they leave out, and an import brings them back")
    func export() throws {
        try attachAll()
        let path = scene.folder.path(of: "all.json")
        #expect(try scene.run("export", "svc/ada", "--output", path).status == 0)
        let other = try ItemScene()
        #expect(try other.run("import", path).status == 0)
        #expect(try other.run("list").output.contains("(note, 1 file, expires 2001-02-03)"))
        #expect(try other.run("get", "svc/ada", "--attachment", "codes.bin").bytes.count == 257)
        let variables = try scene.run("export", "svc/ada", "--format", "env")
        #expect(variables.status == 1 && variables.text == "SVC_ADA='pw'\n", "\(variables)")
        #expect(variables.remarks.contains("it belongs to a password; json has it"))
    }

    @Test("those of a password that asks its user ask, too; its date and the list do not")
    func guarded() throws {
        let authenticator = ScriptedAuthenticator { _ in .unavailable }
        var device = DeviceOptions.withNegligibleWork
        device.authenticator = authenticator
        var scene = try ItemScene()
        scene.control = Control(EmbeddedKeychain.inMemory(device: device))
        try scene.control.keychain.device.setPasscode(SecretBytes(Array("1234".utf8)))
        let control = AccessControl(
            protection: .whenUnlocked,
            constraints: try #require(AccessConstraints(.userPresence))
        )
        try scene.add(
            .genericPassword,
            ["svce": .string("svc"), "acct": .string("ada"), "accc": .accessControl(control)]
        )
        #expect(try scene.run("note", "svc/ada", "--set", input: "hush").status == 0)
        #expect(try scene.run("expire", "svc/ada", "2001-02-03").status == 0)
        #expect(try scene.run("list").output.contains("generic (asks) (note, expires 2001-02-03)"))
        #expect(try scene.run("expire", "--due").status == 0)
        #expect(try scene.run("note", "svc/ada").status == 5)
        authenticator.setAnswer { _ in .secret(SecretBytes(Array("1234".utf8))) }
        #expect(try scene.run("note", "svc/ada").text == "hush")
        #expect(try scene.run("rename", "svc/ada", "svc/eve").status == 0)
        #expect(try scene.run("note", "svc/eve").text == "hush")
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// `keychainctl backup restore --merge` and `--item`.
struct MergeBackupCommandTests {
    private let scene: BackupScene
    private let target: BackupScene

    init() throws {
        scene = try BackupScene()
        for account in ["anna", "bert"] { try scene.add(account, "of \(account)") }
        _ = try scene.create()
        target = try scene.other("target")
        try target.add("anna", "another")
    }

    @Test("a trial prints what would be done, and does nothing")
    func trial() throws {
        let outcome = try target.restore(["--merge", "--dry-run"])
        #expect(outcome.status == 0)
        for text in ["To be added: 1 item", "svc/bert", "Different: 1 item", "svc/anna", "No item was changed."] {
            #expect(outcome.output.contains(text), "\(text): \(outcome.output)")
        }
        #expect(target.secret("anna") == "another" && target.secret("bert") == nil)
    }

    @Test("without a choice the report is printed, nothing is changed, and the status is 1")
    func undecided() throws {
        let outcome = try target.restore(["--merge"])
        #expect(outcome.status == 1 && outcome.error.contains("--keep-ours or --keep-theirs"))
        #expect(outcome.output.contains("Different: 1 item"))
        #expect(target.secret("bert") == nil)
    }

    @Test("a choice is carried out, and can be repeated")
    func choices() throws {
        let kept = try target.restore(["--merge", "--keep-ours"])
        #expect(kept.status == 0 && kept.output.contains("Added: 1 item"))
        #expect(target.secret("anna") == "another" && target.secret("bert") == "of bert")
        let json = try target.object(target.restore(["--merge", "--keep-theirs", "--json"]))
        #expect(json["applied"] as? Bool == true && json["equal"] as? Int == 1)
        #expect(target.secret("anna") == "of anna")
        #expect(try target.restore(["--merge"]).output.contains("Equal: 2 items."))
    }

    @Test("one item is taken by its name; several of one name are listed, and told apart by their group")
    func item() throws {
        try scene.add("bert", "in the group", group: "group")
        try FileManager.default.removeItem(atPath: scene.backup)
        _ = try scene.create()
        let ambiguous = try target.restore(["--item", "svc/bert"])
        #expect(ambiguous.status == 1 && ambiguous.error.components(separatedBy: "svc/bert").count == 4)
        #expect(ambiguous.error.contains("--access-group") && target.secret("bert") == nil)
        let taken = try target.restore(["--item", "svc/bert", "--access-group", Client.commonGroup])
        #expect(taken.status == 0 && target.secret("bert") == "of bert" && target.secret("anna") == "another")
        let none = try target.restore(["--item", "svc/nobody"])
        #expect(none.status == 1 && none.error.contains("backup list"))
    }

    @Test("a name that is those of several services and accounts is refused with both, which the account tells apart")
    func slashes() throws {
        try scene.add("c", "one", service: "a/b")
        try scene.add("b/c", "two", service: "a")
        try scene.add("z", "three", service: "x/y")
        try FileManager.default.removeItem(atPath: scene.backup)
        _ = try scene.create()
        let ambiguous = try target.restore(["--item", "a/b/c"])
        #expect(ambiguous.status == 1 && ambiguous.error.contains("--account"), "\(ambiguous)")
        #expect(ambiguous.error.contains("service 'a/b', account 'c'"))
        #expect(ambiguous.error.contains("service 'a', account 'b/c'"))
        for account in ["c", "b/c"] {
            let words = ["--item", "a/b/c", "--account", account]
            #expect(try target.restore(words).output.contains("Added: 1 item"))
            #expect(try target.restore(words).output.contains("Equal: 1 item."))
        }
        #expect(try target.restore(["--item", "a/b/c", "--account", "b"]).status == 1)
        #expect(try target.restore(["--item", "x/y/z"]).output.contains("Added: 1 item"))
    }

    @Test("an item goes into a keychain that does not exist yet, too")
    func itemIntoNew() throws {
        let new = try scene.other("new")
        #expect(try new.restore(["--item", "svc/anna"]).status == 0)
        #expect(new.secret("anna") == "of anna" && new.secret("bert") == nil)
    }

    @Test("where the service has the keychain, the bytes go to it and come from it")
    func sent() throws {
        var sender = target
        sender.control.isInSystemService = true
        #expect(try sender.restore(["--merge", "--keep-theirs"]).status == 0)
        #expect(sender.secret("anna") == "of anna")
        try FileManager.default.removeItem(atPath: scene.backup)
        #expect(try sender.create().status == 0)
        #expect(try scene.run(["verify", "--secret-stdin", scene.backup]).status == 0)
        let taken = try sender.create()
        #expect(taken.status == 1 && taken.error.contains("already"), "\(taken)")
    }

    @Test(
        "options that contradict each other are usage errors",
        arguments: [
            ["--keep-ours", "--keep-theirs"], ["--dry-run"], ["--class", "key"], ["--access-group", "x"],
            ["--files-to", "x", "--no-keychain-files"], ["--files-to", "x", "--item", "a/b"], ["--class", "x"],
            ["--account", "x"],
        ]
    )
    func usage(_ words: [String]) throws { #expect(try target.restore(words).status == 2) }

    @Test("a passcode is asked for before the secret, as for a backup")
    func passcode() throws {
        try target.control.keychain.device.setPasscode(SecretBytes(Array("1234".utf8)))
        try target.control.keychain.device.lock()
        let outcome = try target.run(
            ["restore", "--merge", "--keep-theirs", "--passcode-stdin", "--secret-stdin", scene.backup],
            input: "1234\n\(BackupScene.secret)\n"
        )
        #expect(outcome.status == 0, "\(outcome)")
        #expect(target.secret("anna") == "of anna")
    }
}

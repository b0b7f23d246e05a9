// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// `keychainctl backup verify`, `list` and `show`.
struct BackupInspectionCommandTests {
    private let scene: BackupScene

    init() throws {
        scene = try BackupScene()
        try scene.add("anna", "the secret of anna")
        try scene.makeFile()
        _ = try scene.create()
    }

    @Test("a sound backup is 0, a wrong secret and damage are 1, and the messages tell them apart")
    func verify() throws {
        let before = try FileManager.default.subpathsOfDirectory(atPath: scene.folder.path)
        let sound = try scene.run(["verify", "--secret-stdin", scene.backup])
        #expect(sound.status == 0)
        #expect(sound.output == "\(scene.backup) is sound: 1 item and 1 keychain file.")
        let wrong = try scene.run(["verify", "--secret-stdin", scene.backup], input: "another\n")
        #expect(wrong.status == 1 && wrong.error.contains("secret of the backup is wrong"))
        #expect(try FileManager.default.subpathsOfDirectory(atPath: scene.folder.path) == before)
        try RawStore(path: scene.backup).execute("UPDATE items_genp SET secret = randomblob(length(secret))")
        let damaged = try scene.run(["verify", "--secret-stdin", scene.backup])
        #expect(damaged.status == 1 && !damaged.error.contains("is wrong") && damaged.error.contains("rows"))
        try Data("text".utf8).write(to: URL(fileURLWithPath: scene.backup))
        let other = try scene.run(["verify", "--secret-stdin", scene.backup])
        #expect(other.status == 1 && other.error.contains("is not a keychain backup"))
    }

    /// What is done to the backup, or what is typed, and what the object then says.
    struct Failure: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var input = "\(BackupScene.secret)\n"
        var sql: String?
        var contents: String?
        var status: String? = "errSecNotAvailable"
        let reason: String
        let damage: String
    }

    private static let failures = [
        Failure(
            testDescription: "a wrong secret",
            input: "another\n",
            status: "errSecAuthFailed",
            reason: "secret of the backup is wrong",
            damage: "null"
        ),
        Failure(testDescription: "no secret", input: "", status: nil, reason: "the input ended", damage: "null"),
        Failure(
            testDescription: "another file",
            contents: "text",
            reason: "is not a keychain backup",
            damage: #"{"part":"file"}"#
        ),
        Failure(
            testDescription: "a damaged header",
            sql: "UPDATE keybag SET bytes = substr(bytes, 1, 40)",
            reason: "keybag is damaged",
            damage: #"{"part":"header"}"#
        ),
        Failure(
            testDescription: "an item and a keychain file that do not open",
            sql: """
                UPDATE items_genp SET secret = randomblob(length(secret)) WHERE id = 1;
                UPDATE keychain_files SET sealed = randomblob(length(sealed))
                """,
            reason: "do not open: 1 generic item, 1 keychain file",
            damage: #"{"items":{"generic":1},"keychainFiles":1,"part":"contents"}"#
        ),
        Failure(
            testDescription: "a missing item",
            sql: "DELETE FROM items_genp WHERE id = 1",
            reason: "not those that were put into it",
            damage: #"{"items":{},"keychainFiles":0,"part":"contents"}"#
        ),
    ]

    @Test(
        "with --json a backup that is not sound has an object, too: the status, the reason, and what is damaged",
        arguments: failures
    )
    func failure(_ failure: Failure) throws {
        try scene.add("bert", "the secret of bert")
        try FileManager.default.removeItem(atPath: scene.backup)
        #expect(try scene.create().status == 0)
        if let sql = failure.sql { try RawStore(path: scene.backup).execute(sql) }
        if let contents = failure.contents { try Data(contents.utf8).write(to: URL(fileURLWithPath: scene.backup)) }
        let outcome = try scene.run(["verify", "--json", "--secret-stdin", scene.backup], input: failure.input)
        #expect(outcome.status == 1 && outcome.error.contains(failure.reason), "\(outcome)")
        let object = try scene.object(outcome)
        #expect(object["sound"] as? Bool == false && object["status"] as? String == failure.status, "\(outcome)")
        #expect((object["reason"] as? String)?.contains(failure.reason) == true, "\(outcome)")
        let damage = try JSONSerialization.data(
            withJSONObject: object["damage"] ?? "missing",
            options: [.sortedKeys, .fragmentsAllowed]
        )
        #expect(String(decoding: damage, as: UTF8.self) == failure.damage)
    }

    @Test("a list has the items and files, with their attributes and no secret")
    func list() throws {
        let outcome = try scene.run(["list", "--secret-stdin", scene.backup])
        #expect(outcome.status == 0)
        for text in [
            "generic", "svc/anna", Client.commonGroup, "kSecAttrAccessibleWhenUnlocked", "created 2", "changed 2",
            "~/Library/Keychains/login.keychain-db",
        ] {
            #expect(outcome.output.contains(text), "\(text)")
        }
        let json = try scene.run(["list", "--json", "--secret-stdin", scene.backup])
        let items = try #require(try scene.object(json)["items"] as? [[String: Any]])
        #expect(items.count == 1 && items[0]["account"] as? String == "anna")
        for outcome in [outcome, json] { #expect(!outcome.output.contains("the secret of anna")) }
        #expect(try scene.run(["list", "--secret-stdin", scene.backup], input: "x\n").status == 1)
    }

    @Test("names that would control a terminal are shown without effect")
    func terminal() throws {
        let scene = try BackupScene()
        try scene.add("a\u{1B}[2Jb", "x")
        _ = try scene.create()
        let list = try scene.run(["list", "--secret-stdin", scene.backup])
        #expect(list.output.contains("a?[2Jb"))
        let json = try scene.run(["list", "--json", "--secret-stdin", scene.backup])
        #expect(!json.output.contains("\u{1B}") && json.output.contains("\\u001b"))
    }

    @Test("what a backup says without its secret is shown without it, and said not to be proven")
    func show() throws {
        let outcome = try scene.run(["show", scene.backup], input: "")
        #expect(outcome.status == 0)
        for text in [
            "Format:           3.1", "Items:            1", "generic:        1", "Keychain files:   1", "backup verify",
        ] {
            #expect(outcome.output.contains(text), "\(text): \(outcome.output)")
        }
        #expect(!outcome.output.contains("anna"))
        let json = try scene.object(scene.run(["show", "--json", scene.backup], input: ""))
        #expect(json["format"] as? String == "3.1" && json["proven"] as? Bool == false)
    }
}

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

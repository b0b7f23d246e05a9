// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainHost
import KeychainMacFrontEnd
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// Keychain files in `keychainctl backup`.
struct BackupFileCommandTests {
    private let scene: BackupScene

    init() throws {
        scene = try BackupScene()
        try scene.add("anna", "of anna")
    }

    @Test("the login keychain and those of the search list go to another home, byte for byte, with their modes")
    func roundTrip() throws {
        let login = try scene.makeFile()
        let other = try scene.makeFile("build.keychain-db")
        chmod(other, 0o640)
        let home = KeychainHome(path: scene.control.home)
        try KeychainPreferences(home: home).setSearchList([login, other])
        let created = try scene.create()
        #expect(created.output == "Wrote 1 item and 2 keychain files to \(scene.backup).")
        let target = try scene.other("target")
        let restored = try target.restore()
        #expect(restored.status == 0, "\(restored)")
        for path in [login, other] {
            let copy = path.replacing(scene.control.home, with: target.control.home)
            #expect(try scene.bytes(path) == scene.bytes(copy))
            #expect(restored.output.contains("\(copy): restored"))
        }
        let copy = other.replacing(scene.control.home, with: target.control.home)
        #expect(try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? Int == 0o640)
        #expect(target.secret("anna") == "of anna")
    }

    @Test("a file that cannot be in the backup is named, and the others are in it")
    func omitted() throws {
        let login = try scene.makeFile()
        let text = scene.folder.path(of: "text.keychain")
        try Data("text".utf8).write(to: URL(fileURLWithPath: text))
        let missing = scene.folder.path(of: "missing.keychain")
        try KeychainPreferences(home: KeychainHome(path: scene.control.home)).setSearchList([text, missing, login])
        let created = try scene.create()
        #expect(
            created.output == """
                Wrote 1 item and 1 keychain file to \(scene.backup).
                Not in the backup, keychain files:
                    \(text): it is not a keychain file
                    \(missing): it does not exist
                """
        )
        #expect(created.status == 0)
    }

    @Test("without keychain files there is none in the backup, and without any no line says so")
    func without() throws {
        try scene.makeFile()
        #expect(try scene.create(["--no-keychain-files"]).output == "Wrote 1 item to \(scene.backup).")
        unlink(scene.backup)
        let json = try scene.object(scene.create(["--json"]))
        #expect(json["items"] as? Int == 1 && json["keychainFiles"] as? Int == 1)
    }

    @Test("a file that differs is never replaced unasked, and nothing else is restored before a choice")
    func conflict() throws {
        let login = try scene.makeFile()
        _ = try scene.create()
        let target = try scene.other("target")
        let there = try target.makeFile()
        let before = try scene.bytes(there)
        let undecided = try target.restore()
        #expect(undecided.status == 1 && undecided.error.contains("--keep-ours"))
        #expect(try scene.bytes(there) == before && target.secret("anna") == nil)
        #expect(!FileManager.default.fileExists(atPath: scene.folder.path(of: "target keychain/keychain.db")))
        let kept = try target.restore(["--keep-ours"])
        #expect(kept.status == 0 && kept.output.contains("\(there): kept as it was"))
        #expect(try scene.bytes(there) == before && target.secret("anna") == "of anna")
        let replaced = try target.restore(["--merge", "--keep-theirs"])
        #expect(replaced.status == 0 && replaced.output.contains("\(there): replaced"), "\(replaced)")
        #expect(try scene.bytes(there) == scene.bytes(login))
        let folder = URL(fileURLWithPath: there).deletingLastPathComponent().path
        let aside = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains(".before-") }
        try #require(aside.count == 1)
        #expect(try scene.bytes("\(folder)/\(aside[0])") == before)
        #expect(try target.restore(["--merge"]).output.contains("\(there): equal"))
    }

    @Test("a file from outside of the home folder, or from a hidden one, goes only where a folder is named")
    func places() throws {
        let outside = try scene.makeFile(scene.folder.path(of: "outside.keychain"))
        let hidden = try scene.makeFile("\(scene.control.home)/.config/hidden.keychain")
        try KeychainPreferences(home: KeychainHome(path: scene.control.home)).setSearchList([outside, hidden])
        _ = try scene.create()
        unlink(outside)
        let target = try scene.other("target")
        let restored = try target.restore()
        #expect(restored.status == 0)
        #expect(restored.output.components(separatedBy: "--files-to").count == 3, "\(restored.output)")
        #expect(!FileManager.default.fileExists(atPath: outside))
        #expect(!FileManager.default.fileExists(atPath: "\(target.control.home)/.config"))
        let folder = scene.folder.path(of: "taken out")
        #expect(try target.restore(["--merge", "--files-to", folder]).status == 0)
        let names = try Set(FileManager.default.contentsOfDirectory(atPath: folder))
        #expect(names == ["outside.keychain", "hidden.keychain"])
    }
}

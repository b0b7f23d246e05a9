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

    @Test("the login keychain and those of the search list go to another home, byte for byte, for their owner alone")
    func roundTrip() throws {
        let login = try scene.makeFile()
        let other = try scene.makeFile("build.keychain-db")
        chmod(login, 0o777)
        chmod(other, 0o440)
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
        for (path, mode) in [(login, 0o600), (other, 0o400)] {
            let copy = path.replacing(scene.control.home, with: target.control.home)
            #expect(try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? Int == mode)
        }
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
        #expect(restored.status == 1 && restored.error.contains("not restored: 2 keychain files (\(outside), "))
        #expect(target.secret("anna") == "of anna")
        #expect(restored.output.components(separatedBy: "--files-to").count == 3, "\(restored.output)")
        #expect(!FileManager.default.fileExists(atPath: outside))
        #expect(!FileManager.default.fileExists(atPath: "\(target.control.home)/.config"))
        let folder = scene.folder.path(of: "taken out")
        #expect(try target.restore(["--merge", "--files-to", folder]).status == 0)
        let names = try Set(FileManager.default.contentsOfDirectory(atPath: folder))
        #expect(names == ["outside.keychain", "hidden.keychain"])
    }

    @Test(
        "a folder that is a link leads no file out of the home folder; everything else is restored, and the status is 1"
    )
    func linkedFolder() throws {
        let linked = try scene.makeFile()
        let other = try scene.makeFile("\(scene.control.home)/other.keychain-db")
        try KeychainPreferences(home: KeychainHome(path: scene.control.home)).setSearchList([linked, other])
        _ = try scene.create()
        let target = try scene.other("target")
        let elsewhere = scene.folder.path(of: "elsewhere")
        try FileManager.default.createDirectory(atPath: elsewhere, withIntermediateDirectories: false)
        let link = "\(target.control.home)/Library"
        #expect(symlink(elsewhere, link) == 0)
        for words in [[], ["--merge", "--keep-theirs"]] {
            let restored = try target.restore(words)
            #expect(
                restored.status == 1 && restored.error.contains("\(link)/Keychains/login.keychain-db"),
                "\(restored)"
            )
            #expect(restored.output.contains("\(link) is a symbolic link"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere).isEmpty)
            #expect(target.secret("anna") == "of anna")
            #expect(try scene.bytes("\(target.control.home)/other.keychain-db") == scene.bytes(other))
        }
    }

    @Test("a link in the place of a file is neither followed nor replaced", arguments: [true, false])
    func linkedFile(_ leadsSomewhere: Bool) throws {
        try scene.makeFile()
        _ = try scene.create()
        let target = try scene.other("target")
        let victim = scene.folder.path(of: "victim")
        if leadsSomewhere { try Data("precious".utf8).write(to: URL(fileURLWithPath: victim)) }
        let folder = "\(target.control.home)/Library/Keychains"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = "\(folder)/login.keychain-db"
        #expect(symlink(victim, path) == 0)
        let restored = try target.restore(["--keep-theirs"])
        #expect(restored.status == 1 && restored.error.contains(path) && target.secret("anna") == "of anna")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == victim)
        #expect(FileManager.default.contents(atPath: victim) == (leadsSomewhere ? Data("precious".utf8) : nil))
    }

    @Test("a file that cannot be written is named, once the others and the items are restored")
    func unwritable() throws {
        let login = try scene.makeFile()
        let other = try scene.makeFile("\(scene.control.home)/other.keychain-db")
        try KeychainPreferences(home: KeychainHome(path: scene.control.home)).setSearchList([login, other])
        _ = try scene.create()
        let target = try scene.other("target")
        try Data().write(to: URL(fileURLWithPath: "\(target.control.home)/Library"))
        let restored = try target.restore()
        #expect(restored.status == 1 && restored.error.contains("not restored: 1 keychain file ("), "\(restored)")
        #expect(restored.output.contains("login.keychain-db: not restored: "))
        #expect(try scene.bytes("\(target.control.home)/other.keychain-db") == scene.bytes(other))
        #expect(target.secret("anna") == "of anna")
    }
}

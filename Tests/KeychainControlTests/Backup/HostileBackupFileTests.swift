// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainHost
import KeychainMacFrontEnd
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// A backup whose maker, who knows its secret, wants something else written than keychain files.
struct HostileBackupFileTests {
    private let scene: BackupScene
    private let keychainFile: SecretBytes

    init() throws {
        scene = try BackupScene()
        try scene.add("anna", "of anna")
        let path = try scene.makeFile("sample.keychain-db")
        keychainFile = SecretBytes(Array(try scene.bytes(path)))
        unlink(path)
    }

    /// What has the first bytes of a keychain file, and then lines for a shell.
    private var script: SecretBytes {
        var bytes = Array("SQLite format 3\0".utf8)
        bytes += [UInt8](repeating: UInt8(ascii: "\n"), count: 52)
        bytes += Array("SKCH\n/bin/touch /tmp/x\n".utf8)
        bytes += [UInt8](repeating: UInt8(ascii: "\n"), count: 200)
        return SecretBytes(bytes)
    }

    private func create(_ files: [(name: String, contents: SecretBytes)]) throws {
        let files = files.map { BackedUpFile(name: $0.name, mode: 0o755, contents: $0.contents) }
        _ = try scene.control.keychain.maintenance.createBackup(
            BackupRequest(
                to: .path(scene.backup),
                secret: .given(SecretBytes(Array(BackupScene.secret.utf8))),
                files: files
            )
        )
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("what only begins like a keychain file is not restored, whatever its name")
    func beginning() throws {
        #expect(script.unprotectedCopy[68..<72].elementsEqual("SKCH".utf8))
        try create([("~/bin/ls", script), ("~/Library/Keychains/a.keychain-db", script), ("~/b.keychain", script)])
        let target = try scene.other("target")
        let folder = scene.folder.path(of: "taken out")
        for words in [[], ["--merge", "--files-to", folder]] {
            let restored = try target.restore(words)
            #expect(restored.output.components(separatedBy: "not restored").count == 4, "\(restored)")
            #expect(target.secret("anna") == "of anna")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: target.control.home).isEmpty)
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test("a keychain file is restored where keychains can be, and executed by nobody")
    func places() throws {
        let names = [
            "~/bin/ls", "~/Library/Keychains/plain", "~/Library/Keychains/more/plain", "~/work/build.keychain",
            "~/listed/plain", "~/.config/x.keychain", "~/work/.keychain",
        ]
        try create(names.map { ($0, keychainFile) })
        let target = try scene.other("target")
        let home = target.control.home
        try KeychainPreferences(home: KeychainHome(path: home)).setSearchList(["\(home)/listed/plain"])
        let restored = try target.restore()
        let present = names.filter { FileManager.default.fileExists(atPath: home + $0.dropFirst()) }
        #expect(present == ["~/Library/Keychains/plain", "~/work/build.keychain", "~/listed/plain"], "\(restored)")
        for name in present { #expect(try mode(home + name.dropFirst()) == 0o600) }
        #expect(restored.output.contains("\(home)/bin/ls: not restored: its name is not that of a keychain"))
    }

    @Test("into a folder that is named it goes under its name, if that is not hidden, and over keychain files alone")
    func namedFolder() throws {
        try create([("~/bin/ls", keychainFile), ("~/bin/.profile", keychainFile), ("/srv/tool", keychainFile)])
        let target = try scene.other("target")
        let folder = scene.folder.path(of: "taken out")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let program = "\(folder)/tool"
        try Data("#!/bin/sh\n".utf8).write(to: URL(fileURLWithPath: program))
        chmod(program, 0o755)
        let restored = try target.restore(["--keep-theirs", "--files-to", folder])
        #expect(restored.output.contains("\(folder)/.profile: not restored: its name is hidden"))
        #expect(restored.output.contains("\(program): not restored: what is there is not a keychain file"))
        #expect(try Set(FileManager.default.contentsOfDirectory(atPath: folder)) == ["ls", "tool"])
        #expect(try mode("\(folder)/ls") == 0o600)
        #expect(try scene.bytes(program) == Data("#!/bin/sh\n".utf8))
    }
}

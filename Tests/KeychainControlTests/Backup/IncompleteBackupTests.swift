// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainHost
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// Scheduled backups of a keychain in which something is damaged: the last whole copy of it is in an earlier one.
struct IncompleteBackupTests {
    private var scene: BackupScene
    private let backups: String
    private let secret: String

    /// A keychain with two items and a keychain file, and its schedule, which keeps two backups.
    init() throws {
        scene = try BackupScene()
        for name in ["anna", "bert"] { try scene.add(name, "of \(name)") }
        try scene.makeFile()
        backups = scene.folder.path(of: "backups")
        try FileManager.default.createDirectory(atPath: backups, withIntermediateDirectories: false)
        var host = ScheduleHost(
            location: KeychainLocation(path: scene.folder.path(of: "keychain")),
            manager: nil,
            program: "/usr/bin/keychainctl",
            variables: []
        )
        host.now = SteppingClock().step
        scene.control.scheduleHost = host
        let scheduled = try scene.run(["schedule", "--to", backups, "--keep", "2"], input: "")
        try #require(scheduled.status == 0, "\(scheduled)")
        secret = try #require(scheduled.shown.first)
    }

    private func run() throws -> Control.Outcome { try scene.run(["run-scheduled"], input: "") }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: backups).filter { !$0.hasPrefix(".") }.sorted()
    }

    private func list(_ name: String) throws -> String {
        try scene.run(["list", "--secret-stdin", "\(backups)/\(name)"], input: "\(secret)\n").output
    }

    private func store() throws -> RawStore { try RawStore(path: scene.folder.path(of: "keychain/keychain.db")) }

    /// Runs several times; each keeps its backup, and none removes the one from before the damage.
    private func expectIncomplete(_ lacking: String, before first: String) throws {
        for number in 1...4 {
            let outcome = try run()
            #expect(outcome.status == 1 && outcome.error.contains(lacking), "\(outcome)")
            #expect(outcome.error.contains("not complete") && outcome.output.contains("Wrote "), "\(outcome)")
            let names = try names()
            #expect(names.contains(first) && names.count == 1 + min(number, 2), "\(names)")
        }
        let last = try #require(try names().last)
        let status = try scene.run(["status"], input: "")
        #expect(status.status == 1, "\(status)")
        for text in ["Last complete:", first, "Last backup:", last, lacking] {
            #expect(status.output.contains(text), "\(text): \(status)")
        }
        let json = try scene.object(scene.run(["status", "--json"], input: ""))
        #expect((json["lastGood"] as? [String: Any])?["file"] as? String == first)
        #expect((json["lastIncomplete"] as? [String: Any])?["file"] as? String == last)
        let device = try scene.control.run(["device", "status"]).output
        #expect(device.contains("Scheduled backup: incomplete 2026-") && device.contains("last complete one 2026-"))
    }

    @Test("a damaged item is in the last complete backup, which no incomplete one replaces; the next complete ones do")
    func item() throws {
        let first = try names()[0]
        let sound = try store().run("SELECT secret FROM items_genp WHERE id = 1")
        try store().execute("UPDATE items_genp SET secret = randomblob(length(secret)) WHERE id = 1")
        try expectIncomplete("1 damaged item", before: first)
        #expect(try list(first).contains("anna") && !list(names()[1]).contains("anna"))
        // Repaired.
        try store().run("UPDATE items_genp SET secret = ?, damage = NULL WHERE id = 1", sound)
        for _ in 0..<2 {
            let outcome = try run()
            #expect(outcome.status == 0 && outcome.error.isEmpty, "\(outcome)")
        }
        let names = try names()
        #expect(names.count == 2 && !names.contains(first), "\(names)")
        #expect(try list(names[0]).contains("anna"))
        let status = try scene.run(["status"], input: "")
        #expect(status.status == 0 && status.output.contains(names[1]) && !status.output.contains("Last backup:"))
    }

    @Test(
        "so it is with a keychain file that is not one any more, or whose contents are damaged",
        arguments: ["garbage", "damaged page"]
    )
    func keychainFile(_ damage: String) throws {
        let first = try names()[0]
        let path = "\(scene.control.home)/Library/Keychains/login.keychain-db"
        var bytes = try scene.bytes(path)
        if damage == "garbage" {
            bytes = Data(repeating: 7, count: bytes.count)
        } else {
            bytes.replaceSubrange(4_096..<(2 * 4_096), with: Data(repeating: 7, count: 4_096))
        }
        try bytes.write(to: URL(fileURLWithPath: path))
        try expectIncomplete(path, before: first)
        #expect(try list(first).contains("login.keychain-db"))
    }

    @Test("where there is no complete backup yet, incomplete ones are kept, and no more than the schedule keeps")
    func first() throws {
        try FileManager.default.removeItem(atPath: "\(backups)/\(try names()[0])")
        try store().execute("UPDATE items_genp SET secret = randomblob(length(secret)) WHERE id = 1")
        for number in 1...4 {
            #expect(try run().status == 1)
            #expect(try names().count == min(number, 2))
        }
    }

    @Test("the status does not name a backup as the last complete one that is not in its folder any more")
    func removed() throws {
        let first = try names()[0]
        #expect(try scene.run(["status"], input: "").status == 0)
        try FileManager.default.removeItem(atPath: "\(backups)/\(first)")
        let status = try scene.run(["status"], input: "")
        #expect(status.status == 1 && status.error.contains("\(first) is not in"), "\(status)")
    }
}

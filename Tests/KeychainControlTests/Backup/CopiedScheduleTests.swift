// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainHost
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// `keychainctl backup` in a copy of the folder of a keychain that has a schedule.
struct CopiedScheduleTests {
    private let original: BackupScene
    private let backups: String
    private let units: String

    /// A keychain with an item, and its schedule with two backups.
    init() throws {
        var scene = try BackupScene()
        try scene.add("anna", "of anna")
        backups = scene.folder.path(of: "backups")
        units = scene.folder.path(of: "units")
        try FileManager.default.createDirectory(atPath: backups, withIntermediateDirectories: false)
        scene.control.scheduleHost = Self.host(scene.folder.path(of: "keychain"), units: units)
        original = scene
        let scheduled = try scene.run(["schedule", "--to", backups, "--keep", "2"], input: "")
        try #require(scheduled.status == 0, "\(scheduled)")
        try #require(try scene.run(["run-scheduled"], input: "").status == 0)
    }

    private static func host(_ folder: String, units: String) -> ScheduleHost {
        ScheduleHost(
            location: KeychainLocation(path: folder),
            manager: UserManager(unitFolder: units) { _ in true },
            program: "/usr/bin/keychainctl",
            variables: [("SWIFT_KEYCHAIN_HOME", folder)]
        )
    }

    private func path(_ name: String) -> String { original.folder.path(of: name) }

    private func copyFolder(_ name: String, to copy: String) throws {
        try FileManager.default.copyItem(atPath: path(name), toPath: path(copy))
        try #require(chmod(path(copy), 0o700) == 0)
    }

    /// The commands of a process that uses a folder.
    private func scene(_ name: String) -> BackupScene {
        var scene = original
        scene.control.keychain = BackupScene.keychain(path(name))
        scene.control.scheduleHost = Self.host(path(name), units: units)
        return scene
    }

    private func names(_ folder: String) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: folder))
    }

    /// What is done in a folder that the schedule was not made for touches no backup, and says so.
    private func expectRefused(in name: String, madeFor folder: String = "keychain") throws {
        let (scene, before, record) = (
            scene(name), try names(backups), try original.bytes(path("\(name)/backup-schedule.json"))
        )
        for _ in 0..<3 {
            let run = try scene.run(["run-scheduled"], input: "")
            #expect(run.status == 1 && run.output.isEmpty, "\(run)")
            for text in [path(folder), "'keychainctl backup schedule --to FOLDER --keep N'"] {
                #expect(run.error.contains(text), "\(run)")
            }
        }
        let status = try scene.run(["status"], input: "")
        #expect(status.status == 1 && status.output.contains(path(folder)), "\(status)")
        #expect(!status.output.contains(".backup"))
        let json = try scene.object(scene.run(["status", "--json"], input: ""))
        #expect(json["otherFolder"] as? String == path(folder) && json["lastGood"] is NSNull, "\(json)")
        let device = try scene.control.run(["device", "status"])
        #expect(device.status == 0 && device.output.contains("Scheduled backup: none"), "\(device)")
        #expect(try names(backups) == before)
        #expect(try original.bytes(path("\(name)/backup-schedule.json")) == record)
    }

    @Test("a scheduled run in a copy of a keychain's folder makes no backup, and removes none of the original's")
    func runs() throws {
        try copyFolder("keychain", to: "copy")
        try expectRefused(in: "copy")
        #expect(try original.run(["run-scheduled"], input: "").status == 0)
        #expect(try original.run(["status"], input: "").status == 0)
    }

    @Test("the same in a folder that was moved, and in a copy that was put in the place of the original")
    func moved() throws {
        try copyFolder("keychain", to: "copy")
        #expect(rename(path("keychain"), path("moved")) == 0)
        try expectRefused(in: "moved")
        #expect(rename(path("copy"), path("keychain")) == 0)
        try expectRefused(in: "keychain")
        #expect(rename(path("keychain"), path("copy")) == 0)
        #expect(rename(path("moved"), path("keychain")) == 0)
        #expect(try scene("keychain").run(["run-scheduled"], input: "").status == 0)
    }

    @Test("the end of a schedule in a copy leaves the mark, the timer and the secret of the original")
    func removes() throws {
        try copyFolder("keychain", to: "copy")
        let (before, timers) = (try names(backups), try names(units))
        let ended = try scene("copy").run(["schedule", "--remove"], input: "")
        #expect(ended.status == 0 && ended.output.contains(path("keychain")), "\(ended)")
        #expect(try names(backups) == before && names(units) == timers)
        #expect(try scene("copy").run(["status"], input: "").error.contains("no backups are scheduled"))
        #expect(try original.run(["run-scheduled"], input: "").status == 0)
        #expect(try original.run(["status"], input: "").status == 0)
    }

    @Test("a schedule that is made in a copy has a secret, a timer and backups of its own")
    func schedules() throws {
        try copyFolder("keychain", to: "copy")
        let (before, timers) = (try names(backups), try names(units))
        let copy = scene("copy")
        let scheduled = try copy.run(["schedule", "--to", backups, "--keep", "1"], input: "")
        #expect(scheduled.status == 0 && scheduled.shown.count == 1, "\(scheduled)")
        #expect(scheduled.remarks.contains(path("keychain")))
        for _ in 0..<2 { #expect(try copy.run(["run-scheduled"], input: "").status == 0) }
        #expect(try before.isSubset(of: names(backups)) && timers.isSubset(of: names(units)))
        let own = try names(backups).subtracting(before).filter { $0.hasSuffix(".backup") }
        #expect(own.count == 1)
        let verified = try copy.run(
            ["verify", "--secret-stdin", "\(backups)/\(try #require(own.first))"],
            input: "\(scheduled.shown[0])\n"
        )
        #expect(verified.status == 0, "\(verified)")
        #expect(try copy.run(["schedule", "--remove"], input: "").status == 0)
        #expect(try names(units) == timers)
        #expect(try original.run(["run-scheduled"], input: "").status == 0)
    }
}

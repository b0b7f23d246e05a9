// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainControl

/// `keychainctl backup schedule`, `run-scheduled` and `status`.
struct ScheduleCommandTests {
    private var scene: BackupScene
    private let calls = Calls()
    private let clock = SteppingClock()

    private final class Calls: Sendable {
        let all = Mutex<[String]>([])
    }

    private var folder: String { scene.folder.path(of: "backups") }
    private var units: String { scene.folder.path(of: "units") }

    init() throws {
        scene = try BackupScene()
        try scene.add("anna", "of anna")
        try FileManager.default.createDirectory(
            atPath: scene.folder.path(of: "backups"),
            withIntermediateDirectories: false
        )
        scene.control.scheduleHost = host(hasSystemd: true)
    }

    private func host(hasSystemd: Bool) -> ScheduleHost {
        let manager = UserManager(unitFolder: units) { [calls] words in
            calls.all.withLock { $0.append(words.joined(separator: " ")) }
            return true
        }
        var host = ScheduleHost(
            location: KeychainLocation(path: scene.folder.path(of: "keychain")),
            manager: hasSystemd ? manager : nil,
            program: "/opt/a b/keychainctl",
            variables: [("SWIFT_KEYCHAIN_HOME", scene.folder.path(of: "keychain"))]
        )
        host.now = clock.step
        return host
    }

    private func schedule(_ more: [String] = [], keep: Int = 3, passcode: String = "") throws -> Control.Outcome {
        try scene.run(["schedule", "--to", folder, "--keep", "\(keep)"] + more, input: passcode)
    }

    private func run() throws -> Control.Outcome { try scene.run(["run-scheduled"], input: "") }

    private func backups() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasPrefix(".keychain-backups-") }
            .sorted()
    }

    private func verify(_ name: String, _ secret: String) throws -> Control.Outcome {
        try scene.run(["verify", "--secret-stdin", "\(folder)/\(name)"], input: "\(secret)\n")
    }

    @Test("a schedule shows its secret once, starts a timer, and makes the first backup, which the secret opens")
    func begins() throws {
        try scene.makeFile()
        let outcome = try schedule(["--at", "Mon *-*-* 03:00"])
        #expect(outcome.status == 0, "\(outcome)")
        let secret = try #require(outcome.shown.first)
        #expect(outcome.shown.count == 1 && secret.utf8.count == 39)
        #expect(outcome.output.contains("Wrote 1 item and 1 keychain file to \(folder)/keychain-"))
        let names = try backups()
        #expect(names.count == 1)
        #expect(try verify(names[0], secret).status == 0)
        let unit = try #require(
            try FileManager.default.contentsOfDirectory(atPath: units).first { $0.hasSuffix(".timer") }
        )
        #expect(
            try String(contentsOfFile: "\(units)/\(unit)", encoding: .utf8).contains("OnCalendar=Mon *-*-* 03:00\n")
        )
        #expect(calls.all.withLock { $0 } == ["daemon-reload", "enable --now \(unit)"])
        let service = try String(contentsOfFile: "\(units)/\(unit.dropLast(6)).service", encoding: .utf8)
        #expect(service.contains("ExecStart=\"/opt/a b/keychainctl\" backup run-scheduled\n"))
        #expect(service.contains("Environment=\"SWIFT_KEYCHAIN_HOME="))
        // Another time it is neither shown nor changed.
        let again = try schedule()
        #expect(again.status == 0 && again.shown.isEmpty && again.remarks.contains("--new-secret"))
        for name in try backups() { #expect(try verify(name, secret).status == 0) }
        let new = try schedule(["--new-secret"])
        #expect(new.shown.count == 1 && new.shown != [secret])
    }

    @Test("no command of backup writes into the keychain's own folder, whatever path leads there")
    func ownFolder() throws {
        let (keychain, link) = (scene.folder.path(of: "keychain"), scene.folder.path(of: "link"))
        #expect(symlink(keychain, link) == 0 && mkdir("\(keychain)/files", 0o700) == 0)
        #expect(try scene.create().status == 0)
        let before = try FileManager.default.contentsOfDirectory(atPath: keychain).sorted()
        for folder in [keychain, "\(keychain)/", "\(keychain)/files", link, "\(keychain)/../link/files"] {
            for name in ["replacement.mark", "keychain.db.new", "root-key.settings", "any.backup"] {
                let created = try scene.run(["create", "--secret-stdin", "\(folder)/\(name)"])
                #expect(created.status == 1 && created.error.contains("the keychain's own folder"), "\(created)")
            }
            let scheduled = try scene.run(["schedule", "--to", folder, "--keep", "3"], input: "")
            #expect(scheduled.status == 1 && scheduled.error.contains("the keychain's own folder"), "\(scheduled)")
            let restored = try scene.restore(["--merge", "--files-to", folder])
            #expect(restored.status == 1 && restored.error.contains("the keychain's own folder"), "\(restored)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: keychain).sorted() == before)
        #expect(calls.all.withLock { $0 } == [])
        // Beside it is as good as anywhere.
        #expect(try scene.run(["create", "--secret-stdin", "\(keychain).backup"]).status == 0)
    }

    @Test("a secret is 160 bits in groups of base32, and another one each time")
    func secretText() throws {
        let texts = (0..<64).map { _ in String(decoding: BackupSecretText.make().unprotectedCopy, as: UTF8.self) }
        for text in texts { #expect(text.wholeMatch(of: /[A-Z2-7]{4}(-[A-Z2-7]{4}){7}/) != nil, "\(text)") }
        #expect(Set(texts).count == texts.count)
        // Every character of the alphabet occurs in this many, for all practical purposes.
        #expect(Set(texts.joined()).count == 33)
    }

    @Test("the secret can go to a descriptor; without one and without a terminal nothing is scheduled")
    func descriptor() throws {
        let path = scene.folder.path(of: "secret")
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        let outcome = try schedule(["--secret-fd", "\(descriptor)"])
        #expect(outcome.status == 0 && outcome.shown.isEmpty)
        let secret = try String(contentsOfFile: path, encoding: .utf8)
        #expect(secret.hasSuffix("\n") && !outcome.output.contains(secret.dropLast()))
        #expect(try verify(backups()[0], String(secret.dropLast())).status == 0)
        let closed = try schedule(["--new-secret", "--secret-fd", "\(Int32.max)"])
        #expect(closed.status == 1)
        #expect(try run().status == 0)
        #expect(try verify(backups()[1], String(secret.dropLast())).status == 0)
    }

    @Test("no secret is in the units, the record of the schedule or the output")
    func noSecret() throws {
        let outcome = try schedule()
        let secret = Data(try #require(outcome.shown.first).utf8)
        #expect(!outcome.output.contains(outcome.shown[0]))
        for file in try FileManager.default.subpathsOfDirectory(atPath: scene.folder.path) {
            let contents = FileManager.default.contents(atPath: scene.folder.path(of: file)) ?? Data()
            #expect(contents.range(of: secret) == nil, "\(file)")
        }
    }

    @Test("the last ones are kept, and the newest in any case")
    func keeps() throws {
        #expect(try schedule(keep: 2).status == 0)
        for _ in 0..<4 { #expect(try run().status == 0) }
        let names = try backups()
        #expect(names.count == 2)
    }

    @Test("a backup of a later date takes no place of another, and is not removed before its date has passed")
    func laterDates() throws {
        #expect(try schedule(keep: 2).status == 0)
        let own = try backups()[0]
        let later = own.replacing(/-[0-9]+T[0-9.]+Z/, with: "-20990101T000000.000Z")
        try scene.bytes("\(folder)/\(own)").write(to: URL(fileURLWithPath: "\(folder)/\(later)"))
        for _ in 0..<3 { #expect(try run().status == 0) }
        let names = try backups()
        #expect(names.count == 3 && names.last == later && !names.contains(own))
        // The clock was set back: the new one sorts before the others, and all of them stay.
        clock.seconds.withLock { $0 -= 1_000_000 }
        #expect(try run().status == 0)
        #expect(try backups().count == 4 && Set(names).isSubset(of: Set(try backups())))
        for _ in 0..<3 { #expect(try run().status == 0) }
        #expect(try backups().count == 5 && Set(names).isSubset(of: Set(try backups())))
        // Their dates have passed.
        clock.seconds.withLock { $0 += 2_000_000 }
        #expect(try run().status == 0)
        let after = try backups()
        #expect(after.count == 3 && after.contains(names[1]) && after.last == later)
    }

    @Test("a schedule that fails leaves no mark in the folder, unless it was there before")
    func failedMark() throws {
        let unwritable = ["--secret-fd", "\(Int32.max)"]
        #expect(try schedule(unwritable).status == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        var scene = scene
        var host = host(hasSystemd: true)
        host.manager = UserManager(unitFolder: units) { _ in false }
        scene.control.scheduleHost = host
        let failed = try scene.run(["schedule", "--to", folder, "--keep", "1"], input: "")
        #expect(failed.status == 1 && failed.error.contains("systemd"), "\(failed)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        #expect(try schedule().status == 0)
        #expect(try schedule(["--new-secret"] + unwritable).status == 1)
        #expect(try run().status == 0)
    }

    @Test("files that a run did not write stay, whatever they are called")
    func otherFiles() throws {
        #expect(try schedule(keep: 1).status == 0)
        let own = try backups()[0]
        let identifier = own.split(separator: "-")[1]
        let old = "20010101T000000.000Z"
        let others = [
            "keychain-\(identifier)-\(old).backup", "keychain-00000000-\(old).backup", "photo.backup",
            "keychain-\(identifier)-old.backup", "keychain-\(identifier)-\(old).backup.copy",
        ]
        // The first has the name of one, but not the mark; the others have the mark, but not the name.
        for (index, name) in others.enumerated() {
            let contents = index == 0 ? Data("text".utf8) : try scene.bytes("\(folder)/\(own)")
            try contents.write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        }
        let link = "keychain-\(identifier)-20010102T000000.000Z.backup"
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/\(link)", withDestinationPath: own)
        #expect(try run().status == 0)
        let names = try backups()
        #expect(Set(others + [link]).isSubset(of: Set(names)))
        #expect(names.count == others.count + 2 && !names.contains(own))
    }

    @Test("a locked keychain fails with a line and status 1, and the backups stay; the status says when and why")
    func locked() throws {
        try scene.control.keychain.device.setPasscode(SecretBytes(Array("1234".utf8)))
        #expect(try schedule(["--passcode-stdin"], passcode: "1234\n").status == 0)
        let before = try backups()
        #expect(try scene.run(["status"], input: "").status == 0)
        try scene.control.keychain.device.lock()
        let outcome = try run()
        #expect(outcome.status == 1 && !outcome.error.isEmpty)
        #expect(try backups() == before)
        let status = try scene.run(["status"], input: "")
        #expect(status.status == 1)
        #expect(status.output.contains("Last complete:    2026-") && status.output.contains("Failed since:"))
        let json = try scene.object(scene.run(["status", "--json"], input: ""))
        #expect((json["lastFailure"] as? [String: Any])?["reason"] as? String != nil)
        let device = try scene.control.run(["device", "status"])
        #expect(device.output.contains("Scheduled backup: failed 2026-"))
        try scene.control.keychain.device.unlock(passcode: SecretBytes(Array("1234".utf8)))
        #expect(try run().status == 0)
        #expect(try scene.run(["status"], input: "").status == 0)
        #expect(
            try scene.control.run(["device", "status"]).output.contains("Scheduled backup: last complete one 2026-")
        )
    }

    @Test(
        "after a first passcode, its removal and an erasure a run fails until there is another secret, and each says so"
    )
    func otherPasscode() throws {
        #expect(try schedule().status == 0)
        var control = scene.control
        control.input = "1234\n"
        let hint = "keychainctl backup schedule --to '\(folder)' --keep 3 --new-secret"
        for (words, more, input) in [
            (["set-passcode", "--passcode-stdin"], ["--passcode-stdin"], "1234\n"),
            (["remove-passcode", "--passcode-stdin", "--yes"], [], ""), (["erase", "--yes"], [], ""),
        ] {
            let changed = try control.run(["device"] + words)
            #expect(changed.status == 0 && changed.remarks.contains(hint), "\(changed)")
            let before = try backups()
            let failed = try run()
            #expect(failed.status == 1 && failed.error.contains("--new-secret"), "\(failed)")
            #expect(try backups() == before)
            let again = try schedule(["--new-secret"] + more, passcode: input)
            #expect(again.status == 0, "\(again)")
            #expect(try run().status == 0)
            #expect(try verify(#require(try backups().last), #require(again.shown.first)).status == 0)
        }
    }

    @Test("a folder that is gone is not made, and a full disk leaves no half file")
    func missingFolder() throws {
        #expect(try schedule().status == 0)
        try FileManager.default.moveItem(atPath: folder, toPath: folder + ".away")
        let outcome = try run()
        #expect(outcome.status == 1 && outcome.error.contains("folder of the backups"))
        #expect(!FileManager.default.fileExists(atPath: folder))
        #expect(try schedule().status == 1)
    }

    @Test("an empty folder, as where a disk is not mounted, gets no backup until the schedule is made for it")
    func otherFolder() throws {
        #expect(try schedule().status == 0)
        try FileManager.default.moveItem(atPath: folder, toPath: folder + ".away")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let outcome = try run()
        #expect(outcome.status == 1 && outcome.error.contains("lacks the mark"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        #expect(try schedule().status == 0)
        #expect(try backups().count == 1)
    }

    @Test("what a run that was killed has left goes with the next one, and nothing else does")
    func remains() throws {
        #expect(try schedule().status == 0)
        let own = try backups()[0]
        let partial = ".\(own.replacing(".backup", with: ".partial"))"
        for name in [partial, "\(partial).123.new", "\(partial).new", ".other.partial"] {
            try Data([1]).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        }
        #expect(try run().status == 0)
        let names = try backups()
        #expect(names.count == 3 && names.contains(".other.partial") && names.contains(own))
    }

    @Test("without systemd a line for cron is printed, in which nothing ends the command early")
    func cron() throws {
        var scene = scene
        var host = host(hasSystemd: false)
        host.variables.append(("XDG_DATA_HOME", "/a%b'c"))
        scene.control.scheduleHost = host
        let outcome = try scene.run(["schedule", "--to", folder, "--keep", "1", "--at", "weekly"], input: "")
        #expect(outcome.status == 0 && outcome.remarks.contains("--at"))
        #expect(outcome.output.contains("17 3 * * * SWIFT_KEYCHAIN_HOME='"))
        #expect(outcome.output.contains(#"XDG_DATA_HOME='/a\%b'\''c'"#))
        #expect(
            outcome.output.contains("'/opt/a b/keychainctl' backup run-scheduled\n")
                || outcome.output.contains("run-scheduled")
        )
        #expect(calls.all.withLock { $0.isEmpty })
    }

    @Test("the end of a schedule removes its timer and its secret, and leaves the backups")
    func removes() throws {
        #expect(try schedule().status == 0)
        let before = try backups()
        #expect(try scene.run(["schedule", "--remove"], input: "").status == 0)
        #expect(try backups() == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: units).isEmpty)
        #expect(calls.all.withLock { $0.contains { $0.hasPrefix("disable --now swift-keychain-backup") } })
        #expect(try run().status == 1)
        #expect(try scene.run(["status"], input: "").status == 1)
        #expect(try scene.run(["schedule", "--remove"], input: "").status == 1)
    }

    @Test(
        "what makes no schedule is a usage error",
        arguments: [
            [], ["--to", "/x"], ["--keep", "1"], ["--to", "/x", "--keep", "0"], ["--to", "/x", "--keep", "1001"],
            ["--to", "/x", "--keep", "1", "--at", "daily\nExecStart=x"], ["--to", "/x", "--keep", "1", "--at", "%h"],
            ["--remove", "--status"], ["--remove", "--to", "/x", "--keep", "1"],
            ["--to", "/x", "--keep", "1", "--secret-fd", "-1"], ["--to", "", "--keep", "1"],
        ]
    )
    func usage(_ words: [String]) throws { #expect(try scene.run(["schedule"] + words, input: "").status == 2) }

    @Test(
        "a record that somebody altered is refused, and nothing is removed by it",
        arguments: ["..", "a/b", "zzzzzzzz"]
    )
    func alteredRecord(_ identifier: String) throws {
        #expect(try schedule().status == 0)
        let path = scene.folder.path(of: "keychain/\(BackupSchedule.fileName)")
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let name = try backups()[0].split(separator: "-")[1]
        try text.replacing(name, with: identifier).write(toFile: path, atomically: true, encoding: .utf8)
        let outcome = try run()
        #expect(outcome.status == 1 && outcome.error.contains("damaged"))
        #expect(try backups().count == 1)
    }
}

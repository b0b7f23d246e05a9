// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainClient
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainOnDemand
import KeychainRouting
import KeychainTestSupport
import Testing

/// The daemon of keychain files as programs meet it: the `keychaind` of this build, which their first command starts.
@Suite(.timeLimit(.minutes(10)))
struct FileDaemonTests {
    private let folder: DaemonFolder
    private let path: String
    private let password = SecretBytes(Array("correct horse".utf8))
    private let access = ItemAccess(descriptor: "test", trustedApplications: nil)

    init() throws {
        folder = try DaemonFolder.ofKeychainFiles()
        path = folder.path(beside: "build.keychain")
    }

    /// The keychain files as a program has them that has just been started.
    private var program: KeychainFileService { folder.keychain().files }

    private func add(_ account: String, _ secret: String) throws -> KeychainFileItem {
        try program.add(
            .genericPassword,
            attributes: ["acct": .string(account)],
            secret: SecretBytes(Array(secret.utf8)),
            access: access,
            at: path
        )
    }

    @Test("A keychain that one program unlocked is read by the next, and locked for a third when a daemon was killed")
    func lockStateIsShared() throws {
        try program.create(at: path, password: password)
        let item = try add("anna", "secret")
        let first = try #require(folder.record)
        #expect(try program.secret(of: item.identifier, at: path) == SecretBytes(Array("secret".utf8)))
        try program.lock(at: path)
        #expect(thrownStatus { _ = try program.secret(of: item.identifier, at: path) } == .interactionNotAllowed)
        #expect(try program.items(at: path).map(\.attributes["acct"]) == [.string("anna")])
        try program.unlock(at: path, password: password)
        #expect(try program.secret(of: item.identifier, at: path) == SecretBytes(Array("secret".utf8)))
        #expect(folder.record == first, "one daemon serves them all")

        #expect(folder.end(by: SIGKILL))
        #expect(try program.status(at: path).isLocked)
        #expect(folder.record?.process != first.process)
        try program.unlock(at: path, password: password)
        #expect(try program.secret(of: item.identifier, at: path) == SecretBytes(Array("secret".utf8)))
    }

    @Test("Programs that use the data protection keychain alone start no daemon, and neither does a lock of all files")
    func startsOnDemand() throws {
        _ = try folder.keychain().device.status()
        try program.lockAll()
        #expect(folder.record == nil)
        #expect(thrownStatus { _ = try program.status(at: path) } == .noSuchKeychain)
        #expect(folder.record == nil, "nothing has to be asked of a file that is not there")
        try program.create(at: path, password: password)
        #expect(folder.record != nil)
    }

    @Test("The daemon serves keychain files and nothing else, and the store stays embedded")
    func nothingElse() throws {
        try program.create(at: path, password: password)
        let files = folder.parts().files
        let daemon = DaemonKeychain(at: try files.socket())
        let request = KeychainRequest(.copyMatching(["class": .string("genp")]), client: Client(accessGroups: ["a"]))
        for command in [
            .device(.status), .device(.lock), .device(.setPolicy(DevicePolicy())), .maintenance(.check),
            .authentication(.biometry), .enclave(.kind), .items(request),
        ] as [KeychainCommand] {
            // The client refuses them, and so does the daemon of any other one.
            for keychain in [files, daemon] as [any KeychainBackend] {
                let error = #expect(throws: KeychainError.self) { try keychain.perform(command) }
                #expect(error?.status == .unimplemented, "\(command)")
                #expect(error?.reason.contains("keychain files") == true, "\(command)")
            }
        }
        #expect(try folder.parts().embedded.checkOwner() == false, "it makes no store")
    }

    @Test("A store of a daemon serves no keychain files")
    func otherDaemon() throws {
        let other = try DaemonFolder()
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        let error = #expect(throws: KeychainError.self) {
            try other.parts().daemon.perform(.files(.keychain(path: path, .status)))
        }
        #expect(error?.reason.contains("--files") == true)
    }

    @Test("A daemon ends when its folder was removed, also while a keychain is unlocked")
    func removedFolder() throws {
        try program.create(at: path, password: password)
        let record = try #require(folder.record)
        try FileManager.default.removeItem(atPath: folder.location.path)
        #expect(Self.hasEnded(record))
        #expect(FileManager.default.fileExists(atPath: path), "the keychain lies elsewhere")
    }

    @Test(
        "A folder that is removed and made again has another daemon at once, and the end of the first locks nothing there",
        arguments: [true, false]
    )
    func folderMadeAgain(_ isConnected: Bool) throws {
        let before = program
        try before.create(at: path, password: password)
        let first = try #require(folder.record)
        try FileManager.default.removeItem(atPath: folder.location.path)
        try folder.recordFileDaemon()
        let after = isConnected ? before : program
        try after.unlock(at: path, password: password)
        let second = try #require(folder.record)
        #expect(second.process != first.process)
        #expect(Self.hasEnded(first))
        #expect(try !after.status(at: path).isLocked)
        #expect(folder.record == second, "the first has not removed its record")
    }

    @Test("A daemon that is idle ends when no keychain is unlocked any more", arguments: ["command", "interval"])
    func idle(_ lock: String) throws {
        try program.create(at: path, password: password)
        #expect(folder.end(by: SIGTERM))
        let record = try unlockedDaemon(endingWhenIdleFor: 2)
        #expect(try program.status(at: path).isLocked == false)
        // Longer than it takes one that is not needed to end.
        #expect(!Self.hasEnded(record, milliseconds: 6_000))
        #expect(try program.status(at: path).isLocked == false)
        if lock == "command" {
            try program.lock(at: path)
        } else {
            try program.setSettings(KeychainFileSettings(lockInterval: 1), at: path)
        }
        #expect(Self.hasEnded(record))
    }

    /// A daemon that ends soon when it is idle, with the keychain unlocked in it: on a busy machine it may have ended
    /// before that, and another one is started.
    private func unlockedDaemon(endingWhenIdleFor seconds: Int) throws -> DaemonRecord {
        let shell = try Shell.beside(folder)
        let words = ["--files", "--background", "--exit-when-idle", "\(seconds)", "--socket", folder.socket]
        for _ in 0..<20 {
            let started = try shell.run("keychaind", words)
            try #require(started.status == 0, "\(started)")
            let record = folder.record
            try program.unlock(at: path, password: password)
            if let record, folder.record == record { return record }
            folder.end(by: SIGTERM)
        }
        throw NoDaemon()
    }

    private struct NoDaemon: Error {}

    @Test("A second daemon for the same folder leaves it to the first, wherever that listens")
    func secondDaemon() throws {
        try program.create(at: path, password: password)
        let record = folder.record
        let shell = try Shell.beside(folder)
        let second = try shell.run("keychaind", ["--files"])
        #expect(second.status == 0 && second.errors.contains("already serves the keychain files"), "\(second)")
        #expect(folder.record == record)
    }

    @Test("The service command shows the daemon, and stops it")
    func serviceCommand() throws {
        let shell = try Shell.beside(folder)
        #expect(try shell.control("service status").output.contains("the next command on one starts their daemon"))
        try program.create(at: path, password: password)
        let record = try #require(folder.record)
        #expect(try shell.control("service status").output.contains("served by process \(record.process)"))
        #expect(try shell.control("service status --json").output.contains("\"fileProcess\" : \(record.process)"))
        #expect(try shell.control("service restart --dry-run").output.contains("stop the daemon of keychain files"))
        let restarted = try shell.control("service restart")
        #expect(restarted.status == 0 && restarted.output.contains("was stopped"), "\(restarted)")
        #expect(folder.record == nil)
        #expect(try program.status(at: path).isLocked)
    }

    @Test("Without a program to start, the error names it")
    func noProgram() throws {
        let record = ServiceRecord(program: "/nonexistent/keychaind", socket: folder.socket)
        try record.write(in: PrivateDirectory(folder.location.fileDaemon))
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        let error = #expect(throws: KeychainError.self) { try program.status(at: path) }
        #expect(error?.status == .notAvailable && error?.reason.contains("/nonexistent/keychaind") == true)
    }

    @Test("A daemon that is killed while it writes leaves every item that it acknowledged, and a file that opens")
    func killedWhileWriting() throws {
        try program.create(at: path, password: password)
        var acknowledged: Set<PropertyValue?> = []
        for round in 0..<5 {
            try program.unlock(at: path, password: password)
            let record = try #require(folder.record)
            let killer = Thread {
                // Not a wait for anything: it moves the kill to any point of a write.
                usleep(.random(in: 0..<60_000))
                kill(record.process, SIGKILL)
            }
            killer.start()
            var number = 0
            while let item = try? add("\(round).\(number)", "secret") {
                acknowledged.insert(item.attributes["acct"])
                number += 1
            }
            #expect(Self.hasEnded(record))
            let there = Set(try program.items(at: path).map(\.attributes["acct"]))
            #expect(there.isSuperset(of: acknowledged), "round \(round)")
            // The one under way may have been made.
            #expect(there.count <= acknowledged.count + round + 1)
        }
    }

    /// Waits until the process of a daemon has ended.
    private static func hasEnded(_ record: DaemonRecord, milliseconds: Int32 = 30_000) -> Bool {
        var pauses = Deadline.Pauses(until: Deadline(milliseconds: milliseconds))
        while ProcessStartTime.of(record.process) == record.startTime {
            guard pauses.wait() else { return false }
        }
        return true
    }
}

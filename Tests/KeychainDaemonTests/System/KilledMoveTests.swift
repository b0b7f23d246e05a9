// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection
import KeychainTestSupport
import ServerTestSupport
import Testing

/// Moves of a keychain into the system service and back, of which one side is killed at any step.
@Suite(
    .enabled(if: SystemServiceFolder.isPossible, "only root runs programs as other users"),
    .timeLimit(.minutes(20))
)
struct KilledMoveTests {
    private let service: SystemServiceFolder

    init() throws { service = try SystemServiceFolder() }

    /// Where which of the two is killed during which command, and which command is given next.
    struct Kill: Sendable, CustomTestStringConvertible {
        let victim: Victim
        /// Whether the keychain is on its way into the service.
        let isMovedIn: Bool
        /// What appears in the folder of the victim then: a file of this name, or one that begins with it if it ends in
        /// a dot.
        let name: String
        let isEnabledNext: Bool

        enum Victim { case client, service }

        init(_ victim: Victim, in isMovedIn: Bool, at name: String, nextEnables isEnabledNext: Bool) {
            (self.victim, self.isMovedIn, self.name, self.isEnabledNext) = (victim, isMovedIn, name, isEnabledNext)
        }

        var testDescription: String {
            "\(victim), \(isMovedIn ? "in" : "out"), \(name), then \(isEnabledNext ? "enable" : "disable")"
        }

        /// Those of a keychain with a passcode take seconds each, so not every step is followed by both commands.
        static let all =
            [true, false].flatMap { isEnabledNext in
                ["service.record", "root.key.", "root.key"].map { name in
                    Kill(.client, in: true, at: name, nextEnables: isEnabledNext)
                }
                    + ["incoming", "root.key.", "root.key"].map { name in
                        Kill(.service, in: true, at: name, nextEnables: isEnabledNext)
                    }
            } + [
                Kill(.client, in: false, at: "incoming", nextEnables: false),
                Kill(.client, in: false, at: "root.key.", nextEnables: true),
                Kill(.client, in: false, at: "root.key", nextEnables: false),
                Kill(.service, in: false, at: "root.key.", nextEnables: true),
                Kill(.service, in: false, at: "root.key", nextEnables: false),
            ]
    }

    @Test(
        "a move that is killed at a step is completed or reverted by the next command",
        arguments: Kill.all
    )
    func killed(_ kill: Kill) throws {
        let move = try KilledMove(service, hasPasscode: !kill.isMovedIn)
        let watch = try FolderWatch(kill.victim == .client ? move.store : move.partition, for: .newNames)
        let process = try move.started(isMovedIn: kill.isMovedIn)
        let limit = ContinuousClock.now + .seconds(60)
        let isIt = { (found: String) in
            kill.name.hasSuffix(".") ? found.hasPrefix(kill.name) && found != "root.key.new" : found == kill.name
        }
        while try #require(watch.readChangedNames()).contains(where: isIt) == false {
            try #require(ContinuousClock.now < limit, "\(kill.name) does not appear")
            watch.wait(milliseconds: 1_000)
        }
        switch kill.victim {
        case .client: Glibc.kill(process.processIdentifier, SIGKILL)
        case .service: service.stop()
        }
        process.waitUntilExit()
        if kill.victim == .service { try service.start() }
        try move.expectOneTruth(isEnabledNext: kill.isEnabledNext)
    }

    @Test("a move that is killed at any moment loses nothing, and leaves one truth", arguments: [true, false])
    func killedAtAnyMoment(_ isMovedIn: Bool) throws {
        let whole = try KilledMove(service, hasPasscode: !isMovedIn)
        let start = ContinuousClock.now
        let first = try whole.started(isMovedIn: isMovedIn)
        first.waitUntilExit()
        #expect(first.terminationStatus == 0)
        let duration = start.duration(to: .now).components
        let microseconds = Double(duration.seconds) * 1_000_000 + Double(duration.attoseconds) / 1_000_000_000_000
        // What is given away to a passcode moves after that was checked, which takes most of the time.
        let parts: [Double] = isMovedIn ? [0, 0.3, 0.6, 0.9] : [0.85, 0.95]
        for (round, part) in parts.enumerated() {
            let another = try SystemServiceFolder()
            let move = try KilledMove(another, hasPasscode: !isMovedIn)
            let process = try move.started(isMovedIn: isMovedIn)
            // Waits for nothing: the delays distribute the kills over the command.
            usleep(useconds_t(microseconds * part))
            Glibc.kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            try move.expectOneTruth(isEnabledNext: round.isMultiple(of: 2))
        }
    }
}

/// A keychain of root, which this process may look into, that a test kills on its way.
private struct KilledMove {
    /// The folder of the user's own store.
    let store: String
    /// That of the service for this user.
    let partition: String

    private let shell: Shell
    private let enable: String
    private let hasPasscode: Bool
    private let digest: [UInt8]
    private static let account = "anna"

    /// A keychain with items; one with a passcode, which has to be proved on the way out only, is in the service.
    init(_ service: SystemServiceFolder, hasPasscode: Bool) throws {
        shell = try service.shell(of: 0)
        enable = service.enable
        self.hasPasscode = hasPasscode
        store = service.path(of: "home-0/swift-keychain")
        partition = "\(service.store)/0"
        // From then on both have a store, and a root key appears only when another takes its place.
        for line in [enable, "service disable"] {
            let outcome = try shell.control(line)
            #expect(outcome.status == 0, "\(outcome)")
        }
        for account in [Self.account, "bert"] {
            let added = try shell.security("add-generic-password -a \(account) -s service -w secret-\(account)")
            #expect(added.status == 0, "\(added)")
        }
        digest = try EmbeddedKeychain(at: KeychainLocation(path: store), of: .embedded).movedRows().digest
        guard hasPasscode else { return }
        let set = try shell.control("device set-passcode --passcode-stdin", input: "1234\n1234\n")
        #expect(set.status == 0, "\(set)")
        let enabled = try shell.control(enable)
        #expect(enabled.status == 0, "\(enabled)")
    }

    /// The command that moves the keychain.
    func started(isMovedIn: Bool) throws -> Process {
        let line = isMovedIn ? enable : "service disable --passcode-stdin"
        let process = try shell.process("keychainctl", line.split(separator: " ").map(String.init))
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.standardInput = try ChildInput.file("1234\n")
        try process.run()
        return process
    }

    /// Runs a command after a killed one, and expects all items on one side, and nothing of them on the other one.
    func expectOneTruth(isEnabledNext: Bool) throws {
        let outcome =
            isEnabledNext
            ? try shell.control(enable)
            : try shell.control("service disable --passcode-stdin", input: "1234\n")
        let isRefused =
            outcome.errors.contains("embedded already")
            || !hasPasscode && outcome.errors.contains("set one first")
        #expect(outcome.status == 0 || !isEnabledNext && isRefused, "\(outcome)")
        let ours = try #require(try EmbeddedKeychain.ofAnyOwner(at: KeychainLocation(path: store)))
        let status = try ours.moveStatus()
        if status.owner == .embedded {
            #expect(!isEnabledNext)
            #expect(try ours.movedRows().digest == digest)
            #expect(status.hasPasscode == hasPasscode)
            // Nothing was left there, and all of it can go there.
            let enabled = try shell.control(enable)
            #expect(enabled.status == 0, "\(enabled)")
        }
        let left = try EmbeddedKeychain.ofAnyOwner(at: KeychainLocation(path: store))?.moveStatus()
        #expect(left?.owner == .system && left?.hasContents == false, "\(String(describing: left))")
        for folder in [store, partition] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            #expect(!names.contains { $0 == "incoming" || $0.hasPrefix("root.key.") }, "\(names)")
        }
        if hasPasscode { #expect(try shell.security("unlock-keychain -p 1234").status == 0) }
        for account in [Self.account, "bert"] {
            let found = try shell.security("find-generic-password -a \(account) -s service -w")
            #expect(found.output == "secret-\(account)\n", "\(found)")
        }
    }
}

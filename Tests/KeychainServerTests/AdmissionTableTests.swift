// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainHost
import Testing

@testable import KeychainServer

/// Which identifications begin while others are overdue.
struct AdmissionTableTests {
    private static func candidate(
        _ number: Int32,
        of user: uid_t,
        process: pid_t? = nil,
        isKnown: Bool = true,
        in mounts: MountView = .same
    ) -> AdmissionTable.Candidate {
        AdmissionTable.Candidate(
            socket: number,
            process: process ?? number,
            user: user,
            account: isKnown ? .user(user) : .unknown,
            mounts: mounts,
            since: 0
        )
    }

    /// Another mount namespace.
    private static func sandbox(_ number: UInt64) -> MountView {
        var status = stat()
        status.st_ino = ino_t(number)
        return .other(.identity(FileIdentity(status)))
    }

    @Test("a process has no more connections that wait for an identification than it may have identified")
    func queuedConnections() throws {
        var options = ServerOptions()
        options.maximumConnectionsPerProcess = 30
        let table = AdmissionTable(options)
        for number in 0..<Int32(30) {
            try table.checkRoom(for: 7, of: .user(1000))
            _ = table.enter(Self.candidate(number, of: 1000, process: 7))
        }
        #expect(throws: KeychainError.self) { try table.checkRoom(for: 7, of: .user(1000)) }
        try table.checkRoom(for: 8, of: .user(1000))
        try table.end(0)
        try table.checkRoom(for: 7, of: .user(1000))
    }

    @Test("once too many identifications are overdue, the users who have some are refused, and no other one")
    func otherUsers() throws {
        let options = ServerOptions.systemService
        let table = AdmissionTable(options)
        let attackers = uid_t((options.maximumOverdueAdmissions + 7) / options.maximumAdmissionsPerUser)
        for number in 0..<Int32(options.maximumOverdueAdmissions) {
            let candidate = Self.candidate(number, of: 1000 + uid_t(number) % attackers)
            #expect(table.enter(candidate))
            try table.begin(candidate)
        }
        table.refuseOverdue(tick: 1_000) { _ in }
        for user in 1000..<(1000 + attackers) {
            let refusal = #expect(throws: KeychainError.self) { try table.begin(Self.candidate(100, of: user)) }
            #expect(refusal?.status == .notAvailable)
        }
        for number in 200..<Int32(208) {
            let candidate = Self.candidate(number, of: 2000)
            #expect(table.enter(candidate))
            try table.begin(candidate)
        }
        try table.end(200)
    }

    @Test("all users whose accounts are not known yet have the places of one user, and take no thread of another one's")
    func unknownUsers() throws {
        let options = ServerOptions.systemService
        let table = AdmissionTable(options)
        let entered = (0..<Int32(400)).filter {
            table.enter(Self.candidate($0, of: 100_000 + uid_t($0), isKnown: false))
        }
        #expect(entered.count == options.maximumAdmissionsPerUser)
        // Their look-ups take too long, and the next ones have the places.
        table.refuseOverdue(tick: 1_000) { _ in }
        #expect(table.accountsWithRoom == [.unknown])
        let refusal = #expect(throws: KeychainError.self) {
            try table.begin(Self.candidate(500, of: 200_000, isKnown: false))
        }
        #expect(refusal?.status == .notAvailable)
        for number in 600..<Int32(600 + options.maximumAdmissionsPerUser) {
            let candidate = Self.candidate(number, of: 1000)
            #expect(table.enter(candidate))
            try table.begin(candidate)
        }
    }

    @Test("one process takes few of its user's places, however often it connects, and others are not queued behind it")
    func oneProcess() throws {
        for options in [ServerOptions(), .systemService] {
            let table = AdmissionTable(options)
            let entered = (0..<Int32(128)).map { table.enter(Self.candidate($0, of: 1000, process: 7)) }
            #expect(entered.count { $0 } == 2)
            let other = Self.candidate(200, of: 1000)
            #expect(table.enter(other))
            try table.begin(other)
            // Their places are free, and the others of that process do not take them.
            table.refuseOverdue(tick: 1_000) { _ in }
            #expect(table.next(of: .user(1000), tick: 1_000) == nil)
            #expect(table.accountsWithRoom.isEmpty)
            try table.begin(Self.candidate(201, of: 1000))
            let refusal = #expect(throws: KeychainError.self) {
                try table.begin(Self.candidate(300, of: 1000, process: 7))
            }
            #expect(refusal?.reason.contains("file system of its executable") == true)
            try? table.end(0)
            #expect(table.next(of: .user(1000), tick: 1_000)?.process == 7)
        }
    }

    @Test("sandboxes take few places each, and half of their user's together, also while they are overdue")
    func sandboxes() throws {
        for options in [ServerOptions(), .systemService] {
            let table = AdmissionTable(options)
            let one = (0..<Int32(100)).filter { table.enter(Self.candidate($0, of: 1000, in: Self.sandbox(1))) }
            #expect(one.count == options.maximumAdmissionsPerMountNamespace)
            let more = (100..<Int32(300)).filter {
                table.enter(Self.candidate($0, of: 1000, in: $0 % 3 == 0 ? .unknown : Self.sandbox(UInt64($0))))
            }
            #expect(one.count + more.count == options.maximumAdmissionsPerUser / 2)
            for number in 300..<Int32(300 + options.maximumAdmissionsPerUser / 2) {
                #expect(table.enter(Self.candidate(number, of: 1000)))
                try table.end(number)
            }
            table.refuseOverdue(tick: 1_000) { _ in }
            #expect(throws: KeychainError.self) { try table.begin(Self.candidate(400, of: 1000, in: Self.sandbox(1))) }
            #expect(table.accountsWithRoom == [.user(1000)])
        }
    }

    @Test("overdue identifications of sandboxes alone do not have a program outside of them refused")
    func overdueSandboxes() throws {
        let options = ServerOptions()
        let table = AdmissionTable(options)
        var begun = 0
        for number in 0..<Int32(200) {
            let candidate = Self.candidate(number, of: 1000, in: Self.sandbox(UInt64(number)))
            guard table.enter(candidate), (try? table.begin(candidate)) != nil else { continue }
            begun += 1
            table.refuseOverdue(tick: 1_000) { _ in }
        }
        #expect(begun == options.maximumOverdueAdmissionsPerUser / 2)
        let other = Self.candidate(1_000, of: 1000)
        #expect(table.enter(other))
        try table.begin(other)
    }

    @Test("what a process sees is compared with this one's, and a process that is gone is unknown")
    func mountViews() {
        #expect(MountView(of: getpid()) == .same)
        #expect(MountView(of: Int32.max) == .unknown)
    }

    @Test("what a process sees that others may not inspect is known by its mounts, so that it is no sandbox for that")
    func mountViewsOfAnybody() throws {
        #expect(MountView(ofAnybody: getpid()) == .same)
        #expect(MountView(ofAnybody: Int32.max) == .unknown)
        let sandboxes = try (0..<2).map { _ in try Sandbox() }
        let views = sandboxes.map { MountView(ofAnybody: $0.identifier) }
        for view in views {
            guard case .other(.firstMount) = view else {
                Issue.record("\(view)")
                continue
            }
        }
        #expect(views[0] != views[1])
    }

    /// A process in a mount namespace of its own.
    private final class Sandbox {
        private let process = Process()

        var identifier: pid_t { process.processIdentifier }

        init() throws {
            let output = Pipe()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
            process.arguments = ["--mount", "--map-root-user", "/bin/sh", "-c", "echo; exec sleep 600"]
            process.standardOutput = output
            try process.run()
            try #require(try output.fileHandleForReading.read(upToCount: 1) != nil)
        }

        deinit { process.terminate() }
    }
}

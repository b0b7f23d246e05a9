// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainIdentity

/// Programs of which a message bus says that they connected to it.
struct BusPeerTests {
    private let bench: Workbench
    private let tool: String

    init() throws { (bench, tool) = try Workbench.withSignedTool() }

    /// What a program is by its number, a descriptor of it, and when it was connected: before or after it started, by
    /// so many clock ticks.
    private func identify(
        _ program: PeerProgram,
        pidfd: Int32? = nil,
        connectedAfterStart ticks: Int64? = nil
    ) throws -> IdentifiedPeer {
        let startTime = try PeerProcess(identifier: program.identifier).startTime
        return try IdentityService(bench.options, folder: nil).identify(
            onBus: program.identifier,
            of: geteuid(),
            pidfd: pidfd,
            connectedBefore: ticks.map { UInt64(Int64(startTime) + $0) }
        )
    }

    @Test("a program of which the bus gives a descriptor is identified")
    func descriptor() throws {
        let (program, connection) = try bench.start(tool)
        var isExact: Int32 = 0
        let pidfd = keychain_peer_open(connection.socket, program.identifier, &isExact)
        defer { close(pidfd) }
        let peer = try identify(program, pidfd: pidfd)
        #expect(peer.identity.kind == .signed(bench.team) && peer.process.isExact)
        #expect(throws: Never.self) { try peer.confirm() }
    }

    @Test("without a descriptor, a program is identified if it was started before it connected, and else anonymous")
    func startTime() throws {
        let (program, connection) = try bench.start(tool)
        defer { withExtendedLifetime(connection) {} }
        for ticks: Int64 in [0, 1, 1_000] {
            let peer = try identify(program, connectedAfterStart: ticks)
            #expect(peer.identity.kind == .signed(bench.team) && peer.process.isExact)
        }
        for ticks: Int64? in [-1, nil] {
            let peer = try identify(program, connectedAfterStart: ticks)
            #expect(peer.identity.kind == .anonymous && peer.identity.ownedGroups.isEmpty && !peer.process.isExact)
            #expect(peer.identity.reasons.contains { $0.contains("ProcessFD") })
        }
    }

    @Test("a program that has ended is refused, although another one may have its number by now")
    func ended() throws {
        let (program, connection) = try bench.start(tool)
        var isExact: Int32 = 0
        let pidfd = keychain_peer_open(connection.socket, program.identifier, &isExact)
        defer { close(pidfd) }
        kill(program.identifier, SIGKILL)
        // Its folder stays until its parent has waited for it.
        #expect(eventually("it has ended") { keychain_peer_is_alive(pidfd) == 0 })
        let error = #expect(throws: KeychainError.self) { try identify(program, pidfd: pidfd) }
        #expect(error?.status == .missingEntitlement)
    }

    @Test(
        "the process that is on the bus for a Flatpak application, its proxy, counts as the application",
        .enabled(if: geteuid() == 0, "only root makes a mount namespace everywhere")
    )
    func proxy() throws {
        // xdg-dbus-proxy(1) runs in a sandbox with the same file.
        let (program, connection) = try bench.startFlatpak(tool)
        defer { withExtendedLifetime(connection) {} }
        let identity = try identify(program, connectedAfterStart: 0).identity
        #expect(identity.kind == .flatpak("org.example.App") && identity.isConfined)
        #expect(throws: KeychainError.self) { try identify(program) }
    }

    @Test(
        "a program in a sandbox that may be another one is refused, instead of getting what is outside",
        .enabled(if: geteuid() == 0, "only root makes a mount namespace everywhere")
    )
    func sandbox() throws {
        let (program, connection) = try bench.start("/usr/bin/unshare", "--mount", tool)
        defer { withExtendedLifetime(connection) {} }
        #expect(try identify(program, connectedAfterStart: 0).identity.isSandboxed)
        let error = #expect(throws: KeychainError.self) { try identify(program) }
        #expect(error?.status == .missingEntitlement)
    }
}

// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Dispatch
import Foundation
import Glibc
import KeychainCore
import KeychainHost
import KeychainTestSupport
import ServerTestSupport
import Synchronization
import Testing

@testable import KeychainControl

/// A server of credentials, and a service manager that connects as systemd does.
final class CredentialScene {
    let items: ItemScene
    let clock = ManualClock()
    let table: String
    private let socketPath: String
    private let listening: Int32
    private let stop: WakeUp
    private let state = State()
    private let ended = DispatchSemaphore(value: 0)

    private final class State: Sendable {
        let notes = Mutex<[String]>([])
        let group = Mutex(CredentialScene.own)
        let failure = Mutex<String?>(nil)
    }

    private static let manager = "0::/user.slice/user-1000.slice/user@1000.service"
    private static let own = "\(manager)/app.slice/swift-keychain-credentials.service\n"

    /// A safety net, not a measure.
    private static let deadlineMilliseconds: Int32 = 60_000

    struct Failure: Error {}

    /// A server with one password, which `app.service` may read.
    ///
    /// - Parameter idleMilliseconds: when it ends by itself.
    /// - Throws: ``Failure`` if it cannot listen.
    init(idleMilliseconds: Int32? = nil) throws {
        items = try ItemScene()
        _ = try items.run("set", "github.com/ada", input: "s3cret")
        table = items.folder.path(of: "credentials")
        try "app.service token keychain://github.com/ada\n".write(toFile: table, atomically: false, encoding: .utf8)
        #expect(chmod(table, 0o600) == 0)
        socketPath = items.folder.path(of: "s")
        guard let stop = WakeUp() else { throw Failure() }
        self.stop = stop
        listening = keychain_open_private_socket()
        guard keychain_listen(listening, socketPath, 0o600, 64) == 0 else { throw Failure() }
        let peers = try CredentialPeers { [state] _ in Array(state.group.withLock(\.self).utf8) }
        state.group.withLock { $0 = Self.group(of: "app.service") }
        let surroundings = items.surroundings
        let server = CredentialServer(
            check: peers.check,
            secret: { [table] (request) throws(Refusal) in
                try surroundings.credential(request, by: CredentialTable(file: table))
            },
            note: { [state] _, text in state.notes.withLock { $0.append(text) } },
            idleMilliseconds: idleMilliseconds,
            clock: clock.timeouts
        )
        let isStarted = HostThread.start(.blocked) { [listening, state, ended] in
            do throws(Refusal) { try server.serve([listening], until: stop.descriptor) } catch {
                state.failure.withLock { $0 = error.description }
            }
            ended.signal()
        }
        guard isStarted else { throw Failure() }
    }

    deinit { keychain_close_private(listening) }

    /// Root's processes are looked for in the system's units, which nothing of this scene is in.
    private static func group(of unit: String) -> String { "\(manager)/app.slice/\(unit)\n" }

    /// Ends the server, which must not fail.
    func end() {
        stop.signal()
        waitForEnd()
    }

    /// Waits until the server has ended by itself.
    func waitForEnd() {
        #expect(ended.wait(timeout: .now() + .milliseconds(Int(Self.deadlineMilliseconds))) == .success)
        #expect(state.failure.withLock(\.self) == nil)
    }

    /// What was noted so far.
    var noted: [String] { state.notes.withLock(\.self) }

    /// Waits for a note.
    func waits(forNote text: String) -> Bool {
        var pauses = Deadline.Pauses(until: Deadline(milliseconds: Self.deadlineMilliseconds))
        repeat { if noted.contains(where: { $0.contains(text) }) { return true } } while pauses.wait()
        return false
    }

    /// Has all further peers be in another unit.
    func move(to unit: String) { state.group.withLock { $0 = Self.group(of: unit) } }

    /// Connects as systemd does for a unit.
    func connect(_ unit: String = "app.service", _ name: String = "token") throws -> Int32 {
        try connect(from: "\0\(UInt64.random(in: 0 ... .max))x/unit/\(unit)/\(name)")
    }

    /// Connects from an address; from none if it is empty.
    func connect(from address: String) throws -> Int32 {
        let socket = keychain_open_private_socket()
        guard socket >= 0 else { throw Failure() }
        var own = sockaddr_un()
        own.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &own.sun_path) { $0.copyBytes(from: address.utf8) }
        let size = socklen_t(MemoryLayout<sa_family_t>.size + address.utf8.count)
        let isBound =
            address.isEmpty
            || withUnsafePointer(to: &own) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, size) == 0 }
            }
        // While many connections have not been accepted, the next one has to wait.
        var pauses = Deadline.Pauses(until: Deadline(milliseconds: Self.deadlineMilliseconds))
        repeat {
            let failure = isBound ? keychain_connect(socket, socketPath) : EINVAL
            if failure == 0 { return socket }
            guard failure == EAGAIN else { break }
        } while pauses.wait()
        keychain_close_private(socket)
        throw Failure()
    }

    /// All that comes from a socket, which is closed then.
    func contents(of socket: Int32) -> [UInt8]? {
        defer { keychain_close_private(socket) }
        let contents = DescriptorContents(of: socket, until: Deadline(milliseconds: Self.deadlineMilliseconds))
        return contents.end == .complete ? contents.bytes : nil
    }

    /// What a unit gets; `nil` if the connection was not closed.
    func read(_ unit: String = "app.service", _ name: String = "token") throws -> String? {
        contents(of: try connect(unit, name)).map { String(decoding: $0, as: UTF8.self) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import MessageBus
import Synchronization

@testable import LoginManager

/// A login manager on the bus of a test, which knows one session at first.
final class FakeLoginManager: Sendable {
    static let user: UInt32 = 1_234
    static let sessionPath = "/org/freedesktop/login1/session/_31"

    /// An end of each delay that was asked for: at its end once the delay was given up.
    let delays: AsyncStream<Int32>

    private let requested: AsyncStream<Int32>.Continuation
    private let waiting = Mutex<[@Sendable (Bus) throws(BusError) -> Void]>([])
    private let wake: (give: Int32, await: Int32)
    private let refusesDelay: Bool
    private let longestDelay: UInt64?
    /// The users of its sessions, by the paths of their objects.
    private let sessions = Mutex([FakeLoginManager.sessionPath: FakeLoginManager.user])

    /// Takes the name on the bus, or does without it, as an impostor has to.
    ///
    /// - Parameters:
    ///   - bus: the bus.
    ///   - takingName: whether to take the name.
    ///   - refusesDelay: whether to refuse to delay a suspend, as the real one does without polkit.
    ///   - longestDelay: how long it delays a suspend, in microseconds; `nil` not to say so.
    /// - Throws: ``BusError``.
    init(
        on bus: PrivateBus,
        takingName: Bool = true,
        refusesDelay: Bool = false,
        longestDelay: UInt64? = nil
    ) async throws {
        self.refusesDelay = refusesDelay
        self.longestDelay = longestDelay
        (delays, requested) = AsyncStream.makeStream()
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0 else { throw BusError(-errno) }
        wake = (pair[0], pair[1])
        let address = bus.address
        try await withCheckedThrowingContinuation { (ready: CheckedContinuation<Void, any Error>) in
            Thread.detachNewThread { [self] in
                do {
                    let connection = try Bus(address: address)
                    if takingName { try Self.takeName(connection) }
                    ready.resume()
                    serve(connection)
                } catch {
                    ready.resume(throwing: error)
                }
            }
        }
    }

    /// Returns once the bus has passed on all that was sent.
    func finish() async {
        await withCheckedContinuation { (passedOn: CheckedContinuation<Void, Never>) in
            perform { bus throws(BusError) in
                // The bus handles what a connection sends in its order, so the answer comes after all of it.
                _ = try bus.callDriver("GetNameOwner", Bus.driver)
                passedOn.resume()
            }
        }
    }

    /// Leaves the bus.
    func leave() { shutdown(wake.give, Int32(SHUT_WR)) }

    func lock(_ path: String = sessionPath) {
        emit(at: path, interface: "org.freedesktop.login1.Session", member: "Lock")
    }

    /// Begins a session of the user.
    func begin(_ path: String) {
        sessions.withLock { $0[path] = Self.user }
        tell("SessionNew", of: path)
    }

    /// Locks a session that has ended by the time that anybody asks for its user.
    func lockAndEnd(_ path: String) {
        sessions.withLock { $0[path] = nil }
        lock(path)
        tell("SessionRemoved", of: path)
    }

    private func tell(_ change: String, of path: String) {
        emit(at: "/org/freedesktop/login1", interface: "org.freedesktop.login1.Manager", member: change) {
            signal throws(BusError) in
            try signal.append("1")
            try signal.append(path, as: "o")
        }
    }

    func unlock() { emit(at: Self.sessionPath, interface: "org.freedesktop.login1.Session", member: "Unlock") }

    func setLockedHint(_ isLocked: Bool) {
        emit(at: Self.sessionPath, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged") {
            signal throws(BusError) in
            try signal.append("org.freedesktop.login1.Session")
            try signal.append("a", of: "{sv}") { () throws(BusError) in
                for (name, value) in [("IdleHint", true), ("LockedHint", isLocked)] {
                    try signal.append("e", of: "sv") { () throws(BusError) in
                        try signal.append(name)
                        try signal.append("v", of: "b") { () throws(BusError) in try signal.append(value) }
                    }
                }
            }
            try signal.append("a", of: "s") { () throws(BusError) in }
        }
    }

    func removeUser() {
        emit(at: "/org/freedesktop/login1", interface: "org.freedesktop.login1.Manager", member: "UserRemoved") {
            signal throws(BusError) in
            try signal.append(Self.user)
            try signal.append("/org/freedesktop/login1/user/_1234", as: "o")
        }
    }

    func prepareForSleep(_ isBeginning: Bool) {
        emit(at: "/org/freedesktop/login1", interface: "org.freedesktop.login1.Manager", member: "PrepareForSleep") {
            signal throws(BusError) in try signal.append(isBeginning)
        }
    }

    private func emit(
        at path: String,
        interface: String,
        member: String,
        _ fill: @escaping @Sendable (borrowing BusMessage) throws(BusError) -> Void = { (_) throws(BusError) in }
    ) {
        perform { bus throws(BusError) in
            let signal = try bus.signal(at: path, interface: interface, member: member)
            try fill(signal)
            try bus.send(signal)
        }
    }

    /// Runs `action` on the thread of the connection.
    private func perform(_ action: @escaping @Sendable (Bus) throws(BusError) -> Void) {
        waiting.withLock { $0.append(action) }
        send(wake.give, "x", 1, Int32(MSG_NOSIGNAL))
    }

    private static func takeName(_ bus: Bus) throws(BusError) {
        _ = try bus.call(on: Bus.driver, at: "/org/freedesktop/DBus", interface: Bus.driver, method: "RequestName") {
            call throws(BusError) in
            try call.append("org.freedesktop.login1")
            try call.append(UInt32(0))
        }
    }

    private func serve(_ bus: Bus) {
        do throws(BusError) {
            while true {
                while let message = try bus.next() { try answer(message, bus) }
                for action in waiting.withLock({ actions in
                    defer { actions = [] }
                    return actions
                }) { try action(bus) }
                if try bus.wait(or: wake.await) {
                    var byte: UInt8 = 0
                    if recv(wake.await, &byte, 1, 0) == 0 { return }
                }
            }
        } catch {
            requested.finish()
        }
    }

    private func answer(_ call: borrowing BusMessage, _ bus: Bus) throws(BusError) {
        switch call.name {
        case "org.freedesktop.login1.Manager.Inhibit" where refusesDelay:
            try bus.send(bus.refusal(of: call, "org.freedesktop.DBus.Error.AccessDenied"))
        case "org.freedesktop.login1.Manager.Inhibit":
            var pair: [Int32] = [-1, -1]
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair)
            let reply = try bus.answer(to: call)
            try reply.append(descriptor: pair[1])
            try bus.send(reply)
            close(pair[1])
            requested.yield(pair[0])
        case "org.freedesktop.DBus.Properties.Get" where call.path == "/org/freedesktop/login1":
            guard let longestDelay else {
                return try bus.send(bus.refusal(of: call, "org.freedesktop.DBus.Error.UnknownProperty"))
            }
            let reply = try bus.answer(to: call)
            try reply.append("v", of: "t") { () throws(BusError) in try reply.append(longestDelay) }
            try bus.send(reply)
        case "org.freedesktop.DBus.Properties.Get":
            let path = call.path
            guard let user = sessions.withLock({ $0[path] }) else {
                try bus.send(bus.refusal(of: call, "org.freedesktop.DBus.Error.UnknownObject"))
                return
            }
            let reply = try bus.answer(to: call)
            try reply.append("v", of: "(uo)") { () throws(BusError) in
                try reply.append("r", of: "uo") { () throws(BusError) in
                    try reply.append(user)
                    try reply.append("/org/freedesktop/login1/user/_1234", as: "o")
                }
            }
            try bus.send(reply)
        case "org.freedesktop.login1.Manager.ListSessions":
            let known = sessions.withLock(\.self)
            let reply = try bus.answer(to: call)
            try reply.append("a", of: "(susso)") { () throws(BusError) in
                for (path, user) in known {
                    try reply.append("r", of: "susso") { () throws(BusError) in
                        try reply.append("1")
                        try reply.append(user)
                        try reply.append("anna")
                        try reply.append("seat0")
                        try reply.append(path, as: "o")
                    }
                }
            }
            try bus.send(reply)
        default: break
        }
    }
}

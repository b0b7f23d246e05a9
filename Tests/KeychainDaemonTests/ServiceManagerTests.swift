// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainTestSupport
import Testing

@testable import KeychainDaemon

/// What passes between the daemon and a service manager: sockets in one direction, its state in the other.
struct ServiceManagerTests {
    @Test("listening sockets are taken over, close-on-exec, by the process that is meant")
    func sockets() throws {
        let folder = try TemporaryFolder()
        let socket = try listeningSocket(folder.path(of: "a.sock"))
        defer { close(socket) }
        #expect(fcntl(socket, F_SETFD, 0) == 0)
        let own = "\(getpid())"
        #expect(try SocketActivation.sockets(process: own, count: "1", first: socket) == [socket])
        #expect(fcntl(socket, F_GETFD) == FD_CLOEXEC)
        #expect(try SocketActivation.sockets(process: "1", count: "1", first: socket).isEmpty)
        #expect(try SocketActivation.sockets(process: nil, count: "1", first: socket).isEmpty)
    }

    @Test("a number that is none is refused", arguments: [nil, "", "0", "-1", "65", "one", "99999999999999"])
    func numbers(_ count: String?) {
        #expect(throws: DaemonFailure.self) { try SocketActivation.sockets(process: "\(getpid())", count: count) }
    }

    @Test("a descriptor that is no listening Unix stream socket is refused")
    func otherDescriptors() throws {
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        for first in [ends[0], 900_000] {
            #expect(throws: DaemonFailure.self) {
                try SocketActivation.sockets(process: "\(getpid())", count: "1", first: first)
            }
        }
    }

    @Test("the state is one datagram")
    func notification() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "notify")
        let receiver = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(receiver) }
        #expect(try withAddress(path) { bind(receiver, $0, $1) } == 0)
        let notification = ServiceNotification(socket: path)
        notification.ready("Serving.")
        notification.alive()
        notification.stopping()
        #expect(receive(receiver) == "READY=1\nSTATUS=Serving.")
        #expect(receive(receiver) == "WATCHDOG=1")
        #expect(receive(receiver) == "STOPPING=1\nSTATUS=Ending.")
    }

    @Test(
        "a daemon says that it works twice in the time that the service manager waits, if that waits for this process",
        arguments: [
            ("60000000", nil, 30_000), ("60000000", "\(getpid())", 30_000), ("60000000", "1", nil), ("1", nil, 1),
            ("0", nil, nil), ("", nil, nil), ("-5", nil, nil), (nil, nil, nil), ("18446744073709551615", nil, .max),
        ] as [(String?, String?, Int32?)]
    )
    func watchdog(_ microseconds: String?, _ process: String?, _ milliseconds: Int32?) {
        let notification = ServiceNotification(socket: nil, watchdog: microseconds, process: process)
        #expect(notification.watchdogMilliseconds == milliseconds)
    }

    @Test("no service manager, or a name that is none, is no error", arguments: [nil, "", "relative", "/nowhere/x"])
    func noManager(_ socket: String?) { ServiceNotification(socket: socket).ready("Serving.") }

    private func listeningSocket(_ path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #expect(try withAddress(path) { bind(descriptor, $0, $1) } == 0)
        #expect(listen(descriptor, 1) == 0)
        return descriptor
    }

    private func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) throws -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        try #require(path.utf8.count < MemoryLayout.size(ofValue: address.sun_path))
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    private func receive(_ descriptor: Int32) -> String {
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
    }
}

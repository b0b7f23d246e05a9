// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainHost
import KeychainTestSupport
import Testing

@testable import KeychainDaemon

/// What passes between the daemon and a service manager: sockets in one direction, its state in the other.
struct ServiceManagerTests {
    /// A daemon that is started as a service manager starts it: with a descriptor 3, and variables of its process.
    private struct Service {
        let process = Process()
        let errors = Pipe()

        init(_ folder: DaemonFolder, variables: String, notify: String? = nil, descriptor: Int32) throws {
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            // What the shell is started with is its own process number, which the program keeps.
            process.arguments = [
                "-c", "exec 3<&0; \(variables) exec \"$0\" \"$@\"", try DaemonFolder.program("keychaind"),
                "--store", folder.location.path,
            ]
            process.environment = ["NOTIFY_SOCKET": notify ?? folder.path(beside: "notify")]
            process.standardInput = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
            process.standardError = errors
            try process.run()
        }

        /// Waits for its end.
        func outcome() throws -> (status: Int32, errors: String) {
            let text = try errors.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            return (process.terminationStatus, String(decoding: text, as: UTF8.self))
        }
    }

    @Test("a daemon takes over the socket, and reports that it is ready, that it works, and that it ends")
    func states() throws {
        let folder = try DaemonFolder()
        let (socket, manager) = (
            try Self.listener(folder.path(beside: "a")), try Self.receiver(folder.path(beside: "notify"))
        )
        defer { for descriptor in [socket, manager] { close(descriptor) } }
        let service = try Service(
            folder,
            variables: "LISTEN_PID=$$ LISTEN_FDS=1 WATCHDOG_PID=$$ WATCHDOG_USEC=400000",
            descriptor: socket
        )
        #expect(Self.next(manager) == "READY=1\nSTATUS=Serving.")
        #expect(try Self.isClosedOnExec(3, of: service.process.processIdentifier), "no program that it starts has it")
        #expect(Self.next(manager) == "WATCHDOG=1")
        service.process.terminate()
        var state = Self.next(manager)
        while state == "WATCHDOG=1" { state = Self.next(manager) }
        #expect(state == "STOPPING=1\nSTATUS=Ending.")
        #expect(try service.outcome().status == 0)
    }

    @Test(
        "what is not a number of sockets for this process, or is not a listening Unix stream socket, is refused",
        arguments: [
            ("LISTEN_PID=$$ LISTEN_FDS=one", "LISTEN_PID and LISTEN_FDS are not valid"),
            ("LISTEN_PID=$$ LISTEN_FDS=-1", "LISTEN_PID and LISTEN_FDS are not valid"),
            ("LISTEN_PID=$$ LISTEN_FDS=99999999999", "LISTEN_PID and LISTEN_FDS are not valid"),
            ("LISTEN_PID=$$ LISTEN_FDS=1", "descriptor 3 of the service manager is not a listening"),
        ]
    )
    func refused(_ variables: String, _ message: String) throws {
        let folder = try DaemonFolder()
        let outcome = try Service(folder, variables: variables, descriptor: open("/dev/null", O_RDONLY)).outcome()
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }

    /// Whether a process passes a descriptor on to no program that it executes (proc(5), `fdinfo`).
    private static func isClosedOnExec(_ descriptor: Int32, of process: pid_t) throws -> Bool {
        let text = try String(contentsOfFile: "/proc/\(process)/fdinfo/\(descriptor)", encoding: .utf8)
        let words = text.split(whereSeparator: \.isWhitespace)
        let index = try #require(words.firstIndex(of: "flags:"))
        let flags = try #require(Int32(words[index + 1], radix: 8))
        return flags & O_CLOEXEC != 0
    }

    @Test("a service manager may listen at an abstract name")
    func abstractName() throws {
        let folder = try DaemonFolder()
        let name = "swift-keychain-\(getpid())-\(UInt32.random(in: .min ... .max))"
        let (socket, manager) = (try Self.listener(folder.path(beside: "a")), try Self.receiver("\0\(name)"))
        defer { for descriptor in [socket, manager] { close(descriptor) } }
        let service = try Service(
            folder,
            variables: "LISTEN_PID=$$ LISTEN_FDS=1",
            notify: "@\(name)",
            descriptor: socket
        )
        #expect(Self.next(manager) == "READY=1\nSTATUS=Serving.")
        service.process.terminate()
        #expect(try service.outcome().status == 0)
    }

    @Test("sockets of another process are not taken")
    func socketsOfAnother() throws {
        let folder = try DaemonFolder()
        let manager = try Self.receiver(folder.path(beside: "notify"))
        defer { close(manager) }
        // Descriptor 3 is no socket: to take it would be an error.
        let service = try Service(
            folder,
            variables: "LISTEN_PID=1 LISTEN_FDS=1",
            descriptor: open("/dev/null", O_RDONLY)
        )
        #expect(Self.next(manager) == "READY=1\nSTATUS=Serving.")
        service.process.terminate()
        #expect(try service.outcome().status == 0)
    }

    @Test("a listening Unix stream socket is told from other descriptors")
    func descriptors() throws {
        let folder = try DaemonFolder()
        let (socket, manager) = (
            try Self.listener(folder.path(beside: "a")), try Self.receiver(folder.path(beside: "notify"))
        )
        defer { for descriptor in [socket, manager] { close(descriptor) } }
        #expect(SocketActivation.isListeningUnixSocket(socket))
        for other in [manager, STDIN_FILENO, 900_000] { #expect(!SocketActivation.isListeningUnixSocket(other)) }
    }

    private static func listener(_ path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #expect(try withAddress(path) { bind(descriptor, $0, $1) } == 0)
        #expect(listen(descriptor, 1) == 0)
        return descriptor
    }

    private static func receiver(_ path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #expect(try withAddress(path) { bind(descriptor, $0, $1) } == 0)
        return descriptor
    }

    private static func withAddress(
        _ path: String,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        try #require(path.utf8.count < MemoryLayout.size(ofValue: address.sun_path))
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                // The length says where an abstract name ends.
                body($0, socklen_t(MemoryLayout<sa_family_t>.size + path.utf8.count + (path.hasPrefix("\0") ? 0 : 1)))
            }
        }
    }

    /// The next datagram, which a minute is long enough for.
    private static func next(_ descriptor: Int32) -> String {
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&ready, 1, 60_000) == 1 else { return "nothing" }
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
    }
}

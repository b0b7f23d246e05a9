// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainCore
import KeychainWire
import Synchronization

/// The program `keychaind`, which serves one store on a socket of its own, and its client.
///
/// It is given the socket, as a service manager does that starts it by its first client.
final class DaemonProcess {
    let keychain: DaemonKeychain
    let socket: String
    private let process: ChildProcess
    private let log: String

    private static let count = Atomic(0)

    /// Starts a daemon.
    ///
    /// - Parameters:
    ///   - folder: the store, which is the daemon's.
    ///   - scratch: where the socket is made.
    ///   - syncDelay: by how many microseconds each of its syncs takes longer.
    /// - Throws: ``Failure`` when a program or the socket is missing.
    init(storeIn folder: String, _ scratch: Scratch, syncDelay: Int = 0) throws {
        // Each has another socket.
        let number = Self.count.add(1, ordering: .relaxed).newValue
        socket = scratch.path("\(number).sock")
        log = scratch.path("\(number).log")
        let listening = try Self.listen(socket)
        let output = open(log, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer { for descriptor in [listening, output] { close(descriptor) } }
        var environment = ["HOME=\(scratch.folder)", "XDG_RUNTIME_DIR=\(scratch.folder)"]
        if syncDelay > 0 {
            environment.append("LD_PRELOAD=\(try ChildProcess.besideThis("libslow-sync.so"))")
            environment.append("BENCHMARK_SYNC_DELAY=\(syncDelay)")
        }
        process = try ChildProcess(
            try ChildProcess.besideThis("benchmark-peer"),
            ["activate", try ChildProcess.besideThis("keychaind"), "--store", folder],
            environment: environment,
            descriptors: [1: output, 2: output, 3: listening]
        )
        keychain = DaemonKeychain(at: SocketLocation(path: socket))
    }

    var memory: ProcessMemory { get throws { try ProcessMemory(of: process.identifier) } }

    /// Has it end, and waits for that.
    func stop() throws {
        kill(process.identifier, SIGTERM)
        let status = process.wait()
        unlink(socket)
        guard status == 0 else {
            let said = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
            throw Failure("keychaind ended with status \(status): \(said)")
        }
    }

    private static func listen(_ path: String) throws -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let size = MemoryLayout.size(ofValue: address.sun_path)
        guard path.utf8.count < size else { throw Failure("\(path) is too long for a socket") }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isBound, Glibc.listen(descriptor, 512) == 0 else { throw Failure("\(path) cannot be listened at") }
        return descriptor
    }
}

/// The least that a call of another process costs: a message to it and one back, over a Unix socket.
final class PingPong {
    private let socket: Int32
    private let process: ChildProcess
    private let request: [UInt8]
    private var reply: [UInt8]

    /// Messages of as many bytes as a read of an item and its answer have.
    init() throws {
        let command = WireMessage.command(1, .items(EngineSubject.primaryKeyRequest(1)))
        let secret = SecretBytes(Item(number: 1).secret)
        request = [UInt8](repeating: 0, count: try command.encoded().count)
        reply = [UInt8](repeating: 0, count: try WireMessage.reply(1, .answer(.single(.data(secret)))).encoded().count)
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
            throw Failure("there are no sockets left")
        }
        defer { close(pair[1]) }
        socket = pair[0]
        process = try ChildProcess(
            try ChildProcess.besideThis("benchmark-peer"),
            ["echo", "\(request.count)", "\(reply.count)"],
            descriptors: [0: pair[1], 2: 2]
        )
    }

    deinit { close(socket) }

    func exchange() throws {
        guard write(socket, request, request.count) == request.count else { throw Failure("the echo has ended") }
        var count = 0
        while count < reply.count {
            let got = reply.withUnsafeMutableBytes { read(socket, $0.baseAddress.map { $0 + count }, $0.count - count) }
            guard got > 0 else { throw Failure("the echo has ended") }
            count += got
        }
    }
}

/// Processes that are connected to a daemon, and do nothing.
final class IdleClients {
    private let process: ChildProcess
    private let end: Int32

    /// Returns once they have all been greeted.
    init(_ count: Int, of daemon: DaemonProcess) throws {
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
            throw Failure("there are no sockets left")
        }
        end = pair[0]
        let greeting = ClientGreeting().bytes.map { String(format: "%02x", $0) }.joined()
        process = try ChildProcess(
            try ChildProcess.besideThis("benchmark-peer"),
            ["idle", daemon.socket, "\(count)", greeting],
            descriptors: [0: pair[1], 1: pair[1], 2: 2]
        )
        close(pair[1])
        var byte: UInt8 = 0
        guard read(end, &byte, 1) == 1 else { throw Failure("not all of \(count) processes could connect") }
    }

    /// Has them end.
    func stop() throws {
        close(end)
        guard process.wait() == 0 else { throw Failure("the processes that were connected failed") }
    }
}

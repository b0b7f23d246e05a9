// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainCore
import KeychainHost
import KeychainServer
import KeychainWire

/// What a program sends to the server of a daemon, with a keychain behind it: bytes of any kind after the greeting, or,
/// if the first byte says so, several commands in right frames, so that what they decode to is executed.
///
/// The server goes on, and the witness of its keychain stays as it is.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    let program = Program()
    program.exchange(ClientGreeting().bytes)
    if input.first.map({ $0 % 2 == 0 }) ?? true {
        program.exchange(Array(input.dropFirst()))
    } else {
        var number: UInt64 = 0
        var rest = input.dropFirst()
        // Each part is behind its length.
        while let high = rest.popFirst(), let low = rest.popFirst() {
            let part = rest.prefix(Int(high) << 8 | Int(low))
            rest = rest.dropFirst(part.count)
            number += 1
            program.exchange(frame(number, part))
        }
    }
    program.close()
    Service.witnessed.check()
    return 0
}

/// A command in a right frame: its length, the version, the kind, the number, and what the input says.
private func frame(_ number: UInt64, _ part: some Collection<UInt8>) -> [UInt8] {
    let body = [WireMessage.version, 1] + withUnsafeBytes(of: number.bigEndian) { Array($0) } + Array(part)
    return withUnsafeBytes(of: UInt32(body.count).bigEndian) { Array($0) } + body
}

/// A program's end of a connection.
private struct Program {
    private let socket = keychain_open_private_socket()

    init() {
        while true {
            let failure = keychain_connect(socket, Service.shared.path)
            if failure == 0 { return }
            precondition(failure == EAGAIN, "the server is gone")
            sched_yield()
        }
    }

    /// Sends bytes with a descriptor, and receives until the server waits for more, or has ended the connection.
    func exchange(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        var sent = bytes.withUnsafeBytes { keychain_send_with(socket, STDERR_FILENO, $0.baseAddress, $0.count) }
        if sent < 0, errno == EPERM {
            sent = bytes.withUnsafeBytes { keychain_send(socket, $0.baseAddress, $0.count) }
        }
        // Part of a message is answered by nothing; a whole one, soon.
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var milliseconds: Int32 = 20
        while !SocketReadiness.wait(for: .readable, of: socket, milliseconds: milliseconds).isEmpty {
            guard keychain_receive(socket, &buffer, buffer.count) > 0 else { return }
            milliseconds = 0
        }
    }

    func close() { keychain_close_private(socket) }
}

/// The server, for all inputs.
private final class Service: Sendable {
    static let shared = Service()
    let path: String

    static let witnessed = WitnessedKeychain()

    private init() {
        path = "/tmp/fuzz-server-\(getpid())/s"
        guard let socket = try? ListeningSocket(SocketLocation(path: path)),
            let server = try? KeychainServer(sockets: [socket.descriptor], admission: OneProgram())
        else { preconditionFailure("nothing listens") }
        precondition(
            HostThread.start(.blocked) {
                server.run()
                withExtendedLifetime(socket) {}
            }
        )
    }
}

/// Lets everybody in as one program with two groups.
private struct OneProgram: Admission, ConnectedPeer {
    let process = ProcessInstance(identifier: 1, startTime: 1)
    var backend: any KeychainBackend { Service.witnessed.keychain }
    let vouchesForBiometry = false

    func admit(_ socket: Int32) throws(KeychainError) -> any ConnectedPeer { self }

    func permitted(_ command: KeychainCommand) throws(KeychainError) -> KeychainCommand {
        switch command {
        case .items(let request): return .items(bounded(request))
        case .explain(var request) where request.options.scope != .owner:
            request.call = bounded(request.call)
            return .explain(request)
        case .itemsExplained(var request) where request.options.scope != .owner:
            request.call = bounded(request.call)
            return .itemsExplained(request)
        case .authentication, .enclave, .device(.status): return command
        // They change what all clients have, or open files.
        default: throw KeychainError(.missingEntitlement, "not permitted")
        }
    }

    private func bounded(_ request: KeychainRequest) -> KeychainRequest {
        var request = request
        request.client.accessGroups = ["a", "b"]
        return request
    }

    func confirm() throws(KeychainError) {}

    func changeFilter(for client: Client) throws(KeychainError) -> ChangeFilter { ChangeFilter(groups: ["a", "b"]) }
}

// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Foundation
import KeychainCore
import KeychainWire

/// A program's end of a connection that sends whatever a test wants.
final class RawConnection: Sendable {
    let socket: Int32

    struct Failure: Error {
        var call: String
        var errno: Int32
    }

    init(_ location: SocketLocation) throws {
        socket = keychain_open_private_socket()
        let limit = ContinuousClock().now + .seconds(120)
        while true {
            let failure = try location.withShortPath { keychain_connect(socket, $0) }
            if failure == 0 { return }
            guard failure == EAGAIN, ContinuousClock().now < limit else {
                throw Failure(call: "connect", errno: failure)
            }
            usleep(1_000)
        }
    }

    deinit { keychain_close_private(socket) }

    /// A connection that has greeted.
    static func greeted(_ location: SocketLocation) throws -> RawConnection {
        let connection = try RawConnection(location)
        connection.sendAlone(ClientGreeting().bytes)
        _ = try connection.receive(Greeting.byteCount)
        return connection
    }

    /// Sends as much as the socket takes, and passes a descriptor with it, as a program does with its first command;
    /// without one where the server takes none.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Int {
        let sent = send(bytes, passing: STDERR_FILENO)
        return sent < 0 && errno == EPERM ? sendAlone(bytes) : sent
    }

    /// The same with this descriptor.
    func send(_ bytes: [UInt8], passing descriptor: Int32) -> Int {
        bytes.withUnsafeBytes { keychain_send_with(socket, descriptor, $0.baseAddress, $0.count) }
    }

    /// The same without a descriptor.
    @discardableResult
    func sendAlone(_ bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes { keychain_send(socket, $0.baseAddress, $0.count) }
    }

    /// Sends all of it, as the server reads; nothing more once that has ended the connection.
    func sendAll(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = send(Array(rest.prefix(1 << 16)))
            if sent > 0 { rest = rest.dropFirst(sent) }
            if sent < 0, errno != EAGAIN { return }
            if sent < 0, SocketReadiness.wait(for: .writable, of: socket, milliseconds: 120_000).contains(.ended) {
                return
            }
        }
    }

    func send(_ message: WireMessage) throws { send(try message.encoded().unprotectedCopy) }

    /// Whether the server has read all that was sent.
    var isRead: Bool { Self.isRead(socket) }

    /// Whether the other side of a socket has read all that was sent (unix(7), SIOCOUTQ).
    fileprivate static func isRead(_ socket: Int32) -> Bool {
        var count: Int32 = 0
        return ioctl(socket, UInt(TIOCOUTQ), &count) == 0 && count == 0
    }

    /// Receives so many bytes; fewer when the server ends the connection.
    func receive(_ count: Int) throws -> [UInt8] {
        var received: [UInt8] = []
        while received.count < count {
            var buffer = [UInt8](repeating: 0, count: count - received.count)
            let got = keychain_receive(socket, &buffer, buffer.count)
            if got > 0 {
                received += buffer[..<got]
            } else if got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK) {
                return received
            } else if SocketReadiness.wait(for: .readable, of: socket, milliseconds: 120_000).isEmpty {
                throw Failure(call: "poll", errno: ETIMEDOUT)
            }
        }
        return received
    }

    /// The next message; `nil` when the server ends the connection.
    func message() throws -> WireMessage? {
        let header = try receive(WireMessage.headerByteCount)
        guard header.count == WireMessage.headerByteCount else { return nil }
        let count = try header.withUnsafeBytes { try WireMessage.bodyLength($0) }
        return try WireMessage(SecretBytes(header + receive(count)))
    }

    /// Whether the server ends the connection; what it says before is left out.
    func isEnded() throws -> Bool {
        while true {
            let received = try receive(1 << 16)
            if received.count < 1 << 16 { return true }
        }
    }
}

/// A listening socket at which a test answers as it likes, in place of a daemon.
final class RawServer: Sendable {
    let location: SocketLocation
    private let listening: Int32

    init(_ folder: String) {
        location = SocketLocation(path: "\(folder)/s")
        listening = keychain_open_private_socket()
        _ = keychain_listen(listening, location.path, 0o600, 16)
    }

    deinit { keychain_close_private(listening) }

    /// The next connection, when there is one; not when `milliseconds` pass without.
    func accept(milliseconds: Int32 = 120_000) -> Accepted? {
        guard SocketReadiness.wait(for: .readable, of: listening, milliseconds: milliseconds).contains(.readable) else {
            return nil
        }
        let socket = keychain_accept(listening)
        return socket < 0 ? nil : Accepted(socket)
    }

    /// A server's end of a connection.
    final class Accepted: Sendable {
        let socket: Int32

        init(_ socket: Int32) { self.socket = socket }

        deinit { close(socket) }

        /// Whether the program has read all that was sent.
        var isRead: Bool { RawConnection.isRead(socket) }

        func send(_ bytes: [UInt8]) { _ = bytes.withUnsafeBytes { keychain_send(socket, $0.baseAddress, $0.count) } }

        func send(_ message: WireMessage) throws { send(try message.encoded().unprotectedCopy) }

        func greet() throws {
            _ = try next(.greeting)
            send(ServerGreeting(to: ClientGreeting()).bytes)
        }

        /// The next command.
        func command() throws -> (UInt64, KeychainCommand)? {
            guard let bytes = try next(.message),
                case .command(let number, let command, canAskForSecrets: _) = try WireMessage(bytes)
            else { return nil }
            return (number, command)
        }

        /// The next message; `nil` when the program ends the connection.
        func message() throws -> WireMessage? { try next(.message).map { try WireMessage($0) } }

        private func next(_ expected: FrameReader.Expected) throws -> SecretBytes? {
            var reader = FrameReader()
            while true {
                switch try reader.receive(expected, from: socket) {
                case .complete: return reader.withBytes { SecretBytes(copying: $0) }
                case .incomplete: _ = SocketReadiness.wait(for: .readable, of: socket, milliseconds: 120_000)
                case .ended, .failed: return nil
                }
            }
        }
    }
}

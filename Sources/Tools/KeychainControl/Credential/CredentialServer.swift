// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainCore
import KeychainHost

/// Gives units of systemd their secrets, on sockets that systemd listens on.
///
/// On one thread: it reads a secret for one request after the other, and waits for no peer.
struct CredentialServer: Sendable {
    /// Checks that a request comes from its unit.
    let check: @Sendable (CredentialRequest, Int32) throws(Refusal) -> Void

    /// The secret of a request, with the reference that it was read by.
    let secret: @Sendable (CredentialRequest) throws(Refusal) -> (secret: SecretBytes, reference: String)

    /// Notes what a unit got, or why it did not; never a secret.
    let note: @Sendable (Note, String) -> Void

    /// After how many milliseconds without a connection it ends; `nil` for never.
    var idleMilliseconds: Int32?

    /// How long a peer may take to read.
    var patienceMilliseconds: Int32 = 10_000

    var clock = TimeoutClock.system

    /// What is noted.
    enum Note: Sendable {
        case given
        case refused
    }

    /// The most connections that are open at a time, and those of one unit; further ones wait until there is room, or
    /// are closed.
    static let maximumCount = 64
    static let maximumCountOfUnit = 8

    /// Serves until it is idle, or a descriptor is readable.
    ///
    /// - Parameters:
    ///   - sockets: the listening sockets, which stay open.
    ///   - stop: what ends it; `nil` for nothing.
    /// - Throws: ``Refusal`` if the sockets cannot be waited for.
    func serve(_ sockets: [Int32], until stop: Int32? = nil) throws(Refusal) {
        for socket in sockets { _ = fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK) }
        var open: [OpenConnection] = []
        var end = idleMilliseconds.map { Deadline(milliseconds: $0, by: clock) }
        while true {
            let listening = open.count < Self.maximumCount ? sockets : []
            var entries = [pollfd(fd: stop ?? -1, events: Int16(POLLIN), revents: 0)]
            entries += listening.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            entries += open.map { pollfd(fd: $0.socket, events: Int16(POLLOUT), revents: 0) }
            let deadlines = open.map(\.deadline) + (open.isEmpty ? [end].compactMap(\.self) : [])
            guard poll(&entries, nfds_t(entries.count), deadlines.map(\.waitMilliseconds).min() ?? -1) >= 0 else {
                if errno == EINTR { continue }
                throw Refusal("poll: \(String(cString: strerror(errno)))")
            }
            if entries[0].revents != 0 { return }
            if entries[1...].prefix(listening.count).contains(where: { $0.revents & Int16(POLLNVAL | POLLERR) != 0 }) {
                throw Refusal("the socket of systemd is gone")
            }
            open.removeAll { hasEnded($0) }
            for (socket, entry) in zip(listening, entries.dropFirst()) where entry.revents != 0 {
                end = idleMilliseconds.map { Deadline(milliseconds: $0, by: clock) }
                if let connection = accept(socket, beside: open) { open.append(connection) }
            }
            if open.isEmpty, end?.isOver == true { return }
        }
    }

    /// Sends more; whether the connection is over.
    private func hasEnded(_ connection: OpenConnection) -> Bool {
        switch connection.send() {
        case .complete: return true
        case .failed:
            note(.refused, "\(connection.request.text) was not read to its end")
            return true
        case .waits:
            guard connection.deadline.isOver else { return false }
            note(.refused, "\(connection.request.text) was not read in time")
            return true
        }
    }

    /// Takes a connection; `nil` for one that is over.
    private func accept(_ listening: Int32, beside open: [OpenConnection]) -> OpenConnection? {
        let socket = keychain_accept(listening)
        guard socket >= 0 else { return nil }
        // Nothing is read: what a peer sends or passes would only have to be discarded.
        shutdown(socket, Int32(SHUT_RD))
        guard let request = CredentialRequest(of: socket) else {
            note(.refused, "a connection that is not from systemd was closed")
            close(socket)
            return nil
        }
        do throws(Refusal) {
            try check(request, socket)
            guard open.count(where: { $0.request.unit == request.unit }) < Self.maximumCountOfUnit else {
                throw Refusal("the unit does not read what it has asked for")
            }
            let (secret, reference) = try secret(request)
            note(.given, "\(request.text) is \(reference)")
            let deadline = Deadline(milliseconds: patienceMilliseconds, by: clock)
            let connection = OpenConnection(socket, for: request, secret: secret, until: deadline)
            return hasEnded(connection) ? nil : connection
        } catch {
            note(.refused, "\(request.text) is not given: \(error)")
            close(socket)
            return nil
        }
    }
}

extension CredentialRequest {
    /// The credential and its unit, for a message.
    var text: String { "credential '\(name)' of \(unit)" }
}

/// A connection with a secret that has not been read yet.
private final class OpenConnection {
    let socket: Int32
    let request: CredentialRequest
    let deadline: Deadline
    private let secret: SecretBytes
    private var sentCount = 0

    init(_ socket: Int32, for request: CredentialRequest, secret: SecretBytes, until deadline: Deadline) {
        self.socket = socket
        self.request = request
        self.secret = secret
        self.deadline = deadline
    }

    deinit { close(socket) }

    enum Progress {
        case complete
        case waits
        case failed
    }

    /// Sends as much as the socket takes.
    func send() -> Progress {
        secret.withUnsafeBytes { bytes in
            while sentCount < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[sentCount...])
                let count = keychain_send(socket, rest.baseAddress, rest.count)
                guard count >= 0 else { return errno == EAGAIN ? .waits : .failed }
                sentCount += count
            }
            return .complete
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainCore

/// Requests and responses over a socket, within the time limit of a question.
///
/// Every buffer that may hold a secret is wiped.
final class AssuanConnection {
    private let socket: Int32
    private let watch: QuestionWatch
    private let received = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 1)
    private var unread = 0..<0
    /// How many bytes may still come: enough for the longest secret with every byte escaped.
    private var budget = 4 << 20

    /// The response to a request.
    struct Response {
        var data: SecretBytes
        var statuses: Set<String>
        /// The code of the failure; `nil` for success.
        var error: UInt32?
    }

    init(_ socket: Int32, _ watch: QuestionWatch) {
        self.socket = socket
        self.watch = watch
    }

    deinit {
        keychain_wipe(received.baseAddress, received.count)
        received.deallocate()
    }

    /// Sends a request, and collects what comes until it is answered.
    func request(_ command: String, _ argument: String? = nil) throws(QuestionEnd) -> Response {
        try send(AssuanLine.request(command, argument))
        return try response()
    }

    /// Collects lines until the response to a request, or to the connection, is complete.
    ///
    /// - Throws: ``QuestionEnd/unavailable`` for input that violates the protocol, or is too long.
    func response() throws(QuestionEnd) -> Response {
        var data = SecretBuffer()
        var statuses: Set<String> = []
        while true {
            switch try line() {
            case .ok: return Response(data: data.bytes, statuses: statuses)
            case .error(let code): return Response(data: SecretBytes(), statuses: statuses, error: code)
            case .data(let part):
                guard data.count + part.count <= TypedLine.longest else { throw .unavailable }
                part.withUnsafeBytes { data.append($0) }
            case .status(let keyword) where statuses.count < 100: statuses.insert(keyword)
            case .status, .comment: continue
            case .inquiry: throw .unavailable
            }
        }
    }

    private func send(_ bytes: [UInt8]) throws(QuestionEnd) {
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, flags) }
            if count >= 0 { rest = rest.dropFirst(count) } else { try waitAfterFailure(POLLOUT) }
        }
    }

    private func line() throws(QuestionEnd) -> AssuanLine {
        while true {
            let waiting = UnsafeRawBufferPointer(rebasing: received[unread])
            if let end = waiting.firstIndex(of: UInt8(ascii: "\n")) {
                unread = unread.lowerBound + end + 1..<unread.upperBound
                guard let line = AssuanLine(UnsafeRawBufferPointer(rebasing: waiting[..<end])) else {
                    throw .unavailable
                }
                return line
            }
            guard waiting.count <= AssuanLine.longest + 1 else { throw .unavailable }
            received.copyMemory(from: waiting)
            unread = 0..<waiting.count
            try receive()
        }
    }

    /// Receives bytes and appends them to the unread ones.
    private func receive() throws(QuestionEnd) {
        while true {
            let free = UnsafeMutableRawBufferPointer(rebasing: received[unread.upperBound...])
            let count = recv(socket, free.baseAddress, free.count, Int32(MSG_DONTWAIT))
            guard count != 0 else { throw .unavailable }
            if count > 0 {
                budget -= count
                guard budget > 0 else { throw .unavailable }
                unread = unread.lowerBound..<unread.upperBound + count
                return
            }
            try waitAfterFailure(POLLIN)
        }
    }

    /// Waits after a call that failed, if waiting helps.
    private func waitAfterFailure(_ events: Int32) throws(QuestionEnd) {
        switch errno {
        case EINTR: return
        case EAGAIN: _ = try watch.wait(for: socket, events)
        default: throw .unavailable
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc

/// A message on its way to a connection, or a line of the handshake.
struct OutgoingFrame {
    private let header: [UInt8]
    private let body: BusBody?
    private let passed: Passed
    private(set) var sentByteCount = 0
    /// `nil` for a line of the handshake.
    let message: WaitingMessage?

    /// What is passed with a message.
    enum Passed {
        case nothing
        /// Descriptors of another program's.
        case descriptors(PassedDescriptors)
        /// A process.
        case process(BusPeer)

        var numbers: [Int32] {
            switch self {
            case .nothing: []
            case .descriptors(let descriptors): descriptors.numbers
            case .process(let peer): [peer.descriptor]
            }
        }
    }

    init(
        _ header: [UInt8],
        _ body: BusBody? = nil,
        of message: WaitingMessage? = nil,
        passing passed: Passed = .nothing
    ) {
        self.message = message
        self.header = header
        self.body = body
        self.passed = passed
    }

    /// Whether a part of it was sent.
    var isBegun: Bool { sentByteCount > 0 }

    /// Its size.
    var byteCount: Int { header.count + (body?.count ?? 0) }

    /// Sends as much as there is room for; they are passed with the first byte.
    ///
    /// - Returns: Whether it was sent to its end; `nil` with errno if that is not possible now.
    mutating func send(to socket: Int32) -> Bool? {
        let sent = header.withUnsafeBytes { header -> Int in
            guard let body else { return send([header[min(sentByteCount, header.count)...]], to: socket) }
            return body.withBytes { body in
                let start = max(0, sentByteCount - header.count)
                return send([header[min(sentByteCount, header.count)...], body[start...]], to: socket)
            }
        }
        guard sent >= 0 else { return nil }
        sentByteCount += sent
        return sentByteCount == byteCount
    }

    private func send(_ parts: [Slice<UnsafeRawBufferPointer>], to socket: Int32) -> Int {
        let vectors = parts.filter { !$0.isEmpty }.map { part in
            let part = UnsafeRawBufferPointer(rebasing: part)
            return iovec(iov_base: UnsafeMutableRawPointer(mutating: part.baseAddress), iov_len: part.count)
        }
        let numbers = sentByteCount == 0 ? passed.numbers : []
        return keychain_send_parts(socket, vectors, vectors.count, numbers, numbers.count)
    }
}

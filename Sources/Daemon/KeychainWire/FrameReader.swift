// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainCore

/// Collects the bytes of a connection, one greeting or message at a time, in memory that is wiped.
///
/// A program sends nothing before its previous message was answered, so bytes after the end of a message are an error;
/// those of a daemon are kept for the next message. A length field is not trusted beyond the bytes that have arrived:
/// the memory at most doubles with them. It is the only owner of its memory.
package struct FrameReader: ~Copyable, @unchecked Sendable {
    /// What is expected next.
    package enum Expected: Sendable {
        /// Sixteen bytes.
        case greeting
        /// A frame of ``WireMessage``.
        case message
    }

    /// The progress.
    package enum Progress: Sendable, Hashable {
        /// It is complete.
        case complete
        /// More bytes are needed.
        case incomplete
        /// The other side has closed the connection.
        case ended
        /// Receiving failed with this error number.
        case failed(Int32)
    }

    private var buffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var count = 0
    private let keepsMore: Bool

    private static let firstCapacity = 4096

    /// Creates an empty reader.
    ///
    /// - Parameter keepsMore: whether several messages may arrive at once.
    package init(keepsMore: Bool = false) { self.keepsMore = keepsMore }

    deinit { Self.release(buffer, used: count) }

    /// Whether no byte of the next message has arrived.
    package var isEmpty: Bool { count == 0 }

    /// The size of the buffer.
    package var capacity: Int { buffer.count }

    /// Whether a descriptor came with bytes of the message, as far as the sender is known.
    package private(set) var hasDescriptor = false

    /// Receives the available bytes, without waiting for more; a descriptor that comes with them may nevertheless make
    /// it sleep.
    ///
    /// - Parameters:
    ///   - expected: the expected message.
    ///   - socket: the socket; with `keychain_name_senders`, if `sender` is given.
    ///   - sender: the only process that may write; bytes from another process fail with `EPERM`.
    /// - Returns: The progress.
    /// - Throws: ``WireError/tooLong``, ``WireError/trailingBytes``.
    package mutating func receive(
        _ expected: Expected,
        from socket: Int32,
        sentBy sender: Int32? = nil
    ) throws(WireError) -> Progress {
        while let room = try room(for: expected) {
            let received =
                if let sender {
                    keychain_receive_from(socket, sender, room.baseAddress, room.count, &hasDescriptor)
                } else {
                    keychain_receive(socket, room.baseAddress, room.count)
                }
            guard received != 0 else { return .ended }
            guard received > 0 else {
                return errno == EAGAIN || errno == EWOULDBLOCK ? .incomplete : .failed(errno)
            }
            count += received
        }
        return .complete
    }

    /// Adds bytes as if they had been received.
    ///
    /// - Returns: The number of bytes added, and whether the message is complete.
    /// - Throws: ``WireError/tooLong``, ``WireError/trailingBytes``.
    package mutating func append(
        _ bytes: UnsafeRawBufferPointer,
        _ expected: Expected
    ) throws(WireError) -> (taken: Int, isComplete: Bool) {
        var taken = 0
        while let room = try room(for: expected) {
            let part = bytes[taken...].prefix(room.count)
            guard !part.isEmpty else { return (taken, false) }
            room.copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
            taken += part.count
            count += part.count
        }
        return (taken, true)
    }

    /// Passes the bytes of the complete message to a closure.
    package borrowing func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(rebasing: buffer[..<completeCount]))
    }

    /// Wipes the complete message, and begins the next one.
    package mutating func clear() {
        let rest = count - completeCount
        var next = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        if rest > 0 {
            next = .allocate(byteCount: max(Self.firstCapacity, rest), alignment: 8)
            next.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[completeCount..<count]))
        }
        Self.release(buffer, used: count)
        buffer = next
        count = rest
        completeCount = 0
        hasDescriptor = false
    }

    private var completeCount = 0

    /// The range of the next bytes; `nil` if the message is complete.
    private mutating func room(for expected: Expected) throws(WireError) -> UnsafeMutableRawBufferPointer? {
        let whole = try wholeCount(expected)
        if let whole, count >= whole {
            guard count == whole || keepsMore else { throw .trailingBytes }
            completeCount = whole
            return nil
        }
        if count == buffer.count { grow(atMost: whole) }
        return UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
    }

    /// The length of the message; `nil` until that has arrived.
    private func wholeCount(_ expected: Expected) throws(WireError) -> Int? {
        switch expected {
        case .greeting: return Greeting.byteCount
        case .message:
            guard count >= WireMessage.headerByteCount else { return nil }
            let header = UnsafeRawBufferPointer(rebasing: buffer[..<WireMessage.headerByteCount])
            return WireMessage.headerByteCount + (try WireMessage.bodyLength(header))
        }
    }

    private mutating func grow(atMost whole: Int?) {
        let wanted = max(Self.firstCapacity, 2 * buffer.count)
        let capacity = min(wanted, whole ?? wanted)
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(capacity, count + 1), alignment: 8)
        if count > 0 { larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
        Self.release(buffer, used: count)
        buffer = larger
    }

    private static func release(_ buffer: UnsafeMutableRawBufferPointer, used: Int) {
        guard let base = buffer.baseAddress else { return }
        keychain_wipe(base, used)
        buffer.deallocate()
    }
}

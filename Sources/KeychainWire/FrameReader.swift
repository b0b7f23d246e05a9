// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainCore

/// Collects what arrives on a connection, one greeting or message at a time, in memory that is wiped.
///
/// A program sends nothing before its last message was answered, so that bytes behind the end of one are an error;
/// those of a daemon are kept for the next. What a length announces is believed no further than bytes have arrived: the
/// memory at most doubles with them.
public struct FrameReader: ~Copyable {
    /// What is to arrive next.
    public enum Expected: Sendable {
        /// Sixteen bytes.
        case greeting
        /// A frame of ``WireMessage``.
        case message
    }

    /// How far it got.
    public enum Progress: Sendable, Hashable {
        /// All of it is there.
        case complete
        /// More is to come.
        case incomplete
        /// The other side has ended the connection.
        case ended
        /// The system failed to receive, by an error number.
        case failed(Int32)
    }

    private var buffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var count = 0
    private let keepsMore: Bool

    private static let firstCapacity = 4096

    /// Nothing has arrived.
    ///
    /// - Parameter keepsMore: whether several messages may arrive at once.
    public init(keepsMore: Bool = false) { self.keepsMore = keepsMore }

    deinit { Self.release(buffer, used: count) }

    /// Whether nothing has arrived of what is next.
    public var isEmpty: Bool { count == 0 }

    /// How much memory is held.
    public var capacity: Int { buffer.count }

    /// Receives what is there, without waiting.
    ///
    /// - Parameters:
    ///   - expected: what is to arrive.
    ///   - socket: where from; one that names senders (`keychain_name_senders`), if there is a sender.
    ///   - sender: the process that alone may write; bytes of another fail with `EPERM`.
    /// - Returns: How far it got.
    /// - Throws: ``WireError/tooLong``, ``WireError/trailingBytes``.
    public mutating func receive(
        _ expected: Expected,
        from socket: Int32,
        sentBy sender: Int32? = nil
    ) throws(WireError) -> Progress {
        while let room = try room(for: expected) {
            let received =
                if let sender {
                    keychain_receive_from(socket, sender, room.baseAddress, room.count)
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

    /// Takes bytes as if they had been received.
    ///
    /// - Returns: How many were taken, and whether all that is expected is there.
    /// - Throws: ``WireError/tooLong``, ``WireError/trailingBytes``.
    public mutating func take(
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

    /// Lends the bytes of what is complete.
    public borrowing func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(rebasing: buffer[..<completeCount]))
    }

    /// Wipes what is complete, and begins with what is next.
    public mutating func clear() {
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
    }

    private var completeCount = 0

    /// Where the next bytes belong; `nil` when all is there.
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

    /// How many bytes it has; `nil` as long as that has not arrived.
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

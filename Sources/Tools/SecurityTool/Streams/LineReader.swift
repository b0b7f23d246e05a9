// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainAuthenticators
import KeychainCore
import KeychainHost

/// Reads lines from a descriptor; they may hold secrets, and every buffer is wiped.
final class LineReader {
    /// The maximum length of a line: 1 MiB.
    static let largestLine = 1 << 20

    /// How much of a line is skipped at most: 64 MiB.
    ///
    /// More is no text, but a device without an end.
    static let largestSkipped = 64 << 20

    let descriptor: Int32
    private let chunk: UnsafeMutableRawBufferPointer
    private var unread = 0..<0

    /// The result of reading a line.
    enum Line {
        /// A line, without the newline that ended it.
        case line(SecretBytes)
        /// The bytes before the end of the input without a newline; not empty.
        case unfinished(SecretBytes)
        /// A line of more than ``largestLine`` bytes, which was skipped.
        case tooLong
        /// The end of the input.
        case end
    }

    /// Input that cannot be read.
    struct Failure: Error {
        let code: Int32
    }

    /// A reader of a descriptor.
    ///
    /// - Parameters:
    ///   - descriptor: the descriptor to read; it stays open.
    ///   - readsAhead: whether bytes beyond a line may be read; if not, they are left for other programs.
    init(descriptor: Int32, readsAhead: Bool) {
        self.descriptor = descriptor
        chunk = .allocate(byteCount: readsAhead ? 1 << 16 : 1, alignment: 1)
    }

    deinit {
        keychain_wipe(chunk.baseAddress, chunk.count)
        chunk.deallocate()
    }

    /// Reads a line; blocks until it is available.
    ///
    /// - Parameter wait: called before each read, for example to wait in another way.
    /// - Returns: The line, or why there is none.
    /// - Throws: ``Failure``, with `EFBIG` for a line of more than ``largestSkipped`` bytes, and the errors of `wait`.
    func next(wait: () throws -> Void = {}) throws -> Line {
        var line = SecretBuffer()
        var isTooLong = false
        var length = 0
        while true {
            if unread.isEmpty {
                try wait()
                guard try fill() else {
                    return isTooLong ? .tooLong : line.count > 0 ? .unfinished(line.bytes) : .end
                }
            }
            let end = chunk[unread].firstIndex(of: UInt8(ascii: "\n"))
            let part = UnsafeMutableRawBufferPointer(rebasing: chunk[unread.lowerBound..<(end ?? unread.upperBound)])
            unread = min(unread.lowerBound + part.count + 1, unread.upperBound)..<unread.upperBound
            length += part.count
            isTooLong = length > Self.largestLine
            guard length <= Self.largestSkipped else { throw Failure(code: EFBIG) }
            if !isTooLong { line.append(UnsafeRawBufferPointer(part)) }
            // The next line may come much later.
            keychain_wipe(part.baseAddress, part.count)
            if end != nil { return isTooLong ? .tooLong : .line(line.bytes) }
        }
    }

    /// Whether more input follows, as far as is known after a number of milliseconds.
    ///
    /// Returns as soon as there is a byte, or the end of the input. If the reader does not read ahead, the following
    /// bytes are lost to other programs.
    func isFollowed(within milliseconds: Int32) throws -> Bool {
        guard unread.isEmpty else { return true }
        let deadline = Deadline(milliseconds: milliseconds)
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            switch poll(&state, 1, deadline.millisecondsLeft) {
            case 0: return false
            case 1...: return try fill()
            default: guard errno == EINTR else { throw Failure(code: errno) }
            }
        }
    }

    /// Whether there was anything to read.
    private func fill() throws -> Bool {
        let count = DescriptorInput.read(descriptor, chunk)
        guard count >= 0 else { throw Failure(code: errno) }
        unread = 0..<count
        return count > 0
    }
}

// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// Reads a trace line by line, and continues when more is written.
package final class TraceReader {
    private let path: String
    private var descriptor: Int32
    private var pending: [UInt8] = []
    /// The start of the next line in ``pending``, and the position up to which it has no end.
    private var begin = 0
    private var searched = 0
    private var lineNumber = 0
    private var skipsLine = false

    /// A line of a trace.
    package struct Line: Sendable, Hashable {
        /// Which line of the file, from 1.
        package let number: Int
        /// The entry, or the reason why it is invalid.
        package let content: Result<TraceEntry, TraceError>
        /// The line as it is in the file; empty for one that was too long.
        package let bytes: [UInt8]
    }

    /// Longer than every line that is written; longer lines are invalid.
    private static let longestLine = 4 << 20

    /// Opens a trace.
    ///
    /// - Throws: ``TraceError/unusable(path:_:)``.
    package init(path: String) throws(TraceError) {
        self.path = path
        descriptor = try Self.open(path)
    }

    deinit { close(descriptor) }

    /// The next line; `nil` until more is written.
    ///
    /// A line without an end is kept until then.
    package func next() throws(TraceError) -> Line? {
        while true {
            if let line = parseNextLine() { return line }
            guard try readMore() else { return nil }
        }
    }

    /// The lines that have come since the last time, in their order.
    package func lines() throws(TraceError) -> [Line] {
        var lines: [Line] = []
        while let line = try next() { lines.append(line) }
        return lines
    }

    /// A last line without an end, in a trace that is no longer written; `nil` if there is none.
    package func rest() -> Line? {
        guard begin < pending.count else { return nil }
        let bytes = Array(pending[begin...])
        (pending, begin, searched) = ([], 0, 0)
        return Line(number: lineNumber + 1, content: .failure(.truncated), bytes: bytes)
    }

    /// Switches to a file that replaced this one, or restarts after a truncation; returns whether either happened.
    package func reopenIfReplaced() throws(TraceError) -> Bool {
        var (own, current) = (stat(), stat())
        guard fstat(descriptor, &own) == 0, stat(path, &current) == 0 else { return false }
        let isSame = own.st_ino == current.st_ino && own.st_dev == current.st_dev
        if isSame, own.st_size >= lseek(descriptor, 0, SEEK_CUR) { return false }
        let replacement = try Self.open(path)
        close(descriptor)
        descriptor = replacement
        (pending, begin, searched, lineNumber, skipsLine) = ([], 0, 0, 0, false)
        return true
    }

    /// Reads more; returns whether there was any.
    private func readMore() throws(TraceError) -> Bool {
        pending.removeFirst(begin)
        begin = 0
        searched = pending.count
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .unusable(path: path, String(cString: strerror(errno))) }
            pending += buffer[..<count]
            return count > 0
        }
    }

    private func parseNextLine() -> Line? {
        while let end = pending[searched...].firstIndex(of: UInt8(ascii: "\n")) {
            let bytes = Array(pending[begin..<end])
            (begin, searched) = (end + 1, end + 1)
            lineNumber += 1
            if skipsLine {
                skipsLine = false
                return Line(number: lineNumber, content: .failure(.malformed("it is too long")), bytes: [])
            }
            if !bytes.isEmpty { return Line(number: lineNumber, content: Self.content(bytes[...]), bytes: bytes) }
        }
        searched = pending.count
        if pending.count - begin > Self.longestLine {
            skipsLine = true
            begin = pending.count
        }
        return nil
    }

    private static func content(_ bytes: ArraySlice<UInt8>) -> Result<TraceEntry, TraceError> {
        Result { () throws(TraceError) in try TraceEntry(line: bytes) }
    }

    private static func open(_ path: String) throws(TraceError) -> Int32 {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unusable(path: path, String(cString: strerror(errno))) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, [S_IFREG, S_IFIFO].contains(status.st_mode & S_IFMT) else {
            close(descriptor)
            throw .unusable(path: path, "it is no file")
        }
        return descriptor
    }
}

extension TraceReader {
    /// Every line of a trace that is complete, and what is wrong with the others.
    package static func entries(at path: String) throws(TraceError) -> [Line] {
        let reader = try TraceReader(path: path)
        return try reader.lines() + (reader.rest().map { [$0] } ?? [])
    }
}

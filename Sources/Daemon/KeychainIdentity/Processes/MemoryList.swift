// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A list of the mappings of a process, as `/proc` has it, line by line.
///
/// A process can have 65,530 mappings with paths of 4 KiB: so no list is kept as a whole.
protocol MemoryList {
    init()

    /// Reads the next line, without its line feed.
    ///
    /// - Returns: Whether it can be parsed.
    mutating func read(_ line: ArraySlice<UInt8>) -> Bool

    /// Whether the list may end after the lines that were read.
    var isComplete: Bool { get }
}

extension MemoryList {
    /// Reads a whole list; `nil` if it cannot be parsed.
    init?(text: [UInt8]) {
        self.init()
        for line in text.split(separator: UInt8(ascii: "\n")) {
            guard read(line) else { return nil }
        }
        guard isComplete else { return nil }
    }

    /// Reads a list from a file; `nil` with `errno` set, to EFBIG for a list that is too long, and to EBADMSG for one
    /// that cannot be parsed.
    init?(_ file: borrowing Descriptor, limit: Int) {
        self.init()
        var byteCount = 0
        var rest: [UInt8] = []
        while true {
            guard let chunk = file.nextBytes(count: 1 << 16) else { return nil }
            byteCount += chunk.count
            guard byteCount <= limit, rest.count <= Self.longestLine else {
                errno = EFBIG
                return nil
            }
            rest += chunk
            let end = chunk.isEmpty ? rest.endIndex : rest.lastIndex(of: UInt8(ascii: "\n")) ?? rest.startIndex
            for line in rest[..<end].split(separator: UInt8(ascii: "\n")) {
                guard read(line) else {
                    errno = EBADMSG
                    return nil
                }
            }
            rest.removeSubrange(..<end)
            if chunk.isEmpty { break }
        }
        guard isComplete else {
            errno = EBADMSG
            return nil
        }
    }

    /// More than a path whose bytes are all escaped.
    private static var longestLine: Int { 1 << 15 }
}

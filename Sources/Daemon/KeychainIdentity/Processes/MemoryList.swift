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

    /// Whether it has as many mappings as it may have.
    var isFull: Bool { get }
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
        var list = Self()
        guard file.readLines(limit: limit, { list.read($0) }) else {
            if list.isFull { errno = EFBIG }
            return nil
        }
        guard list.isComplete else {
            errno = EBADMSG
            return nil
        }
        self = list
    }

    var isFull: Bool { false }
}

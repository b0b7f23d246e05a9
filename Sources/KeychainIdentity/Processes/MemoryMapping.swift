// SPDX-License-Identifier: Apache-2.0

/// A file of which a process may execute code: a line of `/proc/PID/maps` (proc(5)).
struct MemoryMapping: Sendable, Hashable {
    /// The device, as the kernel writes it: two hexadecimal numbers.
    let device: String

    /// The number of the file on it.
    let inode: UInt64

    /// The path, as seen from here; what follows it, such as ` (deleted)`, belongs to it.
    let path: String

    /// The most bytes of a list that are read: the kernel allows 65,530 mappings by default.
    static let largestByteCount = 1 << 24

    /// The executable mappings of files in a list, each file once; `nil` when a line cannot be read.
    static func executable(in text: [UInt8]) -> [MemoryMapping]? {
        var mappings: [MemoryMapping] = []
        var seen: Set<MemoryMapping> = []
        for line in text.split(separator: UInt8(ascii: "\n")) {
            // Of the path only the line feeds are escaped; it may begin and end with blanks.
            let words = line.split(separator: UInt8(ascii: " "), maxSplits: 5, omittingEmptySubsequences: false)
            guard words.count >= 5, words[1].count == 4,
                let inode = String(validating: words[4], as: UTF8.self).flatMap({ UInt64($0) }),
                let device = String(validating: words[3], as: UTF8.self)
            else { return nil }
            guard words[1][words[1].startIndex + 2] == UInt8(ascii: "x"), inode != 0 else { continue }
            let padded = words.count > 5 ? words[5] : []
            guard let path = String(validating: padded.drop { $0 == UInt8(ascii: " ") }, as: UTF8.self) else {
                return nil
            }
            let mapping = MemoryMapping(device: device, inode: inode, path: unescaped(path))
            if seen.insert(mapping).inserted { mappings.append(mapping) }
        }
        return mappings
    }

    private static func unescaped(_ path: String) -> String {
        let parts = path.split(separator: "\\012", omittingEmptySubsequences: false)
        return parts.joined(separator: "\n")
    }
}

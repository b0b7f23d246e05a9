// SPDX-License-Identifier: Apache-2.0

/// The part of a full log to keep: the newest entries of each program, in equal shares.
///
/// So a program that requests much removes its own older entries, and not those of programs that request little.
enum AuditShares {
    /// Selects the lines to keep.
    ///
    /// - Parameters:
    ///   - lines: lines of files, without newlines, oldest first; invalid lines and copies are dropped.
    ///   - maximumBytes: the maximum number of bytes of all lines, with their newlines.
    /// - Returns: The lines, in their order.
    static func kept(of lines: [ArraySlice<UInt8>], maximumBytes: Int) -> [ArraySlice<UInt8>] {
        var seen: Set<Int> = []
        var found: [(line: ArraySlice<UInt8>, program: String)] = []
        for line in lines {
            guard let entry = NumberedAuditEntry(line: line),
                entry.number == 0 || seen.insert(entry.number).inserted
            else { continue }
            found.append((line, entry.entry.shareName))
        }
        // Each line is preceded by all that have fewer bytes of newer lines of their own program.
        var newerBytes: [String: Int] = [:]
        var order: [(newerBytes: Int, index: Int)] = []
        for (index, (line, program)) in found.enumerated().reversed() {
            order.append((newerBytes[program, default: 0], index))
            newerBytes[program, default: 0] += line.count + 1
        }
        order.sort { $0.newerBytes == $1.newerBytes ? $0.index > $1.index : $0.newerBytes < $1.newerBytes }
        var room = maximumBytes
        let kept = order.prefix {
            room -= found[$0.index].line.count + 1
            return room >= 0
        }
        return kept.map(\.index).sorted().map { found[$0].line }
    }
}

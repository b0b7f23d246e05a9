// SPDX-License-Identifier: Apache-2.0

/// The mappings of a process with pages of its own: those of `/proc/PID/smaps` (proc(5)) with anonymous or swapped
/// memory, among them private mappings of files that were written to.
///
/// It gives the same information as ``PageMap``, in less detail, and can be read by other users.
struct CopiedMappings: MemoryList, Sendable, Hashable {
    /// In ascending order.
    private var mappings: [Range<UInt64>] = []
    private var current: Range<UInt64>?
    /// Whether the anonymous memory of the current mapping is known.
    private var isCounted = true

    mutating func read(_ line: ArraySlice<UInt8>) -> Bool {
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 3)
        guard let first = words.first else { return false }
        if first.last != UInt8(ascii: ":") {
            guard isCounted, let addresses = MemoryMapping.addresses(first),
                addresses.lowerBound >= current?.upperBound ?? 0
            else { return false }
            current = addresses
            isCounted = false
            return true
        }
        let name = String(decoding: first.dropLast(), as: UTF8.self)
        guard name == "Anonymous" || name == "Swap" else { return true }
        guard let current, words.count == 3,
            let size = String(validating: words[1], as: UTF8.self).flatMap({ UInt64($0) })
        else { return false }
        if name == "Anonymous" { isCounted = true }
        if size > 0, mappings.last != current { mappings.append(current) }
        return true
    }

    var isComplete: Bool { current != nil && isCounted }

    /// Whether one of them is in a range.
    func overlap(_ addresses: Range<UInt64>) -> Bool {
        var (low, high) = (0, mappings.count)
        while low < high {
            let middle = (low + high) / 2
            if mappings[middle].upperBound <= addresses.lowerBound { low = middle + 1 } else { high = middle }
        }
        return low < mappings.count && mappings[low].overlaps(addresses)
    }
}

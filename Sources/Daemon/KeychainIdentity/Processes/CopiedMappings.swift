// SPDX-License-Identifier: Apache-2.0

/// The mappings of a process with pages of its own: those of `/proc/PID/smaps` (proc(5)) with anonymous or swapped
/// memory, among them private mappings of files that were written to.
///
/// It gives the same information as ``PageMap``, in less detail, and can be read by other users.
struct CopiedMappings: Sendable, Hashable {
    private var mappings: [Range<UInt64>] = []

    /// Reads a list; `nil` if it cannot be parsed.
    init?(text: [UInt8]) {
        var current: Range<UInt64>?
        var isCounted = true
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let words = line.split(separator: UInt8(ascii: " "))
            guard let first = words.first else { return nil }
            if first.last != UInt8(ascii: ":") {
                guard isCounted, let addresses = MemoryMapping.addresses(first) else { return nil }
                current = addresses
                isCounted = false
                continue
            }
            let name = String(decoding: first.dropLast(), as: UTF8.self)
            guard name == "Anonymous" || name == "Swap" else { continue }
            guard let current, words.count == 3,
                let size = String(validating: words[1], as: UTF8.self).flatMap({ UInt64($0) })
            else { return nil }
            if name == "Anonymous" { isCounted = true }
            if size > 0, mappings.last != current { mappings.append(current) }
        }
        guard current != nil, isCounted else { return nil }
    }

    /// Whether one of them is in a range.
    func overlap(_ addresses: Range<UInt64>) -> Bool { mappings.contains { $0.overlaps(addresses) } }
}

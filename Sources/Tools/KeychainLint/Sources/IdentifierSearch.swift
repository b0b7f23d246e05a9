// SPDX-License-Identifier: Apache-2.0

/// Looks for any of many names in the bytes of files, in a time that does not depend on how many there are.
struct IdentifierSearch: Sendable {
    private let names: Set<[UInt8]>
    private let lengths: ClosedRange<Int>

    init(_ names: Set<String>) {
        self.names = Set(names.map { Array($0.utf8) })
        let counts = self.names.map(\.count)
        lengths = (counts.min() ?? 0)...(counts.max() ?? 0)
    }

    /// Whether one of the names stands in a text as a word of its own.
    func isAnyFound(in text: [UInt8]) -> Bool {
        guard !names.isEmpty else { return false }
        var start = 0
        while start < text.count {
            guard Self.isNameByte(text[start]) else {
                start += 1
                continue
            }
            var end = start + 1
            while end < text.count, Self.isNameByte(text[end]) { end += 1 }
            if lengths.contains(end - start), names.contains(Array(text[start..<end])) { return true }
            start = end
        }
        return false
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }
}

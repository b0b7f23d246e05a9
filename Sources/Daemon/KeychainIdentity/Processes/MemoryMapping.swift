// SPDX-License-Identifier: Apache-2.0

/// A file whose code a process may execute.
struct MemoryMapping: Sendable, Hashable {
    /// The device, as the kernel writes it: two hexadecimal numbers.
    let device: String

    /// The number of the file on it.
    let inode: UInt64

    /// The path, as seen from here; what follows it, such as ` (deleted)`, belongs to it.
    let path: String

    /// A path as the list has it, in which line feeds are escaped.
    static func unescaped(_ path: String) -> String {
        let parts = path.split(separator: "\\012", omittingEmptySubsequences: false)
        return parts.joined(separator: "\n")
    }

    /// The addresses of a mapping, as the list has them: two hexadecimal numbers.
    static func addresses(_ word: ArraySlice<UInt8>) -> Range<UInt64>? {
        let numbers = word.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false).map { digits in
            String(validating: digits, as: UTF8.self).flatMap { UInt64($0, radix: 16) }
        }
        guard numbers.count == 2, let start = numbers[0], let end = numbers[1], start <= end else { return nil }
        return start..<end
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A keychain file in a backup, byte for byte: it stays sealed by its own password.
package struct BackedUpFile: Sendable, Hashable {
    /// Its path: one in the home folder begins with `~/`, any other is absolute.
    package let name: String

    /// The permission bits of its mode.
    package let mode: UInt16

    /// Its bytes.
    package let contents: SecretBytes

    /// A file.
    package init(name: String, mode: UInt16, contents: SecretBytes) {
        self.name = name
        self.mode = mode & 0o777
        self.contents = contents
    }

    /// The largest file, in bytes: 16 MiB.
    package static let largestByteCount = 16 << 20

    /// The largest sum of the files of a backup, in bytes: 32 MiB.
    package static let largestSum = 32 << 20

    /// The largest number of files of a backup.
    package static let maximumCount = 256

    /// The longest name, in bytes: that of a path (limits.h, `PATH_MAX`).
    package static let longestName = 4_096

    /// Why a backup cannot have the file; `nil` if it can.
    ///
    /// A name leads nowhere but to its place: it has neither empty parts, nor dots, nor a zero. The contents have the
    /// header of a keychain file (Documentation/Format.md, "Keychain files").
    package var objection: String? {
        guard name.utf8.count <= Self.longestName, Self.isName(name) else { return "its name is not that of a file" }
        guard contents.count <= Self.largestByteCount else {
            return "it has more than \(Self.largestByteCount) bytes"
        }
        return contents.withUnsafeBytes(Self.isKeychainFile) ? nil : "it is not a keychain file"
    }

    private static func isName(_ name: String) -> Bool {
        let rest = name.hasPrefix("~/") ? name.dropFirst(2) : name.hasPrefix("/") ? name.dropFirst() : ""
        let parts = rest.split(separator: "/", omittingEmptySubsequences: false)
        return !name.utf8.contains(0) && parts.allSatisfy { !["", ".", ".."].contains($0) }
    }

    /// The header of an SQLite database (sqlite.org/fileformat2.html, section 1.3) with the mark of our stores.
    private static func isKeychainFile(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= 100 else { return false }
        return bytes[..<16].elementsEqual("SQLite format 3\0".utf8) && bytes[68..<72].elementsEqual("SKCH".utf8)
    }
}

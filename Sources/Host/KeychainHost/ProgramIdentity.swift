// SPDX-License-Identifier: Apache-2.0

import KeychainSupport

/// The name in reverse DNS notation that a build has put into a program, such as `com.example.tool`.
///
/// It stays the same where the file of the program is renamed. It is in a note of the program
/// (Documentation/ShippingATool.md). Any program may have any identity: it says which items belong together, not who
/// may use them.
package struct ProgramIdentity: Hashable, Sendable {
    /// The name.
    package let name: String

    /// The maximum size, in bytes.
    package static let maximumByteCount = 255

    /// Creates an identity; `nil` if the name has not at least two labels of letters, digits and hyphens with periods
    /// between them, or is too long.
    package init?(_ name: some Sequence<UInt8>) {
        let bytes = Array(name)
        let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard bytes.count <= Self.maximumByteCount, labels.count > 1,
            labels.allSatisfy({ !$0.isEmpty && $0.allSatisfy(Self.isAllowed) })
        else { return nil }
        self.name = String(decoding: bytes, as: UTF8.self)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// The section of an executable for the note.
    package static let section = ".note.swift-keychain"

    /// The note (elf(5), "Notes"): the sizes of the owner's name and of the identity, the type 1, and both, each padded
    /// to four bytes.
    package var note: [UInt32] {
        let owner = Array("swift-keychain".utf8) + [0]
        return [UInt32(owner.count), UInt32(name.utf8.count), 1] + Self.words(owner) + Self.words(Array(name.utf8))
    }

    private static func words(_ bytes: [UInt8]) -> [UInt32] {
        stride(from: 0, to: bytes.count, by: 4).map { start in
            bytes[start...].prefix(4).enumerated().reduce(0) { $0 | UInt32($1.element) << UInt32(8 * $1.offset) }
        }
    }

    /// What the note of a program says.
    package enum Note: Hashable, Sendable {
        /// The program has none.
        case missing
        /// It has an identity.
        case identity(ProgramIdentity)
        /// It has one that is not an identity.
        case malformed
    }

    /// The note of this program.
    package static let current: Note = {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: maximumByteCount) { buffer in
            let count = Int(CSupport.programIdentity(buffer.baseAddress, buffer.count))
            guard count >= 0 else { return .missing }
            guard count <= buffer.count else { return .malformed }
            let bytes = UnsafeRawBufferPointer(UnsafeMutableRawBufferPointer(buffer)).prefix(count)
            return ProgramIdentity(bytes).map { .identity($0) } ?? .malformed
        }
    }()
}

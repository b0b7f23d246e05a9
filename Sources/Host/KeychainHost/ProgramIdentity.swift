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

    /// Creates an identity; `nil` for anything but a ``ReverseDNSName`` of at least two labels and at most
    /// ``maximumByteCount`` bytes.
    package init?(_ name: some Collection<UInt8>) {
        guard name.count <= Self.maximumByteCount, let count = ReverseDNSName.labelCount(name), count > 1 else {
            return nil
        }
        self.name = String(decoding: name, as: UTF8.self)
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

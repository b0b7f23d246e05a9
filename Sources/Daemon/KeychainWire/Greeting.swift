// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainHost

/// The first bytes of a program on a connection: the versions of the protocol that it supports.
///
/// Sixteen bytes whose layout never changes, so that programs and daemons of any two versions can report a mismatch:
/// eight that identify the protocol; the lowest and the highest version, two bytes each, big-endian; and four that are
/// zero, and are ignored.
package struct ClientGreeting: Sendable, Hashable {
    /// The lowest version that the program supports.
    package var lowestVersion: UInt16
    /// The highest version that it supports.
    package var highestVersion: UInt16

    /// Creates a greeting; for all versions of this program unless others are given.
    package init(_ versions: ClosedRange<UInt16> = ProtocolVersion.supported) {
        lowestVersion = versions.lowerBound
        highestVersion = versions.upperBound
    }

    /// The greeting as it is sent.
    package var bytes: [UInt8] { Greeting.bytes(lowestVersion, highestVersion, last: 0) }

    /// Reads a greeting.
    ///
    /// - Throws: ``WireError/truncated`` for another number of bytes, ``WireError/invalidValue`` for something else.
    package init(_ bytes: UnsafeRawBufferPointer) throws(WireError) {
        (lowestVersion, highestVersion, _) = try Greeting.numbers(bytes)
        guard lowestVersion > 0, lowestVersion <= highestVersion else { throw .invalidValue }
    }
}

/// The daemon's reply to a greeting, in the same layout; its last four bytes are the number of the folder that it
/// serves, or zero; without a common version, the lowest that it supports.
package struct ServerGreeting: Sendable, Hashable {
    /// The version that is used from now on; `nil` if none is supported by both.
    package var version: UInt16?
    /// The lowest version that the daemon supports; `nil` if it does not say, because there is a common one.
    package var lowestVersion: UInt16?
    /// The highest version that the daemon supports.
    package var highestVersion: UInt16
    /// Which folder it serves; `nil` for one that serves none, or many.
    package var folder: FolderNumber?

    /// The reply of a daemon to a greeting.
    package init(
        to greeting: ClientGreeting,
        _ versions: ClosedRange<UInt16> = ProtocolVersion.supported,
        folder: FolderNumber? = nil
    ) {
        let highest = min(greeting.highestVersion, versions.upperBound)
        version = highest >= max(greeting.lowestVersion, versions.lowerBound) ? highest : nil
        lowestVersion = version == nil ? versions.lowerBound : nil
        highestVersion = versions.upperBound
        self.folder = version == nil ? nil : folder
    }

    /// The reply of a daemon that ends a connection before a greeting: in the lowest version.
    ///
    /// A goodbye and a failure are the same in all versions.
    package static func beforeGreeting(
        _ versions: ClosedRange<UInt16> = ProtocolVersion.supported
    ) -> ServerGreeting {
        ServerGreeting(to: ClientGreeting(versions.lowerBound...versions.lowerBound), versions)
    }

    /// The reply as it is sent.
    package var bytes: [UInt8] {
        Greeting.bytes(version ?? 0, highestVersion, last: folder?.value ?? UInt32(lowestVersion ?? 0))
    }

    /// Reads a reply.
    ///
    /// - Throws: ``WireError/truncated`` for another number of bytes, ``WireError/invalidValue`` for something else.
    package init(_ bytes: UnsafeRawBufferPointer) throws(WireError) {
        let (chosen, highest, last) = try Greeting.numbers(bytes)
        guard chosen <= highest else { throw .invalidValue }
        version = chosen == 0 ? nil : chosen
        highestVersion = highest
        lowestVersion = chosen == 0 ? UInt16(exactly: last).flatMap { $0 > 0 && $0 <= highest ? $0 : nil } : nil
        folder = chosen == 0 ? nil : FolderNumber(value: last)
    }
}

/// The layout of both greetings.
package enum Greeting {
    /// The length of a greeting: 16 bytes.
    package static let byteCount = 16

    /// "swiftkc" and a byte that is invalid in UTF-8, so that no text is a greeting.
    private static let magic: [UInt8] = [0x73, 0x77, 0x69, 0x66, 0x74, 0x6b, 0x63, 0xff]

    static func bytes(_ first: UInt16, _ second: UInt16, last: UInt32) -> [UInt8] {
        let last = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: last >> $0) }
        return magic + [first, second].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] } + last
    }

    static func numbers(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> (UInt16, UInt16, UInt32) {
        guard bytes.count == byteCount else { throw .truncated }
        var reader = WireReader(bytes)
        guard try reader.bytes(magic.count).elementsEqual(magic) else { throw .invalidValue }
        return (try reader.number(), try reader.number(), try reader.number())
    }
}

/// The folder that a daemon serves, as both the daemon and its programs compute it.
///
/// It distinguishes a copy of a folder from the original, and is not secret: four bytes of the SHA-256 (FIPS 180-4) of
/// the folder's device and inode, and never zero.
package struct FolderNumber: Sendable, Hashable {
    let value: UInt32

    /// The number of a folder.
    package init(_ folder: FileIdentity) {
        value = max(1, SHA256.hash(data: Array(folder.text.utf8)).prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
    }

    /// A number that was received; `nil` for zero.
    init?(value: UInt32) {
        guard value != 0 else { return nil }
        self.value = value
    }
}

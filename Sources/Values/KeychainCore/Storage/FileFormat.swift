// SPDX-License-Identifier: Apache-2.0

/// The version of the files: stores, backups and keychain files (Documentation/Format.md, "Versions").
public enum FileFormat {
    /// The format; it counts up when what is sealed, or how, changes.
    public static let number: UInt8 = 3

    /// The format before that, whose rows a store keeps as they are until their keys are there.
    public static let formerNumber: UInt8 = 2

    /// The format of keybags, sealed keys, and everything else that keys are derived from: rows alone have another.
    public static let keyNumber: UInt8 = 2

    /// The revision of the tables within the format; it counts up when a migration of the tables is enough.
    public static let revision: UInt8 = 0

    /// The first revision whose programs can read what this one writes.
    public static let readerRevision: UInt8 = 0

    /// The first revision whose programs may change what this one writes.
    public static let writerRevision: UInt8 = 0

    /// Format and revision, as files record them: the format in the high byte, the revision in the low one.
    public static let version = UInt16(number) << 8 | UInt16(revision)

    /// The version of the format before.
    public static let formerVersion = UInt16(formerNumber) << 8

    /// The version that keybags record.
    public static let keybagVersion = UInt16(keyNumber) << 8

    /// A version as people write it: "2.0".
    public static func text(of version: some BinaryInteger) -> String { "\(version >> 8 & 0xFF).\(version & 0xFF)" }
}

/// What a file says of its version: which one it has, and since which revision of that format programs can read it and
/// may change it.
///
/// In `PRAGMA user_version`, from the highest byte to the lowest: the revision of readers, that of writers, the format,
/// the revision.
public struct FileVersion: Sendable, Hashable {
    /// Format and revision of the tables.
    public let version: UInt16

    /// The first revision whose programs can read the file.
    public let readerRevision: UInt8

    /// The first revision whose programs may change the file.
    public let writerRevision: UInt8

    /// What this program writes.
    public static let current = FileVersion(
        version: FileFormat.version,
        readerRevision: FileFormat.readerRevision,
        writerRevision: FileFormat.writerRevision
    )

    /// A version.
    public init(version: UInt16, readerRevision: UInt8, writerRevision: UInt8) {
        self.version = version
        self.readerRevision = readerRevision
        self.writerRevision = writerRevision
    }

    /// What a file has in `user_version`.
    public init(recorded: Int64) {
        version = UInt16(truncatingIfNeeded: recorded)
        writerRevision = UInt8(truncatingIfNeeded: recorded >> 16)
        readerRevision = UInt8(truncatingIfNeeded: recorded >> 24)
    }

    /// What a file has in `user_version`.
    public var recorded: Int64 { Int64(readerRevision) << 24 | Int64(writerRevision) << 16 | Int64(version) }

    /// Whether a program of another version, or of this one, can read the file as it is.
    public func canBeRead(by program: UInt16 = FileFormat.version) -> Bool {
        version >> 8 == program >> 8 && readerRevision <= UInt8(truncatingIfNeeded: program)
    }

    /// Whether a program of another version, or of this one, may change the file as it is.
    public func canBeChanged(by program: UInt16 = FileFormat.version) -> Bool {
        canBeRead(by: program) && writerRevision <= UInt8(truncatingIfNeeded: program)
    }
}

extension FileVersion: CustomStringConvertible {
    /// "3.2, to be read since 3.0 and changed since 3.1".
    public var description: String {
        func text(_ revision: UInt8) -> String { FileFormat.text(of: version & 0xFF00 | UInt16(revision)) }
        return "\(FileFormat.text(of: version)), to be read since \(text(readerRevision)) and changed since "
            + text(writerRevision)
    }
}

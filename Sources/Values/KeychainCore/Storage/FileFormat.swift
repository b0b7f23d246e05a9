// SPDX-License-Identifier: Apache-2.0

/// The version of the files: stores, backups and keychain files (Documentation/Format.md, "Versions").
package enum FileFormat {
    /// The format; it counts up when what is sealed, or how, changes.
    package static let number: UInt8 = 3

    /// The previous format, whose rows a store keeps unchanged until their keys are available.
    package static let formerNumber: UInt8 = 2

    /// The format of keybags, sealed keys, and all other key derivation inputs: only rows have another.
    package static let keyNumber: UInt8 = 2

    /// The revision of the format that this program knows; it counts up with a feature that earlier programs lack.
    ///
    /// A store gets a feature's revision when it begins to use the feature, and never because it is opened.
    package static let revision: UInt8 = 3

    /// Format and revision that this program knows, as files record them: the format in the high byte, the revision in
    /// the low one.
    package static let version = UInt16(number) << 8 | UInt16(revision)

    /// The first revision of the format, which files have that use no feature of a later one.
    package static let baseVersion = UInt16(number) << 8

    /// The version of the format before.
    package static let formerVersion = UInt16(formerNumber) << 8

    /// The version that keybags record.
    package static let keybagVersion = UInt16(keyNumber) << 8

    /// A version as people write it: "2.0".
    package static func text(of version: some BinaryInteger) -> String { "\(version >> 8 & 0xFF).\(version & 0xFF)" }
}

/// The version information of a file: its version, and the revisions of that format since which programs can read it
/// and may change it.
///
/// It is in `PRAGMA user_version`, from the highest byte to the lowest: the revision for readers, that for writers, the
/// format, the revision.
package struct FileVersion: Sendable, Hashable {
    /// Format and revision of the tables.
    package let version: UInt16

    /// The first revision whose programs can read the file.
    package let readerRevision: UInt8

    /// The first revision whose programs may change the file.
    package let writerRevision: UInt8

    /// The version of a file that uses no feature of a later revision.
    package static let base = FileVersion(revision: 0, readerRevision: 0, writerRevision: 0)

    /// A version.
    package init(version: UInt16, readerRevision: UInt8, writerRevision: UInt8) {
        self.version = version
        self.readerRevision = readerRevision
        self.writerRevision = writerRevision
    }

    /// A revision of this format.
    package init(revision: UInt8, readerRevision: UInt8, writerRevision: UInt8) {
        self.init(
            version: FileFormat.baseVersion | UInt16(revision),
            readerRevision: readerRevision,
            writerRevision: writerRevision
        )
    }

    /// The value of a file's `user_version`.
    package init(recorded: Int64) {
        version = UInt16(truncatingIfNeeded: recorded)
        writerRevision = UInt8(truncatingIfNeeded: recorded >> 16)
        readerRevision = UInt8(truncatingIfNeeded: recorded >> 24)
    }

    /// The revision of its format.
    package var revision: UInt8 { UInt8(truncatingIfNeeded: version) }

    /// The first version whose programs can read the file.
    package var readerVersion: UInt16 { version & 0xFF00 | UInt16(readerRevision) }

    /// The first version whose programs may change the file.
    package var writerVersion: UInt16 { version & 0xFF00 | UInt16(writerRevision) }

    /// The version as people write it: "3.1".
    package var text: String { FileFormat.text(of: version) }

    /// The version of a file that also uses a feature with these requirements.
    package func including(_ other: FileVersion) -> FileVersion {
        FileVersion(
            version: max(version, other.version),
            readerRevision: max(readerRevision, other.readerRevision),
            writerRevision: max(writerRevision, other.writerRevision)
        )
    }

    /// The value of a file's `user_version`.
    package var recorded: Int64 { Int64(readerRevision) << 24 | Int64(writerRevision) << 16 | Int64(version) }

    /// Whether a program of another version, or of this one, can read the file as it is.
    package func canBeRead(by program: UInt16 = FileFormat.version) -> Bool {
        version >> 8 == program >> 8 && readerRevision <= UInt8(truncatingIfNeeded: program)
    }

    /// Whether a program of another version, or of this one, may change the file as it is.
    package func canBeChanged(by program: UInt16 = FileFormat.version) -> Bool {
        canBeRead(by: program) && writerRevision <= UInt8(truncatingIfNeeded: program)
    }
}

extension FileVersion: CustomStringConvertible {
    /// "3.2, to be read since 3.0 and changed since 3.1".
    package var description: String {
        "\(text), to be read since \(FileFormat.text(of: readerVersion)) and changed since "
            + FileFormat.text(of: writerVersion)
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The version of the files: stores, backups and sealed keys (Documentation/Format.md, "Versions").
public enum FileFormat {
    /// The format; it counts up when what is sealed, or how, changes.
    public static let number: UInt8 = 2

    /// The revision of the tables within the format; it counts up when a migration of the tables is enough.
    public static let revision: UInt8 = 0

    /// Both, as files record them: the format in the high byte, the revision in the low one.
    public static let version = UInt16(number) << 8 | UInt16(revision)

    /// A version as people write it: "2.0".
    public static func text(of version: some BinaryInteger) -> String { "\(version >> 8).\(version & 0xFF)" }
}

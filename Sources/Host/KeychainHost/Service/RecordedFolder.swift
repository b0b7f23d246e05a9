// SPDX-License-Identifier: Apache-2.0

/// The folder for which a record was written: a copy of the folder has a copy of the record.
///
/// A folder is the same one if it is still at its path, as a home that was restored from a backup, or if it still has
/// its device and inode, as one that was moved. Device numbers may change with a restart of the host.
struct RecordedFolder: Hashable {
    private let identity: String
    private let path: String

    private static let keyword = "folder"

    /// The folder in its current state; `nil` if it does not exist any more.
    init?(_ folder: PrivateDirectory) {
        guard let identity = FileIdentity(path: folder.path) else { return nil }
        self.identity = identity.text
        // Records have lines.
        path = folder.path.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "%0A")
    }

    /// The folder that a line of a record names; `nil` for another line.
    init?(line: String) {
        let words = line.split(separator: " ", maxSplits: 2)
        guard words.count == 3, words[0] == Self.keyword else { return nil }
        (identity, path) = (String(words[1]), String(words[2]))
    }

    /// The line of a record.
    var line: String { "\(Self.keyword) \(identity) \(path)" }

    /// Whether it is the same folder.
    func isSame(as other: RecordedFolder) -> Bool { identity == other.identity || path == other.path }
}

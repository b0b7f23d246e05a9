// SPDX-License-Identifier: Apache-2.0

/// For which folder a record was written: a copy of the folder has a copy of the record.
///
/// A folder is the same one if it is still where it was, as a home that was put back from a backup, or if it still has
/// its device and inode, as one that was moved. Device numbers may be others after a restart of the host.
struct RecordedFolder: Hashable {
    private let identity: String
    private let path: String

    private static let keyword = "folder"

    /// The folder as it is now; `nil` where it is gone.
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

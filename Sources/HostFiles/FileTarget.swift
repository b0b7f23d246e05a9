// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Where a file is to be made that belongs to this user alone: in any folder that is there, such as that of a removable
/// disk.
public struct FileTarget: Sendable, Hashable {
    /// The folder.
    public let folder: PrivateDirectory

    /// The file's name in it.
    public let name: String

    /// SQLite takes 512 bytes, and until it is complete the file has a longer name.
    private static let longestPath = 440

    /// The place that a path leads to, which may be relative.
    ///
    /// - Throws: ``FileError`` when the folder is not there, or when the path names no file.
    public init(_ path: String) throws(FileError) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
        guard let name = parts.last, !path.hasSuffix("/"), ![".", ".."].contains(name) else {
            throw .unusablePath(path, "it names no file")
        }
        let parent = path.dropLast(name.count)
        self.name = name
        folder = try PrivateDirectory(shared: parent.isEmpty ? "." : String(parent))
        guard folder.path(of: name).utf8.count <= Self.longestPath else {
            throw .unusablePath(path, "it is longer than \(Self.longestPath) bytes")
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The location of a new file that belongs to this user alone.
///
/// It can be in any existing folder, such as that of a removable disk.
package struct FileTarget: Sendable, Hashable {
    /// The folder.
    package let folder: PrivateDirectory

    /// The file's name in it.
    package let name: String

    /// SQLite's limit is 512 bytes, and until it is complete the file has a longer name.
    private static let longestPath = 440

    /// The location for a path, which may be relative.
    ///
    /// - Throws: ``FileError`` if the folder does not exist, or if the path specifies no file.
    package init(_ path: String) throws(FileError) {
        guard let name = path.pathNames.last, path.utf8.last != UInt8(ascii: "/"), ![".", ".."].contains(name) else {
            throw .unusablePath(path, "it names no file")
        }
        let parent = path.utf8.dropLast(name.utf8.count)
        self.name = name
        folder = try PrivateDirectory(shared: parent.isEmpty ? "." : String(decoding: parent, as: UTF8.self))
        guard folder.path(of: name).utf8.count <= Self.longestPath else {
            throw .unusablePath(path, "it is longer than \(Self.longestPath) bytes")
        }
    }
}

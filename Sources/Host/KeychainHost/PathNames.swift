// SPDX-License-Identifier: Apache-2.0

/// Parts of paths, which are bytes to the kernel.
///
/// In Swift, a slash and a subsequent combining mark are one `Character`, which is not a slash: splitting a path into
/// characters gives different folders than those that the kernel enters.
extension StringProtocol {
    /// The names between the slashes, without empty ones.
    package var pathNames: [String] {
        utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The folder that an absolute path is in, also of one that ends with slashes: `/` for a name in the root folder.
    package var parentFolder: String { "/" + pathNames.dropLast().joined(separator: "/") }

    /// Whether it begins with a slash.
    package var isAbsolutePath: Bool { utf8.first == UInt8(ascii: "/") }
}

/// A path, or another name that is bytes to the kernel, as a key: it equals those of the same bytes alone.
///
/// Swift's strings equal those that are canonically equivalent (Unicode), such as a letter with an accent and the same
/// letter with a combining accent. A file system keeps such names apart.
package struct PathKey: Hashable, Sendable {
    /// The path.
    package let path: String

    /// The key of a path.
    package init(_ path: String) { self.path = path }

    /// Whether both have the same bytes.
    package static func == (left: PathKey, right: PathKey) -> Bool { left.path.utf8.elementsEqual(right.path.utf8) }

    /// Hashes the bytes.
    package func hash(into hasher: inout Hasher) {
        var path = path
        path.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension String {
    /// Whether this path has the bytes of another.
    package func isSamePath(as other: String?) -> Bool { other.map { PathKey(self) == PathKey($0) } ?? false }
}

extension Sequence<String> {
    /// Whether one of these paths has the bytes of another.
    package func containsPath(_ path: String) -> Bool { contains { $0.isSamePath(as: path) } }
}

extension String {
    /// The part before the last slash: `/` for a name in the root folder, empty for a name alone.
    package var folderOfPath: String {
        guard let end = utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        return end == utf8.startIndex ? "/" : String(decoding: utf8[..<end], as: UTF8.self)
    }
}

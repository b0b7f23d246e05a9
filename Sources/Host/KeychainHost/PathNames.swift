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

extension String {
    /// The part before the last slash: `/` for a name in the root folder, empty for a name alone.
    package var folderOfPath: String {
        guard let end = utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        return end == utf8.startIndex ? "/" : String(decoding: utf8[..<end], as: UTF8.self)
    }
}

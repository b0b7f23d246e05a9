// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost

/// Marks that the root key of a store is being replaced.
///
/// The mark is a file next to the store, which exists from before the next key is created until the previous one is
/// removed.
///
/// It holds one byte, the kind of the previous root key. If a process opens the store and finds the mark, but the lock
/// for replacing root keys is free, an earlier process was killed during a replacement.
struct ReplacementMark {
    static let fileName = "replacement.mark"

    private let folder: PrivateDirectory

    /// The mark of a folder.
    init(_ folder: PrivateDirectory) { self.folder = folder }

    /// Whether a replacement is under way, or was interrupted.
    var isThere: Bool { folder.isTaken(Self.fileName) }

    /// The kind of root key that the store had before; `nil` if there is no mark, or it is empty.
    var former: RootKeyKind? {
        let kind = try? folder.withContents(of: Self.fileName, limit: 2) { bytes in
            bytes.count == 1 ? RootKeyKind(rawValue: bytes[0]) : nil
        }
        return kind ?? nil
    }

    /// Makes the mark, durably.
    ///
    /// For the holder of the lock, who has settled what an earlier replacement left.
    func make(_ former: RootKeyKind) throws(FileError) {
        try withUnsafeBytes(of: former.rawValue) { (bytes) throws(FileError) in
            try folder.makeFile(Self.fileName, bytes)
        }
    }

    func remove() { folder.remove(Self.fileName) }
}

// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost

/// Marks that the root key of a store is being replaced: a file beside the store, which is there from before the next
/// key is made until the former one is removed.
///
/// It holds one byte, the kind of the former root key. A process that opens the store while the mark is there, and the
/// lock under which root keys are replaced is free, has found the remains of a process that was killed.
struct ReplacementMark {
    static let fileName = "replacement.mark"

    private let folder: PrivateDirectory

    /// The mark of a folder.
    init(_ folder: PrivateDirectory) { self.folder = folder }

    /// Whether a replacement is under way, or was interrupted.
    var isThere: Bool { folder.isTaken(Self.fileName) }

    /// The kind of root key that the store had before; `nil` if there is no mark, or it says nothing.
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

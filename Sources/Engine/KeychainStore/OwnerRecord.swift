// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainHost

/// What the store of a folder said of its owner when its files were as they are recorded: a file beside it, so that a
/// program knows the owner without opening the store.
///
/// The store stays the authority. Whatever changes it changes its file or its log, and the record does not count any
/// more; neither does it in a copy of the folder, where the file is another one.
package struct OwnerRecord: Sendable, Hashable {
    /// The name of the file.
    package static let fileName = "owner.record"

    private static let byteLimit = 256

    /// Whose the store was.
    package let owner: StoreOwner
    private let state: StoreState

    /// The record in a folder; `nil` if there is none, or the files of the store are not as they were.
    package init?(current folder: PrivateDirectory) {
        let text = try? folder.withContents(of: Self.fileName, limit: Self.byteLimit) {
            String(validating: $0, as: UTF8.self)
        }
        guard let text = text ?? nil, let state = StoreState(settled: folder) else { return nil }
        for owner in Self.owners where text == Self.text(owner, state) {
            self.owner = owner
            self.state = state
            return
        }
        return nil
    }

    /// What is to be recorded of a store whose owner was asked between two looks at its files; `nil` where they were
    /// changed meanwhile, or so recently that another change could go unnoticed.
    ///
    /// - Parameters:
    ///   - folder: the folder of the store.
    ///   - owner: asks the store.
    /// - Throws: What `owner` throws.
    package init?<Failure: Error>(
        in folder: PrivateDirectory,
        asking owner: () throws(Failure) -> StoreOwner
    ) throws(Failure) {
        guard let state = StoreState(settled: folder) else { return nil }
        self.owner = try owner()
        guard StoreState(settled: folder) == state else { return nil }
        self.state = state
    }

    /// Writes the record.
    package func write(in folder: PrivateDirectory) throws(FileError) {
        try Array(Self.text(owner, state).utf8).withUnsafeBufferPointer { (bytes) throws(FileError) in
            try folder.makeFile(Self.fileName, UnsafeRawBufferPointer(bytes))
        }
    }

    /// Removes it.
    package static func remove(in folder: PrivateDirectory) { folder.remove(fileName) }

    /// Those who keep a store of their own beside the user's, which they cannot look at.
    private static let owners: [StoreOwner] = [.system]

    private static func text(_ owner: StoreOwner, _ state: StoreState) -> String { "\(owner.name)\n\(state.text)\n" }
}

/// The files of a store with nothing in its log: which file it is, and when it was changed.
private struct StoreState: Sendable, Hashable {
    let text: String

    /// `nil` where there is something in the log, on a file system that several hosts see, and where the file was
    /// changed so recently that another change could have the same time.
    init?(settled folder: PrivateDirectory) {
        var status = stat()
        guard lstat(folder.path(of: Store.fileName), &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_nlink == 1, FileContentsMark(path: folder.path(of: Store.fileName + "-wal"))?.byteCount ?? 0 == 0,
            !folder.isTaken(Store.fileName + "-journal"), !folder.isTaken(StorePlace.sharedMark),
            SharedFileSystem.name(of: folder) == nil, FileTime(status.st_ctim).isPast
        else { return nil }
        // The device may have another number after a restart of the host.
        let numbers = [Int(status.st_ino), Int(status.st_size)]
        let times = [status.st_mtim, status.st_ctim].flatMap { [$0.tv_sec, $0.tv_nsec] }
        text = (numbers + times).map { "\($0)" }.joined(separator: ":")
    }
}

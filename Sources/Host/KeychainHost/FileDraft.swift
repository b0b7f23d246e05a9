// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A file that is written beside another one, and takes its name once it is complete.
///
/// Only its owner may read and write it meanwhile. Without ``publish()`` nothing of it stays.
public final class FileDraft {
    /// Where to write.
    public let descriptor: Int32

    /// The path of the file that it becomes, and its own, as strings of C: names need not be UTF-8.
    private let path: [CChar]
    private let temporary: [CChar]
    private var isPublished = false

    /// Makes an empty file under a random name in the folder of another one, which need not be there.
    public init(of path: UnsafePointer<CChar>) throws(FileError) {
        self.path = Array(UnsafeBufferPointer(start: path, count: strlen(path) + 1))
        var generator = SystemRandomNumberGenerator()
        let suffix = ".\(String(generator.next() as UInt64, radix: 36))\(Self.suffix)"
        temporary = self.path.dropLast() + suffix.utf8CString
        descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure("open", path) }
    }

    deinit {
        close(descriptor)
        if !isPublished { unlink(temporary) }
    }

    /// What the names of files end with that are not complete yet.
    static let suffix = ".new"

    /// Gives the file its mode and its name, in place of what has it, durably.
    ///
    /// - Throws: ``FileError``; what has the name is as it was then.
    public func publish(mode: mode_t = 0o600) throws(FileError) {
        try publish(mode: mode) { (temporary, path) throws(FileError) in
            guard rename(temporary, path) == 0 else { throw Self.failure("rename", path) }
        }
    }

    /// The same, where another function gives it the name.
    func publish(
        mode: mode_t,
        _ move: (_ temporary: UnsafePointer<CChar>, _ path: UnsafePointer<CChar>) throws(FileError) -> Void
    ) throws(FileError) {
        guard fchmod(descriptor, mode) == 0 else { throw Self.failure("fchmod", path) }
        guard fsync(descriptor) == 0 else { throw Self.failure("fsync", path) }
        try move(temporary, path)
        isPublished = true
        syncFolder()
    }

    /// Makes the new name durable; a file system that cannot sync folders has its names in order by itself.
    private func syncFolder() {
        let end = path.lastIndex(of: CChar(UInt8(ascii: "/")))
        let folder = end.map { path[...$0] + [0] } ?? [CChar(UInt8(ascii: ".")), 0]
        let descriptor = open(Array(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private static func failure(_ call: String, _ path: UnsafePointer<CChar>) -> FileError {
        let number = errno
        return .system(call: call, path: String(cString: path), errno: number)
    }
}

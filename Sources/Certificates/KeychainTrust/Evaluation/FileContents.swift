// SPDX-License-Identifier: Apache-2.0

import Glibc
package import KeychainHost

/// The contents of a file that is not secret.
package enum FileContents {
    /// Reads a whole file.
    ///
    /// - Throws: ``FileError`` if it cannot be read, is not a file, or has more bytes than `limit`.
    package static func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
        // A pipe would block the process.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(call: "open", path: path, errno: errno) }
        defer { close(descriptor) }
        return try read(descriptor, path: path, atMost: limit)
    }

    static func read(_ descriptor: Int32, path: String, atMost limit: Int) throws(FileError) -> [UInt8] {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .wrongKind(path: path, expected: "a file")
        }
        var contents: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system(call: "read", path: path, errno: errno) }
            if count == 0 { return contents }
            guard contents.count + count <= limit else {
                throw .system(call: "read", path: path, errno: EFBIG)
            }
            contents += chunk[..<count]
        }
    }
}

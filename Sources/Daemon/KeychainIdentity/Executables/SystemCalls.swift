// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The text of the system's error numbers.
enum SystemText {
    static func of(_ failure: Int32) -> String { String(cString: strerror(failure)) }
}

/// An open file, which is closed with the value.
struct Descriptor: ~Copyable {
    let number: Int32

    /// Takes over an open descriptor; `nil` for -1.
    init?(taking number: Int32) {
        guard number >= 0 else { return nil }
        self.number = number
    }

    /// Opens a file below a folder; `nil` with `errno` set.
    init?(_ name: String, below folder: Int32 = AT_FDCWD, _ flags: Int32) {
        self.init(taking: openat(folder, name, flags | O_CLOEXEC))
    }

    deinit { close(number) }

    /// O_PATH (open(2)), which Glibc does not expose to Swift: it requires no read permission, and opens no device or
    /// pipe.
    static let asPath: Int32 = 0o10_000_000

    /// The first bytes of the file, at most `limit`; `nil` with `errno` set.
    func contents(limit: Int) -> [UInt8]? {
        var contents: [UInt8] = []
        while contents.count < limit {
            guard let chunk = nextBytes(count: min(1 << 16, limit - contents.count)) else { return nil }
            if chunk.isEmpty { break }
            contents += chunk
        }
        return contents
    }

    /// The next bytes of the file, at most `count`; none at its end, and `nil` with `errno` set.
    func nextBytes(count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        while true {
            let size = read(number, &bytes, count)
            if size < 0, errno == EINTR { continue }
            return size >= 0 ? Array(bytes[..<size]) : nil
        }
    }

    /// Passes each line from here on to a closure, without its line feed, and keeps none of them.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of bytes.
    ///   - body: returns whether the line can be parsed.
    /// - Returns: Whether all of them were; `false` with `errno` set, to EFBIG for more bytes or a longer line than
    ///   32 KiB, and to EBADMSG for a line that cannot be parsed.
    func readLines(limit: Int, _ body: (ArraySlice<UInt8>) -> Bool) -> Bool {
        var byteCount = 0
        var rest: [UInt8] = []
        while true {
            guard let chunk = nextBytes(count: 1 << 16) else { return false }
            byteCount += chunk.count
            // More than a path whose bytes are all escaped.
            guard byteCount <= limit, rest.count <= 1 << 15 else {
                errno = EFBIG
                return false
            }
            rest += chunk
            let end = chunk.isEmpty ? rest.endIndex : rest.lastIndex(of: UInt8(ascii: "\n")) ?? rest.startIndex
            for line in rest[..<end].split(separator: UInt8(ascii: "\n")) {
                guard body(line) else {
                    errno = EBADMSG
                    return false
                }
            }
            rest.removeSubrange(..<end)
            if chunk.isEmpty { return true }
        }
    }

    /// As many bytes at an offset, or fewer at the end of the file; `nil` with `errno` set.
    func contents(at offset: UInt64, count: Int) -> [UInt8]? {
        guard let offset = off_t(exactly: offset) else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        let size = pread(number, &bytes, count, offset)
        return size >= 0 ? Array(bytes[..<size]) : nil
    }

    /// The result of fstat(2); `nil` with `errno` set.
    var status: stat? {
        var status = stat()
        return fstat(number, &status) == 0 ? status : nil
    }
}

/// The target of a symbolic link; `nil` with `errno` set.
func linkBytes(_ name: String, below folder: Int32) -> [UInt8]? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 64)
    let count = readlinkat(folder, name, &buffer, buffer.count)
    guard count >= 0, count < buffer.count else { return nil }
    return buffer[..<count].map { UInt8(bitPattern: $0) }
}

/// The same as text; `nil` also for what is not UTF-8.
func linkTarget(_ name: String, below folder: Int32) -> String? {
    linkBytes(name, below: folder).flatMap { String(validating: $0, as: UTF8.self) }
}

// SPDX-License-Identifier: Apache-2.0

import Crypto
import Glibc
import KeychainCore

/// The SHA-256 (FIPS 180-4) of a file.
package struct SHA256Value: Sendable, Hashable, CustomStringConvertible {
    private let bytes: [UInt8]

    /// 64 hexadecimal digits in lower case.
    package var description: String { bytes.hexadecimal }

    /// The value of 64 hexadecimal digits in lower case; `nil` for anything else.
    package init?(_ text: String) {
        guard text.utf8.count == 64, let bytes = [UInt8](hexadecimal: text), bytes.hexadecimal == text else {
            return nil
        }
        self.bytes = bytes
    }

    /// That of bytes in memory.
    init(of contents: [UInt8]) { bytes = Array(SHA256.hash(data: contents)) }

    /// That of the first bytes of an open file, at most `byteCount`; `nil` with `errno` set.
    ///
    /// A file that grows meanwhile is not followed to its end. `isVain` is called now and then; if it returns `true`,
    /// the result is `nil`, with `ECANCELED`.
    init?(ofFile descriptor: Int32, byteCount: Int, isVain: () -> Bool = { false }) {
        var hash = SHA256()
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 17, alignment: 16)
        defer { chunk.deallocate() }
        var offset = 0
        while offset < byteCount {
            guard !isVain() else {
                errno = ECANCELED
                return nil
            }
            let count = pread(descriptor, chunk.baseAddress, min(chunk.count, byteCount - offset), offset)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: chunk[..<count]))
            offset += count
        }
        bytes = Array(hash.finalize())
    }
}

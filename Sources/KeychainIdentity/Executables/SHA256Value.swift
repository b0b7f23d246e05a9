// SPDX-License-Identifier: Apache-2.0

import Crypto
import Glibc
import KeychainCore

/// The SHA-256 (FIPS 180-4) of a file.
public struct SHA256Value: Sendable, Hashable, CustomStringConvertible {
    private let bytes: [UInt8]

    /// 64 hexadecimal digits in lower case.
    public var description: String { bytes.hexadecimal }

    /// The value of 64 hexadecimal digits in lower case; `nil` for anything else.
    public init?(_ text: String) {
        let digits = Array(text.utf8)
        guard digits.count == 64 else { return nil }
        var bytes: [UInt8] = []
        for pair in stride(from: 0, to: 64, by: 2) {
            guard let high = Self.value(digits[pair]), let low = Self.value(digits[pair + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        self.bytes = bytes
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    /// That of bytes in memory.
    init(of contents: [UInt8]) { bytes = Array(SHA256.hash(data: contents)) }

    /// That of an open file, from its beginning; `nil` with `errno` set.
    init?(ofFile descriptor: Int32) {
        var hash = SHA256()
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 17, alignment: 16)
        defer { chunk.deallocate() }
        var offset = 0
        while true {
            let count = pread(descriptor, chunk.baseAddress, chunk.count, offset)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: chunk[..<count]))
            offset += count
        }
        bytes = Array(hash.finalize())
    }
}

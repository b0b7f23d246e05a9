// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation

/// The hash functions of the key algorithms, as a table; raw values are their names in the algorithms' strings.
package enum DigestAlgorithm: String, Sendable, Hashable, CaseIterable {
    case sha1 = "SHA1"
    case sha224 = "SHA224"
    case sha256 = "SHA256"
    case sha384 = "SHA384"
    case sha512 = "SHA512"

    /// The length of a digest in bytes.
    var count: Int {
        switch self {
        case .sha1: 20
        case .sha224: 28
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    /// The bytes before the digest in a `DigestInfo` (RFC 8017, section 9.2, note 1).
    var digestInfoPrefix: [UInt8] {
        switch self {
        case .sha1: [0x30, 0x21, 0x30, 0x09, 0x06, 0x05, 0x2B, 0x0E, 0x03, 0x02, 0x1A, 0x05, 0x00, 0x04, 0x14]
        case .sha224: Self.prefix(arc: 4, count)
        case .sha256: Self.prefix(arc: 1, count)
        case .sha384: Self.prefix(arc: 2, count)
        case .sha512: Self.prefix(arc: 3, count)
        }
    }

    /// The prefix of a function below the arc 2.16.840.1.101.3.4.2.
    private static func prefix(arc: UInt8, _ count: Int) -> [UInt8] {
        [
            0x30, UInt8(count + 17), 0x30, 0x0D, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, arc, 0x05,
            0x00,
        ]
            + [0x04, UInt8(count)]
    }

    /// The digest of the concatenated parts.
    package func digest(_ parts: UnsafeRawBufferPointer...) -> [UInt8] {
        switch self {
        case .sha1: Self.digest(Insecure.SHA1(), parts)
        case .sha224: Self.digest(SHA224(), parts)
        case .sha256: Self.digest(SHA256(), parts)
        case .sha384: Self.digest(SHA384(), parts)
        case .sha512: Self.digest(SHA512(), parts)
        }
    }

    private static func digest(_ function: some HashFunction, _ parts: [UnsafeRawBufferPointer]) -> [UInt8] {
        var function = function
        for part in parts { function.update(bufferPointer: part) }
        return function.finalize().withUnsafeBytes { Array($0) }
    }
}

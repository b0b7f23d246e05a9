// SPDX-License-Identifier: Apache-2.0

import Crypto

/// A digest computed elsewhere, of any length.
struct AnyDigest: Digest {
    // Only the interface asks for a length of the type; nothing here reads it.
    static let byteCount = 0

    let bytes: [UInt8]

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes(body)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

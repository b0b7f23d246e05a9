// SPDX-License-Identifier: Apache-2.0

import Crypto

/// A digest computed elsewhere, of any length; ECDSA takes its leftmost bits (FIPS 186-5, section 6.4.1).
package struct AnyDigest: Digest {
    // The protocol requires a length of the type, but nothing here uses it.
    package static let byteCount = 0

    package let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }

    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes(body)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

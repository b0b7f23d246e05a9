// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// EME-PKCS1-v1_5 (RFC 8017, section 7.2): 00 02, random bytes that are not zero, 00, and the message; for the keys
/// that the library does not support.
enum EMEPKCS1 {
    /// The minimum number of random bytes.
    private static let minimumPadding = 8

    /// - Throws: ``KeyError/parameter(_:)`` for a message that does not fit a block of `count` bytes.
    static func encode(_ message: UnsafeRawBufferPointer, count: Int) throws(KeyError) -> SecretBytes {
        guard message.count + 3 + minimumPadding <= count else { throw .parameter("the data is too long for the key") }
        var padding: [UInt8] = []
        let paddingCount = count - message.count - 3
        while padding.count < paddingCount {
            let random = SecretBytes(random: paddingCount - padding.count).unprotectedCopy
            padding += random.filter { $0 != 0 }
        }
        return SecretBytes(count: count) { block in
            block.copyBytes(from: [0, 2] + padding + [0])
            UnsafeMutableRawBufferPointer(rebasing: block.suffix(message.count)).copyMemory(from: message)
        }
    }

    /// The message of a block.
    ///
    /// All checks are performed regardless of each result, with a single outcome: Bleichenbacher's attack relies on
    /// knowing the defect of a block (RFC 8017, section 7.2.2).
    static func decode(_ block: SecretBytes) throws(KeyError) -> SecretBytes {
        guard block.count >= 3 + minimumPadding else { throw .decryptionFailed }
        return try block.withUnsafeBytes { (block) throws(KeyError) in
            var bad = block[0] | block[1] ^ 2
            // `before` is all ones up to the zero.
            var (before, length) = (0xFF as UInt8, 0)
            for (position, byte) in block.dropFirst(2).enumerated() {
                let isZero = byte.isZeroMask
                if position < minimumPadding { bad |= isZero }
                before &= ~isZero
                length += Int(~before & 1)
            }
            bad |= before
            guard bad == 0 else { throw .decryptionFailed }
            // The zero itself was counted.
            return SecretBytes(copying: UnsafeRawBufferPointer(rebasing: block.suffix(length - 1)))
        }
    }
}

extension UInt8 {
    /// All ones for 0, else 0, in constant time.
    var isZeroMask: UInt8 { UInt8(truncatingIfNeeded: (UInt16(self) &- 1) >> 8) }
}

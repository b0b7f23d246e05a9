// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The padding of a secret before sealing (Documentation/Format.md, "Padding"), which hides its exact length.
///
/// It is the byte 0x80 and then zeros (ISO/IEC 7816-4; NIST SP 800-38A, appendix A), up to the next length that has at
/// most five significant bits and is a multiple of 32.
enum SecretPadding {
    private static let mark: UInt8 = 0x80
    private static let leastStep = 32

    /// The length of a secret with its padding.
    static func paddedByteCount(_ count: Int) -> Int {
        let least = count + 1
        let highestBit = Int.bitWidth - 1 - least.leadingZeroBitCount
        let step = max(leastStep, 1 << (highestBit - 4))
        return (least + step - 1) / step * step
    }

    /// The secret and its padding.
    static func pad(_ secret: SecretBytes) -> SecretBytes {
        SecretBytes(count: paddedByteCount(secret.count)) { padded in
            secret.withUnsafeBytes { padded.copyMemory(from: $0) }
            padded[secret.count] = mark
        }
    }

    /// The secret without its padding; `nil` if the padding differs from that of ``pad(_:)``.
    static func content(of padded: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        var end = padded.count - 1
        while end >= 0, padded[end] == 0 { end -= 1 }
        guard end >= 0, padded[end] == mark, paddedByteCount(end) == padded.count else { return nil }
        return UnsafeRawBufferPointer(rebasing: padded[..<end])
    }
}

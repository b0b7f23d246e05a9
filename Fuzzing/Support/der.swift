// SPDX-License-Identifier: Apache-2.0

/// A value in DER (X.690), of fewer than 65,536 octets.
func derValue(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    let (high, low) = (UInt8(content.count >> 8), UInt8(content.count & 0xFF))
    let length = high > 0 ? [0x82, high, low] : low >= 0x80 ? [0x81, low] : [low]
    return [tag] + length + content
}

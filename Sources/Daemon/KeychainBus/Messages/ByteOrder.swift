// SPDX-License-Identifier: Apache-2.0

/// The order of the bytes of numbers in a message, which its first byte says.
package enum ByteOrder: UInt8, Sendable, Hashable {
    /// The least significant byte comes first.
    case little = 0x6C
    /// The most significant byte comes first.
    case big = 0x42
}

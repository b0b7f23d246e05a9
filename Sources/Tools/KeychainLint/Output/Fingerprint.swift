// SPDX-License-Identifier: Apache-2.0

/// A name for a finding that does not change when lines move.
enum Fingerprint {
    /// FNV-1a with 64 bits: for naming, not for security.
    static func of(_ parts: [String]) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for part in parts {
            for byte in part.utf8 + [0] {
                hash ^= UInt64(byte)
                hash = hash &* 0x100_0000_01b3
            }
        }
        let text = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}

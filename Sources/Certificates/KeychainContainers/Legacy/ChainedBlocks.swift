// SPDX-License-Identifier: Apache-2.0

/// Cipher block chaining (SP 800-38A, section 6.2) with blocks of 64 bits, as in the ciphers of old files.
enum ChainedBlocks {
    /// Decrypts whole blocks.
    static func decrypt(
        _ bytes: ArraySlice<UInt8>,
        initializationVector: [UInt8],
        _ block: (UInt64) -> UInt64
    ) -> [UInt8] {
        var previous = word(initializationVector[...])
        var plain: [UInt8] = []
        plain.reserveCapacity(bytes.count)
        for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: 8) {
            let encrypted = word(bytes[start..<start + 8])
            let decrypted = block(encrypted) ^ previous
            for shift in stride(from: 56, through: 0, by: -8) {
                plain.append(UInt8(truncatingIfNeeded: decrypted >> UInt64(shift)))
            }
            previous = encrypted
        }
        return plain
    }

    /// Encrypts whole blocks.
    static func encrypt(
        _ bytes: [UInt8],
        initializationVector: [UInt8],
        _ block: (UInt64) -> UInt64
    ) -> [UInt8] {
        var previous = word(initializationVector[...])
        var encrypted: [UInt8] = []
        encrypted.reserveCapacity(bytes.count)
        for start in stride(from: 0, to: bytes.count, by: 8) {
            previous = block(word(bytes[start..<start + 8]) ^ previous)
            for shift in stride(from: 56, through: 0, by: -8) {
                encrypted.append(UInt8(truncatingIfNeeded: previous >> UInt64(shift)))
            }
        }
        return encrypted
    }

    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}

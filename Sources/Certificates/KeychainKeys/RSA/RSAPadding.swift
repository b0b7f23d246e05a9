// SPDX-License-Identifier: Apache-2.0

extension DigestAlgorithm {
    /// Applies the mask that MGF1 makes of a seed (RFC 8017, section B.2.1).
    func mask(_ bytes: UnsafeMutableRawBufferPointer, with seed: UnsafeRawBufferPointer) {
        for (counter, start) in stride(from: 0, to: bytes.count, by: count).enumerated() {
            let mask = withUnsafeBytes(of: UInt32(counter).bigEndian) { digest(seed, $0) }
            for (index, byte) in zip(start..<bytes.count, mask) { bytes[index] ^= byte }
        }
    }
}

/// EMSA-PKCS1-v1_5 (RFC 8017, section 9.2): 00 01 FF … FF 00, then the digest with its function, or bytes alone.
struct EMSAPKCS1 {
    /// The function that a `DigestInfo` names; without one the bytes stand alone, as in TLS 1.0.
    let digest: DigestAlgorithm?

    /// - Throws: ``KeyError/parameter(_:)`` when there is no room for the bytes in a block of `count` bytes.
    func encode(_ bytes: [UInt8], count: Int) throws(KeyError) -> [UInt8] {
        let content = (digest?.digestInfoPrefix ?? []) + bytes
        guard content.count + 11 <= count else { throw .parameter("the data is too long for the key") }
        return [0, 1] + Array(repeating: 0xFF, count: count - content.count - 3) + [0] + content
    }
}

// SPDX-License-Identifier: Apache-2.0

extension DigestAlgorithm {
    /// Applies the mask that MGF1 generates from a seed (RFC 8017, section B.2.1).
    func mask(_ bytes: UnsafeMutableRawBufferPointer, with seed: UnsafeRawBufferPointer) {
        for (counter, start) in stride(from: 0, to: bytes.count, by: count).enumerated() {
            let mask = withUnsafeBytes(of: UInt32(counter).bigEndian) { digest(seed, $0) }
            for (index, byte) in zip(start..<bytes.count, mask) { bytes[index] ^= byte }
        }
    }
}

/// EMSA-PKCS1-v1_5 (RFC 8017, section 9.2): 00 01 FF … FF 00, then the digest with its function, or only bytes.
struct EMSAPKCS1 {
    /// The function in the `DigestInfo`; without one there is no `DigestInfo`, as in TLS 1.0.
    let digest: DigestAlgorithm?

    /// - Throws: ``KeyError/parameter(_:)`` if the bytes do not fit in a block of `count` bytes.
    func encode(_ bytes: [UInt8], count: Int) throws(KeyError) -> [UInt8] {
        let content = (digest?.digestInfoPrefix ?? []) + bytes
        guard content.count + 11 <= count else { throw .parameter("the data is too long for the key") }
        return [0, 1] + Array(repeating: 0xFF, count: count - content.count - 3) + [0] + content
    }
}

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

// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The key derivation function of ANSI X9.63 (SEC 1, section 3.6.1): digests of the secret, a counter and the shared
/// information, one after the other.
struct X963KeyDerivation {
    /// The maximum output; Apple specifies no limit except that of the counter, which exceeds any memory.
    static let maximum = 1 << 20

    let digest: DigestAlgorithm

    /// Derives `count` bytes.
    func key(_ secret: SecretBytes, _ sharedInfo: [UInt8], count: Int) throws(KeyError) -> SecretBytes {
        guard (0...Self.maximum).contains(count) else { throw .parameter("the requested size is not possible") }
        return SecretBytes(count: count) { buffer in
            secret.withUnsafeBytes { secret in
                sharedInfo.withUnsafeBytes { sharedInfo in
                    for (counter, start) in stride(from: 0, to: count, by: digest.count).enumerated() {
                        let bytes = withUnsafeBytes(of: UInt32(counter + 1).bigEndian) { counter in
                            digest.digest(secret, counter, sharedInfo)
                        }
                        let part = UnsafeMutableRawBufferPointer(rebasing: buffer[start...].prefix(digest.count))
                        part.copyBytes(from: bytes.prefix(part.count))
                    }
                }
            }
        }
    }
}

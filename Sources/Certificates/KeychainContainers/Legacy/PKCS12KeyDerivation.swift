// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials

/// The key derivation of PKCS #12 (RFC 7292, appendix B.2).
///
/// It is needed to read files, and for the integrity of new ones, for which most programs support nothing else. The
/// encryption keys of new files come from PBKDF2, unless a caller requests ``ContainerEncryption/tripleDES``.
enum PKCS12KeyDerivation {
    /// The purpose of the bytes: the ID byte of appendix B.3.
    enum Purpose: UInt8 {
        case encryptionKey = 1
        case initializationVector = 2
        case integrityKey = 3
    }

    /// Derives bytes from a password in its UTF-16 form with the terminating zero.
    static func derive<Hash: HashFunction>(
        _ purpose: Purpose,
        _ hash: Hash.Type,
        password: [UInt8],
        salt: ArraySlice<UInt8>,
        iterations: Int,
        byteCount: Int
    ) -> [UInt8] {
        let block = Hash.blockByteCount
        let diversifier = [UInt8](repeating: purpose.rawValue, count: block)
        var input = filled(salt, block) + filled(password[...], block)
        defer { input.wipe() }
        var output: [UInt8] = []
        while output.count < byteCount {
            var digest = Array(Hash.hash(data: diversifier + input))
            defer { digest.wipe() }
            for _ in 1..<max(iterations, 1) {
                var hasher = Hash()
                digest.withUnsafeBytes { hasher.update(bufferPointer: $0) }
                hasher.finalize().withUnsafeBytes { next in digest.withUnsafeMutableBytes { $0.copyMemory(from: next) }
                }
            }
            output += digest
            if output.count < byteCount { add(digest, to: &input, block) }
        }
        return Array(output.prefix(byteCount))
    }

    /// The bytes, repeated to a multiple of the block size; empty for none.
    private static func filled(_ bytes: ArraySlice<UInt8>, _ block: Int) -> [UInt8] {
        guard !bytes.isEmpty else { return [] }
        let count = (bytes.count + block - 1) / block * block
        return (0..<count).map { bytes[bytes.startIndex + $0 % bytes.count] }
    }

    /// Adds the digest, repeated to a block, and one to each block of the input, as big-endian numbers.
    private static func add(_ digest: [UInt8], to input: inout [UInt8], _ block: Int) {
        for start in stride(from: 0, to: input.count, by: block) {
            var carry = 1
            for index in stride(from: block - 1, through: 0, by: -1) {
                let sum = Int(input[start + index]) + Int(digest[index % digest.count]) + carry
                input[start + index] = UInt8(truncatingIfNeeded: sum)
                carry = sum >> 8
            }
        }
    }
}

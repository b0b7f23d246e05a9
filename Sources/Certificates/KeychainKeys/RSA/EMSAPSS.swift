// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// EMSA-PSS (RFC 8017, section 9.1), with one digest function for the message and the mask.
struct EMSAPSS {
    let digest: DigestAlgorithm

    /// The length of the salt in bytes.
    private let saltCount: Int

    /// An encoding.
    ///
    /// - Parameters:
    ///   - digest: the digest function.
    ///   - saltCount: the length of the salt in bytes; that of the digest if `nil`.
    init(digest: DigestAlgorithm, saltCount: Int? = nil) {
        self.digest = digest
        self.saltCount = saltCount ?? digest.count
    }

    /// An encoded message with the length of a modulus of `bits` bits, and a new salt.
    func encode(_ bytes: [UInt8], bits: Int) throws(KeyError) -> [UInt8] {
        let count = (bits + 6) / 8
        guard digest.count + saltCount + 2 <= count else { throw .parameter("the key is too small for the padding") }
        let salt = SecretBytes(random: saltCount).unprotectedCopy
        let check = self.check(bytes, salt)
        var block = Array(repeating: 0 as UInt8, count: count - digest.count - 1 - saltCount - 1) + [1] + salt
        block.withUnsafeMutableBytes { block in check.withUnsafeBytes { digest.mask(block, with: $0) } }
        block[0] &= firstMask(bits)
        return Array(repeating: 0, count: (bits + 7) / 8 - count) + block + check + [0xBC]
    }

    /// Whether an encoded message, with the length of the modulus, matches the digest.
    func isValid(_ encoded: [UInt8], for bytes: [UInt8], bits: Int) -> Bool {
        let count = (bits + 6) / 8
        let (extra, message) = (encoded.dropLast(count), encoded.suffix(count))
        let blockCount = count - digest.count - 1
        guard extra.allSatisfy({ $0 == 0 }), message.last == 0xBC, blockCount >= saltCount + 1 else { return false }
        var block = Array(message.prefix(blockCount))
        let check = Array(message.dropFirst(blockCount).dropLast())
        guard block[0] & ~firstMask(bits) == 0 else { return false }
        block.withUnsafeMutableBytes { block in check.withUnsafeBytes { digest.mask(block, with: $0) } }
        block[0] &= firstMask(bits)
        let padding = block.dropLast(saltCount)
        guard padding.last == 1, padding.dropLast().allSatisfy({ $0 == 0 }) else { return false }
        return self.check(bytes, Array(block.suffix(saltCount))) == check
    }

    /// H: the digest of eight zeros, the message's digest and the salt.
    private func check(_ bytes: [UInt8], _ salt: [UInt8]) -> [UInt8] {
        (Array(repeating: 0, count: 8) + bytes + salt).withUnsafeBytes { digest.digest($0) }
    }

    /// The bits of the first byte that are below the highest bit of the modulus.
    private func firstMask(_ bits: Int) -> UInt8 { 0xFF >> UInt8(8 * ((bits + 6) / 8) - (bits - 1)) }
}

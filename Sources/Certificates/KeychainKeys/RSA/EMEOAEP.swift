// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// EME-OAEP (RFC 8017, section 7.1) without a label, with one digest function throughout: for digest functions and keys
/// that the library does not support.
struct EMEOAEP {
    let digest: DigestAlgorithm

    /// - Throws: ``KeyError/parameter(_:)`` for a message that does not fit a block of `count` bytes.
    func encode(_ message: UnsafeRawBufferPointer, count: Int) throws(KeyError) -> SecretBytes {
        guard message.count + 2 * digest.count + 2 <= count else {
            throw .parameter("the data is too long for the key")
        }
        let random = SecretBytes(random: digest.count)
        return SecretBytes(count: count) { block in
            let (seed, content) = parts(block)
            random.withUnsafeBytes { seed.copyMemory(from: $0) }
            content.copyBytes(from: digest.digest())
            content[content.count - message.count - 1] = 1
            UnsafeMutableRawBufferPointer(rebasing: content.suffix(message.count)).copyMemory(from: message)
            digest.mask(content, with: UnsafeRawBufferPointer(seed))
            digest.mask(seed, with: UnsafeRawBufferPointer(content))
        }
    }

    /// The message of a block.
    ///
    /// All checks are performed regardless of each result, with a single outcome: Manger's attack relies on knowing the
    /// defect of a block (RFC 8017, section 7.1.2).
    func decode(_ block: SecretBytes) throws(KeyError) -> SecretBytes {
        guard block.count >= 2 * digest.count + 2 else { throw .decryptionFailed }
        let label = digest.digest()
        var (bad, length) = (0 as UInt8, 0)
        let copy = SecretBytes(count: block.count) { copy in
            block.withUnsafeBytes { copy.copyMemory(from: $0) }
            let (seed, content) = parts(copy)
            digest.mask(seed, with: UnsafeRawBufferPointer(content))
            digest.mask(content, with: UnsafeRawBufferPointer(seed))
            bad = copy[0]
            for (byte, expected) in zip(content, label) { bad |= byte ^ expected }
            // The digest of the label is followed by zeros, a one, and the message. `before` is all ones up to the one.
            var before: UInt8 = 0xFF
            for byte in content[label.count...] {
                let isOne = (byte ^ 1).isZeroMask
                bad |= before & ~isOne & byte
                before &= ~isOne
                length += Int(~before & 1)
            }
            bad |= before
        }
        guard bad == 0 else { throw .decryptionFailed }
        // The one itself was counted.
        return copy.withUnsafeBytes { SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0.suffix(length - 1))) }
    }

    /// The masked seed and the masked data block, after a zero.
    private func parts(
        _ block: UnsafeMutableRawBufferPointer
    ) -> (seed: UnsafeMutableRawBufferPointer, content: UnsafeMutableRawBufferPointer) {
        (
            UnsafeMutableRawBufferPointer(rebasing: block[1...digest.count]),
            UnsafeMutableRawBufferPointer(rebasing: block[(1 + digest.count)...])
        )
    }
}

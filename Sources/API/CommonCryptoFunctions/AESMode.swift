// SPDX-License-Identifier: Apache-2.0

import CommonCrypto
import Crypto
import CryptoExtras
import Foundation
import Glibc

/// A mode of operation of AES (SP 800-38A) and how far it has come in a message.
enum AESMode {
    /// Each block separately (section 6.1).
    case electronicCodebook

    /// With the previous block of ciphertext (section 6.2).
    case cipherBlockChaining(previous: [UInt8])

    /// With the counter block of the next byte, and how many bytes of its key stream are spent (section 6.5).
    case counter(block: [UInt8], spent: Int)

    static let blockByteCount = kCCBlockSizeAES128

    /// The mode of a number, with its initialization vector.
    init?(_ mode: Int, initializationVector: UnsafeRawPointer?) {
        let vector =
            initializationVector.map { Array(UnsafeRawBufferPointer(start: $0, count: Self.blockByteCount)) }
            ?? Array(repeating: 0, count: Self.blockByteCount)
        switch mode {
        case kCCModeECB: self = .electronicCodebook
        case kCCModeCBC: self = .cipherBlockChaining(previous: vector)
        case kCCModeCTR: self = .counter(block: vector, spent: 0)
        default: return nil
        }
    }

    /// Whether it processes bytes, not blocks.
    var isStream: Bool {
        if case .counter = self { true } else { false }
    }

    /// Transforms the input, whole blocks unless it is a stream mode, and continues the message.
    mutating func transform(_ input: [UInt8], using key: SymmetricKey, encrypts: Bool) throws -> [UInt8] {
        guard !input.isEmpty else { return [] }
        switch self {
        case .electronicCodebook:
            var output = input
            for start in stride(from: 0, to: output.count, by: Self.blockByteCount) {
                if encrypts {
                    try AES.permute(&output[start..<start + Self.blockByteCount], key: key)
                } else {
                    try AES.inversePermute(&output[start..<start + Self.blockByteCount], key: key)
                }
            }
            return output
        case .cipherBlockChaining(let previous):
            let vector = try AES._CBC.IV(ivBytes: previous)
            var output =
                encrypts
                ? try AES._CBC.encrypt(input, using: key, iv: vector, noPadding: true)
                : try AES._CBC.decrypt(input, using: key, iv: vector, noPadding: true)
            let ciphertext = encrypts ? Array(output.suffix(Self.blockByteCount)) : input.suffix(Self.blockByteCount)
            self = .cipherBlockChaining(previous: Array(ciphertext))
            return output.takeBytes()
        case .counter(let block, let spent):
            var shifted = [UInt8](repeating: 0, count: spent) + input
            defer { shifted.wipe() }
            var output = try AES._CTR.encrypt(shifted, using: key, nonce: AES._CTR.Nonce(nonceBytes: block))
            let next = Self.counter(block, advancedBy: shifted.count / Self.blockByteCount)
            self = .counter(block: next, spent: shifted.count % Self.blockByteCount)
            var all = output.takeBytes()
            defer { all.wipe() }
            return Array(all.dropFirst(spent))
        }
    }

    /// A counter block as a number of 128 bits, the first byte the most significant.
    private static func counter(_ block: [UInt8], advancedBy count: Int) -> [UInt8] {
        let number = block.reduce(0 as UInt128) { $0 << 8 | UInt128($1) } &+ UInt128(count)
        return (0..<blockByteCount).map { UInt8(truncatingIfNeeded: number >> UInt128(120 - 8 * $0)) }
    }
}

extension [UInt8] {
    /// Overwrites the bytes; in place if nothing else references the array.
    mutating func wipe() {
        withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            explicit_bzero(start, bytes.count)
        }
    }
}

extension Data {
    /// Moves the bytes out, and overwrites what is left.
    fileprivate mutating func takeBytes() -> [UInt8] {
        let bytes = Array(self)
        withUnsafeMutableBytes { rest in
            guard let start = rest.baseAddress else { return }
            explicit_bzero(start, rest.count)
        }
        return bytes
    }
}

// SPDX-License-Identifier: Apache-2.0

import Crypto

/// SHA-224 (FIPS 180-4, section 6.3), which swift-crypto lacks: SHA-256 with other initial values, truncated to 28
/// bytes.
struct SHA224: HashFunction {
    static var blockByteCount: Int { 64 }

    private var state: [UInt32] = [
        0xc105_9ed8, 0x367c_d507, 0x3070_dd17, 0xf70e_5939, 0xffc0_0b31, 0x6858_1511, 0x64f9_8fa7, 0xbefa_4fa4,
    ]
    private var block: [UInt8] = []
    private var count: UInt64 = 0

    init() { block.reserveCapacity(Self.blockByteCount) }

    mutating func update(bufferPointer: UnsafeRawBufferPointer) {
        count += UInt64(bufferPointer.count)
        var rest = bufferPointer[...]
        if !block.isEmpty {
            let missing = rest.prefix(Self.blockByteCount - block.count)
            block += missing
            rest = rest.dropFirst(missing.count)
            guard block.count == Self.blockByteCount else { return }
            block.withUnsafeBytes { Self.compress($0, &state) }
            block.removeAll(keepingCapacity: true)
        }
        while rest.count >= Self.blockByteCount {
            Self.compress(UnsafeRawBufferPointer(rebasing: rest.prefix(Self.blockByteCount)), &state)
            rest = rest.dropFirst(Self.blockByteCount)
        }
        block += rest
    }

    func finalize() -> SHA224Digest {
        var last = self
        let bits = count << 3
        // One bit, then zeros up to eight bytes before the end of a block, then the length.
        let zeros = (Self.blockByteCount * 2 - 9 - block.count) % Self.blockByteCount
        let length = (0..<8).map { UInt8(truncatingIfNeeded: bits >> UInt64(56 - 8 * $0)) }
        let padding = [0x80] + Array(repeating: 0, count: zeros) + length
        padding.withUnsafeBytes { last.update(bufferPointer: $0) }
        return SHA224Digest(
            bytes: last.state.prefix(7).flatMap { word in
                [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
            }
        )
    }

    /// One block (FIPS 180-4, section 6.2.2).
    private static func compress(_ block: UnsafeRawBufferPointer, _ state: inout [UInt32]) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
            for index in 0..<16 {
                schedule[index] = block.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self).bigEndian
            }
            for index in 16..<64 {
                let (early, late) = (schedule[index - 15], schedule[index - 2])
                let small = early.rotated(7) ^ early.rotated(18) ^ early >> 3
                let large = late.rotated(17) ^ late.rotated(19) ^ late >> 10
                schedule[index] = schedule[index - 16] &+ small &+ schedule[index - 7] &+ large
            }
            var (a, b, c, d) = (state[0], state[1], state[2], state[3])
            var (e, f, g, h) = (state[4], state[5], state[6], state[7])
            for index in 0..<64 {
                let choice = (e & f) ^ (~e & g)
                let first =
                    h &+ (e.rotated(6) ^ e.rotated(11) ^ e.rotated(25)) &+ choice &+ constants[index] &+ schedule[index]
                let majority = (a & b) ^ (a & c) ^ (b & c)
                let second = (a.rotated(2) ^ a.rotated(13) ^ a.rotated(22)) &+ majority
                (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
            }
            for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
            schedule.initialize(repeating: 0)
        }
    }

    /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (section 4.2.2).
    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}

/// The SHA-224 digest of a message.
struct SHA224Digest: Digest {
    static var byteCount: Int { 28 }

    let bytes: [UInt8]

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes(body)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

extension UInt32 {
    /// Rotated to the right.
    fileprivate func rotated(_ bits: UInt32) -> UInt32 { self >> bits | self << (32 - bits) }
}

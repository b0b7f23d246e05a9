// SPDX-License-Identifier: Apache-2.0

/// The Triple Data Encryption Algorithm (SP 800-67, on the DES of FIPS 46-3).
///
/// It is needed to read old files, and to write files for programs that can read no others, if a caller requests that
/// (``ContainerEncryption/tripleDES``). Its table lookups depend on secret bits, so their time depends on caches.
struct TripleDES {
    private let keys: [[UInt64]]

    /// A cipher with a key of 24 bytes, or of 16, of which the first 8 are used twice; parity bits are ignored.
    init(key: [UInt8]) {
        let parts = stride(from: 0, to: key.count, by: 8).map { start in
            Self.roundKeys(key[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) })
        }
        keys = [parts[0], parts[1], parts.count > 2 ? parts[2] : parts[0]]
    }

    /// Encrypts one block, whose first byte is the most significant.
    func encrypt(_ block: UInt64) -> UInt64 {
        let inner = Self.transform(block, keys[0])
        let middle = Self.transform(inner, keys[1].reversed())
        return Self.transform(middle, keys[2])
    }

    /// Decrypts one block, whose first byte is the most significant.
    func decrypt(_ block: UInt64) -> UInt64 {
        let outer = Self.transform(block, keys[2].reversed())
        let middle = Self.transform(outer, keys[1])
        return Self.transform(middle, keys[0].reversed())
    }

    /// DES: encryption with the round keys in their order, decryption with them reversed.
    private static func transform(_ block: UInt64, _ roundKeys: [UInt64]) -> UInt64 {
        let permuted = permute(block, width: 64, by: initialPermutation)
        var left = UInt32(truncatingIfNeeded: permuted >> 32)
        var right = UInt32(truncatingIfNeeded: permuted)
        for key in roundKeys { (left, right) = (right, left ^ round(right, key)) }
        return permute(UInt64(right) << 32 | UInt64(left), width: 64, by: finalPermutation)
    }

    private static func round(_ half: UInt32, _ key: UInt64) -> UInt32 {
        // Six bits at a time: each group includes the adjacent bits of its neighbours.
        var result: UInt32 = 0
        for box in 0..<8 {
            let distance = UInt32((27 + 32 - 4 * box) % 32)
            let rotated = half >> distance | (distance == 0 ? 0 : half << (32 - distance))
            let index = Int(rotated & 0x3F) ^ Int(key >> UInt64(42 - 6 * box) & 0x3F)
            result |= substitutions[box][index]
        }
        return result
    }

    private static func roundKeys(_ key: UInt64) -> [UInt64] {
        let chosen = permute(key, width: 64, by: keyChoice)
        var left = UInt32(chosen >> 28)
        var right = UInt32(chosen & 0xFFF_FFFF)
        return rotations.map { count in
            left = rotate(left, count)
            right = rotate(right, count)
            return permute(UInt64(left) << 28 | UInt64(right), width: 56, by: roundKeyChoice)
        }
    }

    private static func rotate(_ half: UInt32, _ count: UInt32) -> UInt32 {
        (half << count | half >> (28 - count)) & 0xFFF_FFFF
    }

    /// The bits of a number of `width` bits, selected by a table that counts from 1 at the most significant.
    private static func permute(_ bits: UInt64, width: Int, by table: [UInt8]) -> UInt64 {
        table.reduce(0) { $0 << 1 | (bits >> UInt64(width - Int($1)) & 1) }
    }

    /// The substitution boxes followed by the permutation, by box and by the six bits in their order.
    private static let substitutions: [[UInt32]] = (0..<8).map { box in
        (0..<64).map { index in
            let row = (index >> 4 & 2) | (index & 1)
            let column = index >> 1 & 0xF
            let value = UInt64(boxes[box][row * 16 + column]) << UInt64(28 - 4 * box)
            return UInt32(permute(value, width: 32, by: roundPermutation))
        }
    }

    private static let rotations: [UInt32] = [1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1]

    private static let initialPermutation: [UInt8] = (0..<64).map { index in
        let (row, column) = (index / 8, index % 8)
        return UInt8((row < 4 ? 58 + 2 * row : 57 + 2 * (row - 4)) - 8 * column)
    }

    private static let finalPermutation: [UInt8] = {
        var inverse = [UInt8](repeating: 0, count: 64)
        for (index, bit) in initialPermutation.enumerated() { inverse[Int(bit) - 1] = UInt8(index + 1) }
        return inverse
    }()

    private static let roundPermutation: [UInt8] = [
        16, 7, 20, 21, 29, 12, 28, 17, 1, 15, 23, 26, 5, 18, 31, 10,
        2, 8, 24, 14, 32, 27, 3, 9, 19, 13, 30, 6, 22, 11, 4, 25,
    ]

    private static let keyChoice: [UInt8] = [
        57, 49, 41, 33, 25, 17, 9, 1, 58, 50, 42, 34, 26, 18, 10, 2, 59, 51, 43, 35, 27, 19, 11, 3, 60, 52, 44, 36,
        63, 55, 47, 39, 31, 23, 15, 7, 62, 54, 46, 38, 30, 22, 14, 6, 61, 53, 45, 37, 29, 21, 13, 5, 28, 20, 12, 4,
    ]

    private static let roundKeyChoice: [UInt8] = [
        14, 17, 11, 24, 1, 5, 3, 28, 15, 6, 21, 10, 23, 19, 12, 4, 26, 8, 16, 7, 27, 20, 13, 2,
        41, 52, 31, 37, 47, 55, 30, 40, 51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32,
    ]

    private static let boxes: [[UInt8]] = [
        [
            14, 4, 13, 1, 2, 15, 11, 8, 3, 10, 6, 12, 5, 9, 0, 7, 0, 15, 7, 4, 14, 2, 13, 1, 10, 6, 12, 11, 9, 5, 3, 8,
            4, 1, 14, 8, 13, 6, 2, 11, 15, 12, 9, 7, 3, 10, 5, 0, 15, 12, 8, 2, 4, 9, 1, 7, 5, 11, 3, 14, 10, 0, 6, 13,
        ],
        [
            15, 1, 8, 14, 6, 11, 3, 4, 9, 7, 2, 13, 12, 0, 5, 10, 3, 13, 4, 7, 15, 2, 8, 14, 12, 0, 1, 10, 6, 9, 11, 5,
            0, 14, 7, 11, 10, 4, 13, 1, 5, 8, 12, 6, 9, 3, 2, 15, 13, 8, 10, 1, 3, 15, 4, 2, 11, 6, 7, 12, 0, 5, 14, 9,
        ],
        [
            10, 0, 9, 14, 6, 3, 15, 5, 1, 13, 12, 7, 11, 4, 2, 8, 13, 7, 0, 9, 3, 4, 6, 10, 2, 8, 5, 14, 12, 11, 15, 1,
            13, 6, 4, 9, 8, 15, 3, 0, 11, 1, 2, 12, 5, 10, 14, 7, 1, 10, 13, 0, 6, 9, 8, 7, 4, 15, 14, 3, 11, 5, 2, 12,
        ],
        [
            7, 13, 14, 3, 0, 6, 9, 10, 1, 2, 8, 5, 11, 12, 4, 15, 13, 8, 11, 5, 6, 15, 0, 3, 4, 7, 2, 12, 1, 10, 14, 9,
            10, 6, 9, 0, 12, 11, 7, 13, 15, 1, 3, 14, 5, 2, 8, 4, 3, 15, 0, 6, 10, 1, 13, 8, 9, 4, 5, 11, 12, 7, 2, 14,
        ],
        [
            2, 12, 4, 1, 7, 10, 11, 6, 8, 5, 3, 15, 13, 0, 14, 9, 14, 11, 2, 12, 4, 7, 13, 1, 5, 0, 15, 10, 3, 9, 8, 6,
            4, 2, 1, 11, 10, 13, 7, 8, 15, 9, 12, 5, 6, 3, 0, 14, 11, 8, 12, 7, 1, 14, 2, 13, 6, 15, 0, 9, 10, 4, 5, 3,
        ],
        [
            12, 1, 10, 15, 9, 2, 6, 8, 0, 13, 3, 4, 14, 7, 5, 11, 10, 15, 4, 2, 7, 12, 9, 5, 6, 1, 13, 14, 0, 11, 3, 8,
            9, 14, 15, 5, 2, 8, 12, 3, 7, 0, 4, 10, 1, 13, 11, 6, 4, 3, 2, 12, 9, 5, 15, 10, 11, 14, 1, 7, 6, 0, 8, 13,
        ],
        [
            4, 11, 2, 14, 15, 0, 8, 13, 3, 12, 9, 7, 5, 10, 6, 1, 13, 0, 11, 7, 4, 9, 1, 10, 14, 3, 5, 12, 2, 15, 8, 6,
            1, 4, 11, 13, 12, 3, 7, 14, 10, 15, 6, 8, 0, 5, 9, 2, 6, 11, 13, 8, 1, 4, 10, 7, 9, 5, 0, 15, 14, 2, 3, 12,
        ],
        [
            13, 2, 8, 4, 6, 15, 11, 1, 10, 9, 3, 14, 5, 0, 12, 7, 1, 15, 13, 8, 10, 3, 7, 4, 12, 5, 6, 11, 0, 14, 9, 2,
            7, 11, 4, 1, 9, 12, 14, 2, 0, 6, 10, 13, 15, 3, 5, 8, 2, 1, 14, 7, 4, 10, 8, 13, 15, 12, 9, 0, 3, 5, 6, 11,
        ],
    ]
}

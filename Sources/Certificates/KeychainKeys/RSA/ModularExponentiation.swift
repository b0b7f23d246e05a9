// SPDX-License-Identifier: Apache-2.0

/// Powers modulo an odd number, for the RSA operation with the public exponent, which no library offers.
///
/// Montgomery multiplication (Handbook of Applied Cryptography, algorithm 14.36), limb by limb. The modulus and the
/// exponent are public, but the base may be secret: no branch or table lookup depends on it.
struct ModularExponentiation {
    /// Little-endian limbs.
    private let modulus: [UInt64]
    /// −1 / modulus, modulo 2^64.
    private let inverse: UInt64
    private let byteCount: Int

    /// A modulus as big-endian bytes, odd and without leading zeros.
    init(modulus bytes: [UInt8]) {
        byteCount = bytes.count
        modulus = bytes.withUnsafeBytes { Self.limbs($0, count: (bytes.count + 7) / 8) }
        var inverse: UInt64 = 1
        // Each step of Newton's method doubles the number of correct bits.
        for _ in 0..<6 { inverse &*= 2 &- modulus[0] &* inverse }
        self.inverse = 0 &- inverse
    }

    /// `base` to the power of `exponent`, which is at least 1.
    ///
    /// - Parameters:
    ///   - base: big-endian, with the length of the modulus.
    ///   - exponent: the power.
    /// - Returns: The power in the same form; `nil` for a base of another length, or one that is not below the modulus.
    func power(_ base: UnsafeRawBufferPointer, _ exponent: UInt64) -> [UInt8]? {
        guard base.count == byteCount, exponent > 0 else { return nil }
        let base = Self.limbs(base, count: modulus.count)
        guard subtractingModulus(base, 0).borrow == 1 else { return nil }
        var one = Array(repeating: 0 as UInt64, count: modulus.count)
        one[0] = 1
        let start = multiply(base, radixSquared)
        var result = start
        for bit in (0..<exponent.bitWidth - exponent.leadingZeroBitCount - 1).reversed() {
            result = multiply(result, result)
            if exponent >> UInt64(bit) & 1 == 1 { result = multiply(result, start) }
        }
        return bytes(multiply(result, one))
    }

    /// R² for R = 2^(64 · limbs), which converts a number to Montgomery form.
    private var radixSquared: [UInt64] {
        // R, by doubling the highest power of two below the modulus.
        let bits = modulus.count * 64 - modulus[modulus.count - 1].leadingZeroBitCount
        var radix = Array(repeating: 0 as UInt64, count: modulus.count)
        radix[(bits - 1) / 64] = 1 << UInt64((bits - 1) % 64)
        for _ in 0..<modulus.count * 64 - bits + 1 { radix = double(radix) }
        // 2^(64 · limbs) in Montgomery form: square and double along the bits of the exponent, starting at 1, which is
        // R.
        let exponent = modulus.count * 64
        var result = radix
        for bit in (0..<Int.bitWidth - exponent.leadingZeroBitCount).reversed() {
            result = multiply(result, result)
            if exponent >> bit & 1 == 1 { result = double(result) }
        }
        return result
    }

    private func double(_ number: [UInt64]) -> [UInt64] {
        var (result, carry) = (number, 0 as UInt64)
        for index in result.indices {
            (result[index], carry) = (number[index] << 1 | carry, number[index] >> 63)
        }
        return reduced(result, carry)
    }

    /// left · right / R.
    private func multiply(_ left: [UInt64], _ right: [UInt64]) -> [UInt64] {
        let count = modulus.count
        var sum = Array(repeating: 0 as UInt64, count: count + 2)
        sum.withUnsafeMutableBufferPointer { sum in
            left.withUnsafeBufferPointer { left in
                right.withUnsafeBufferPointer { right in
                    modulus.withUnsafeBufferPointer { modulus in
                        for index in 0..<count {
                            Self.add(left, right[index], to: sum)
                            Self.add(modulus, sum[0] &* inverse, to: sum)
                            for limb in 0...count { sum[limb] = sum[limb + 1] }
                            sum[count + 1] = 0
                        }
                    }
                }
            }
        }
        return reduced(Array(sum[..<count]), sum[count])
    }

    /// Adds a multiple of a number to a sum with two more limbs.
    private static func add(
        _ number: UnsafeBufferPointer<UInt64>,
        _ factor: UInt64,
        to sum: UnsafeMutableBufferPointer<UInt64>
    ) {
        var carry: UInt64 = 0
        for index in 0..<number.count {
            let product = number[index].multipliedFullWidth(by: factor)
            let (partial, first) = product.low.addingReportingOverflow(carry)
            let (limb, second) = partial.addingReportingOverflow(sum[index])
            sum[index] = limb
            carry = product.high &+ (first ? 1 : 0) &+ (second ? 1 : 0)
        }
        let (limb, overflow) = sum[number.count].addingReportingOverflow(carry)
        sum[number.count] = limb
        sum[number.count + 1] &+= overflow ? 1 : 0
    }

    /// Reduces a number below twice the modulus.
    private func reduced(_ number: [UInt64], _ carry: UInt64) -> [UInt64] {
        let (difference, borrow) = subtractingModulus(number, carry)
        // All ones if the number was already below the modulus.
        let keep = 0 &- borrow
        return zip(number, difference).map { $0 & keep | $1 & ~keep }
    }

    /// The number, with an extra limb, minus the modulus; the borrow is 1 if the difference is negative.
    private func subtractingModulus(_ number: [UInt64], _ carry: UInt64) -> (difference: [UInt64], borrow: UInt64) {
        var (difference, borrow) = (number, 0 as UInt64)
        for index in number.indices {
            let (partial, first) = number[index].subtractingReportingOverflow(modulus[index])
            let (limb, second) = partial.subtractingReportingOverflow(borrow)
            difference[index] = limb
            borrow = (first ? 1 : 0) | (second ? 1 : 0)
        }
        return (difference, carry.subtractingReportingOverflow(borrow).overflow ? 1 : 0)
    }

    private static func limbs(_ bytes: UnsafeRawBufferPointer, count: Int) -> [UInt64] {
        var limbs = Array(repeating: 0 as UInt64, count: count)
        for (index, byte) in bytes.reversed().enumerated() {
            limbs[index / 8] |= UInt64(byte) << UInt64(8 * (index % 8))
        }
        return limbs
    }

    private func bytes(_ limbs: [UInt64]) -> [UInt8] {
        (0..<byteCount).reversed().map { UInt8(truncatingIfNeeded: limbs[$0 / 8] >> UInt64(8 * ($0 % 8))) }
    }
}

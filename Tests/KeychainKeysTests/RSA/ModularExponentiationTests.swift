// SPDX-License-Identifier: Apache-2.0

import KeychainTestSupport
import Testing

@testable import KeychainKeys

/// The operation of the public exponent against arithmetic by hand and Python's.
struct ModularExponentiationTests {
    private func power(_ base: [UInt8], _ exponent: UInt64, modulo modulus: [UInt8]) -> [UInt8]? {
        base.withUnsafeBytes { ModularExponentiation(modulus: modulus).power($0, exponent) }
    }

    @Test("every base to every small exponent modulo small odd numbers", arguments: [3, 17, 127, 129, 255] as [UInt8])
    func small(_ modulus: UInt8) {
        for base in 0..<modulus {
            var expected = 1
            for exponent in 1...20 as ClosedRange<UInt64> {
                expected = expected * Int(base) % Int(modulus)
                #expect(power([base], exponent, modulo: [modulus]) == [UInt8(expected)])
            }
        }
    }

    @Test("a base that is not below the modulus, or of another length, is refused")
    func bounds() {
        #expect(power([0xFF, 0x01], 3, modulo: [0xFF, 0x01]) == nil)
        #expect(power([0xFF, 0x02], 3, modulo: [0xFF, 0x01]) == nil)
        #expect(power([0x01], 3, modulo: [0xFF, 0x01]) == nil)
        #expect(power([0x00, 0x01, 0x01], 3, modulo: [0xFF, 0x01]) == nil)
        #expect(power([0xFF, 0x00], 2, modulo: [0xFF, 0x01]) == [0x00, 0x01])
    }

    @Test("odd lengths, carries and extreme numbers give what Python gives")
    func python() throws {
        var random = SeededGenerator(seed: 7)
        var cases: [(base: [UInt8], exponent: UInt64, modulus: [UInt8])] = []
        for count in [7, 8, 9, 15, 16, 17, 24, 63, 64, 65, 128, 129] {
            for fill in 0..<4 {
                var modulus = (0..<count).map { _ in fill == 0 ? 0xFF : UInt8.random(in: 0...255, using: &random) }
                modulus[0] = [0xFF, 0x80, 0x01, 0xFF][fill]
                modulus[count - 1] |= 1
                var base = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
                base[0] = modulus[0] - 1
                if fill == 3 { base = modulus.dropLast() + [modulus[count - 1] - 1] }
                cases.append((base, [3, 65537, 0x1_0000_0001, 2][fill], modulus))
            }
        }
        let lines = cases.map { "\($0.base.hex) \($0.exponent) \($0.modulus.hex)\n" }.joined()
        let script = """
            import sys
            for line in sys.stdin:
                base, exponent, modulus = line.split()
                power = pow(int(base, 16), int(exponent), int(modulus, 16))
                print(power.to_bytes(len(modulus) // 2, 'big').hex())
            """
        let output = try Tool.output("python3", ["-c", script], input: lines)
        let expected = String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(cases.map { power($0.base, $0.exponent, modulo: $0.modulus)?.hex } == expected)
    }
}

// SPDX-License-Identifier: Apache-2.0

import KeychainTestSupport
import Testing

@testable import KeychainCore

/// What a column of INTEGER affinity makes of a value, compared with SQLite itself.
struct NumericAffinityTests {
    private static let texts = [
        // integers
        "0", "-0", "+0", "00", "0080", "80", "+80", "-80", "- 80", "--80", "+-80", "80 ", " 80", "\t80\n",
        "\u{B}80\u{C}",
        "80\r", "\u{A0}80", "8 0", "8_0", "8,0", "0x50", "0b1", "0o7", "٣", "９",
        // the edges of 32 and 64 bits
        "2147483647", "2147483648", "-2147483648", "-2147483649", "4294967295", "9007199254740993",
        "9223372036854775806", "9223372036854775807", "9223372036854775808", "-9223372036854775807",
        "-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616",
        "000000000000000000000000000000000000080", "100000000000000000000000000000",
        // fractions
        "0.0", "-0.0", "80.0", "80.", ".80", ".", "-.5", "+.5", "..5", "5..", "1.5.2", "0.1", "1.25", "123456.789",
        "9223372036854775807.0", "9223372036854774784.0", "0.50000",
        // exponents
        "8e1", "8E1", "8e+1", "800e-1", "8e", "8e+", "8e-", "e8", ".e8", "8.e1", ".8e2", "8e1.0", "8e 1", "1e18",
        "1e19",
        "1e308", "1e309", "-1e400", "1e-400", "0e999", "1e0000000001", "1e99999999999",
        // no numerals
        "", " ", "http", "true", "nan", "NaN", "inf", "Infinity", "-inf", "1a", "a1", "1\0", "\0", "1 2", "½", "①", "𝟙",
        "−1",
    ]

    @Test("a text is held as SQLite holds it", arguments: texts)
    func text(_ text: String) throws {
        let expected = try SQLiteColumn().hold(text)
        #expect(NumericAffinity(text) == expected)
    }

    @Test(
        "a number is held as SQLite holds it",
        arguments: [
            .integer(0), .integer(-1), .integer(.max), .integer(.min), .integer(.max - 1), .unsigned(1 << 63),
            .unsigned(.max), .real(0), .real(-0.0), .real(80), .real(0.5), .real(-1e18), .real(1e18), .real(1e19),
            .real(9.223372036854775e18), .real(-9.223372036854775808e18), .real(9.223372036854775808e18),
            .real(.greatestFiniteMagnitude), .real(.leastNonzeroMagnitude), .real(9_007_199_254_740_992),
        ] as [KeychainNumber]
    )
    func number(_ number: KeychainNumber) throws {
        let expected = try SQLiteColumn().hold(number)
        #expect(NumericAffinity(number) == expected)
    }

    @Test("2,000 random texts are held as SQLite holds them", arguments: [0x5EED as UInt64])
    func randomTexts(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let column = try SQLiteColumn()
        for _ in 0..<2_000 {
            let text = Self.numeral(&generator)
            let expected = try column.hold(text)
            #expect(NumericAffinity(text) == expected, "\(text.debugDescription), seed \(seed)")
        }
    }

    @Test("2,000 random numbers are held as SQLite holds them", arguments: [0x5EED as UInt64])
    func randomNumbers(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let column = try SQLiteColumn()
        for _ in 0..<2_000 {
            let bits: UInt64 = generator.next()
            let shifted = bits >> (generator.next() as UInt64 % 64)
            let real = Double(bitPattern: bits)
            let numbers: [KeychainNumber] = [
                .integer(Int64(bitPattern: shifted)), KeychainNumber(shifted), .real(real.isFinite ? real : 0),
                .real(Double(shifted)),
            ]
            for number in numbers {
                let expected = try column.hold(number)
                #expect(NumericAffinity(number) == expected, "\(number), seed \(seed)")
            }
        }
    }

    @Test(
        "two texts have the same comparison form when SQLite finds one by the other",
        arguments: [
            "80", "0080", "8e1", "80.0", " 80", "80x", "", " ", "0", "-0", "0.0", "http", "HTTP", "1e400", "2e400",
        ]
    )
    func comparisonForm(_ one: String) throws {
        let column = try SQLiteColumn()
        for other in ["80", "+80", "800e-1", "80y", "", "0", "-0.0", "http", "http ", "1e500"] {
            let areEqual = try column.areEqual(one, other)
            let haveEqualForms = Self.form(one) == Self.form(other)
            #expect(haveEqualForms == areEqual, "\(one.debugDescription) and \(other.debugDescription)")
        }
    }

    private static func form(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        NumericAffinity(text).append(to: &bytes)
        return bytes
    }

    /// A text that is often a numeral, and often nearly one.
    ///
    /// At most 15 digits and small exponents: beyond them SQLite's own conversion is off by a unit in the last place.
    private static func numeral(_ generator: inout SeededGenerator) -> String {
        let pieces: [[String]] = [
            ["", "", "", "+", "-", " ", "--", "\t-"],
            ["", "0", "00"],
            [String(generator.next() % 10_000_000_000), String(generator.next() % 100), ""],
            ["", "", ".", "."],
            ["", "0", String(generator.next() % 10_000), "5"],
            ["", "", "", "e", "E", "e+", "e-"],
            ["", "", String(generator.next() % 8), "0", "7"],
            ["", "", "", "", " ", "x", "\n", "\0", ".", "e1"],
        ]
        return pieces.map { $0[Int(generator.next() % UInt64($0.count))] }.joined()
    }
}

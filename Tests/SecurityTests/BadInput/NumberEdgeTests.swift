// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security
import Testing

/// Numbers at the edges of 32 and 64 bits, and which of them are the same in a primary key.
struct NumberEdgeTests {
    /// A number object; `NSNumber` itself is not Sendable.
    enum Sample: Sendable, Hashable {
        case integer(Int64)
        case unsigned(UInt64)
        case real(Double)
        case text(String)

        var value: Any {
            switch self {
            case .integer(let value): NSNumber(value: value)
            case .unsigned(let value): NSNumber(value: value)
            case .real(let value): NSNumber(value: value)
            case .text(let value): NSString(string: value)
            }
        }
    }

    private static let samples: [Sample] = [
        .integer(0), .integer(-1), .integer(Int64(Int32.max)), .integer(Int64(Int32.max) + 1),
        .integer(Int64(Int32.min)), .integer(Int64(Int32.min) - 1), .integer(Int64(UInt32.max)),
        .integer(1 << 53), .integer((1 << 53) + 1), .integer(.max), .integer(.max - 1), .integer(.min),
        .integer(.min + 1), .real(-0.0), .real(9_007_199_254_740_994), .real(1e18), .real(9.223372036854775e18),
        .real(-9.223372036854775808e18),
    ]

    /// Numbers that are no integers of 64 bits.
    private static let unsendable: [Sample] = [
        .unsigned(1 << 63), .unsigned((1 << 63) + 1), .unsigned(.max), .unsigned(.max - 1), .real(0.5),
        .real(9.223372036854775808e18), .real(9.3e18), .real(-9.3e18), .real(.greatestFiniteMagnitude),
        .real(-.greatestFiniteMagnitude), .real(.leastNonzeroMagnitude), .real(.ulpOfOne), .real(Double(Float.pi)),
        .real(.nan), .real(.infinity), .real(-.infinity),
    ]

    @Test("a number that is no integer of 64 bits cannot be sent", arguments: unsendable)
    func unsendableNumber(_ sample: Sample) throws {
        let keychain = try WitnessedKeychain()
        keychain.run {
            for key in [kSecAttrPort, kSecAttrCreator, kSecAttrAccount, kSecAttrLabel, kSecMatchLimit, kSecValueData] {
                let item: [CFString: Any] = [kSecClass: kSecClassInternetPassword, key: sample.value]
                #expect(Items.add(item) == errSecDecode, "\(key)")
                #expect(Items.copy(item).status == errSecDecode, "\(key)")
                #expect(Items.update(item, [:]) == errSecDecode, "\(key)")
                let attributes: [CFString: Any] = [key: sample.value]
                #expect(Items.update([kSecClass: kSecClassInternetPassword], attributes) == errSecDecode, "\(key)")
                #expect(Items.delete(item) == errSecDecode, "\(key)")
            }
        }
        try keychain.expectUntouched()
    }

    @Test("a number comes back with its value and finds its item", arguments: samples)
    func numberIsKept(_ sample: Sample) throws {
        let keychain = try WitnessedKeychain()
        keychain.run {
            for key in [kSecAttrPort, kSecAttrCreator, kSecAttrAccount, kSecAttrLabel] {
                let item: [CFString: Any] = [
                    kSecClass: kSecClassInternetPassword, kSecAttrServer: "numbers", key: sample.value,
                ]
                #expect(Items.add(item) == errSecSuccess, "\(key)")
                let found = Items.copy(item.merging([kSecReturnAttributes: true]) { $1 }).result as? [String: Any]
                let number = found?[key as String] as? NSNumber
                #expect(number == sample.value as? NSNumber, "\(key)")
                #expect(Items.delete(item) == errSecSuccess, "\(key)")
            }
        }
        try keychain.expectUntouched()
    }

    /// Two values of `kSecAttrPort`, an unhashed number: SQLite's comparison of integers and reals decides.
    @Test(
        "numbers in an unhashed column of the primary key are the same by value",
        arguments: [
            (.integer(80), .real(80), true),
            (.integer(80), .text("80"), true),
            (.integer(80), .text("0080"), true),
            (.integer(80), .text("8e1"), true),
            (.integer(80), .text("80x"), false),
            (.integer(0), .real(-0.0), true),
            (.integer(0), .text(""), false),
            (.integer(.max), .integer(.max - 1), false),
            (.integer(.min), .integer(.min + 1), false),
            (.integer(Int64(UInt32.max)), .integer(-1), false),
            (.integer(1 << 32), .integer(0), false),
            (.integer(1 << 53), .integer((1 << 53) + 1), false),
        ] as [(Sample, Sample, Bool)]
    )
    func unhashedPrimaryKey(one: Sample, other: Sample, areSame: Bool) throws {
        try expectCollision(of: kSecAttrPort, between: one, and: other, areSame: areSame)
    }

    /// Two values of `kSecAttrAccount`, a hashed column: numbers compare by their low 32 bits.
    @Test(
        "numbers in a hashed column of the primary key are the same by their low 32 bits",
        arguments: [
            (.integer(1), .integer(1 + 1 << 32), true),
            (.integer(-1), .integer(Int64(UInt32.max)), true),
            (.integer(0), .integer(.min), true),
            (.integer(1), .integer(2), false),
            (.integer(42), .text("42"), false),
            (.integer(0), .text(""), false),
            (.integer(0), .text("\0\0\0\0"), true),
        ] as [(Sample, Sample, Bool)]
    )
    func hashedPrimaryKey(one: Sample, other: Sample, areSame: Bool) throws {
        try expectCollision(of: kSecAttrAccount, between: one, and: other, areSame: areSame)
    }

    private func expectCollision(of key: CFString, between one: Sample, and other: Sample, areSame: Bool) throws {
        let keychain = try WitnessedKeychain()
        func item(_ sample: Sample) -> [CFString: Any] {
            [kSecClass: kSecClassInternetPassword, kSecAttrServer: "numbers", key: sample.value]
        }
        keychain.run {
            #expect(Items.add(item(one)) == errSecSuccess)
            #expect(Items.copy(item(other)).status == (areSame ? errSecSuccess : errSecItemNotFound))
            #expect(Items.add(item(other)) == (areSame ? errSecDuplicateItem : errSecSuccess))
            #expect(Items.delete([kSecClass: kSecClassInternetPassword, kSecAttrServer: "numbers"]) == errSecSuccess)
        }
        try keychain.expectUntouched()
    }

    @Test("a limit outside the range of an item count is no crash", arguments: samples)
    func limits(_ sample: Sample) throws {
        let keychain = try WitnessedKeychain()
        let found = keychain.run {
            Items.copy([
                kSecClass: kSecClassGenericPassword, kSecMatchLimit: sample.value, kSecReturnAttributes: true,
            ])
        }
        let expected: OSStatus =
            switch sample {
            case .integer(0), .real(0): errSecItemNotFound
            case .integer, .real: errSecSuccess
            case .unsigned, .text: errSecParam
            }
        #expect(found.status == expected)
    }
}

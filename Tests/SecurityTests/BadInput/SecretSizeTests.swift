// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import Security
import Testing

@testable import KeychainServices

/// Secrets of no byte up to the largest, and of one byte more.
struct SecretSizeTests {
    private static var item: [CFString: Any] {
        [kSecClass: kSecClassGenericPassword, kSecAttrService: "sizes", kSecAttrAccount: "anna"]
    }

    @Test("a secret comes back equal", arguments: [0, 1, 15, 16, 4_096, 1 << 20, ItemLimits.secretByteCount])
    func secretComesBack(_ count: Int) throws {
        let keychain = try WitnessedKeychain()
        let (first, second) = (Self.bytes(count, 1), Self.bytes(count, 2))
        keychain.run {
            #expect(Items.add(Self.item.merging([kSecValueData: first]) { $1 }) == errSecSuccess)
            let isFirst = Self.stored() == first
            #expect(isFirst)
            #expect(Items.update(Self.item, [kSecValueData: second]) == errSecSuccess)
            let isSecond = Self.stored() == second
            #expect(isSecond)
            #expect(Items.delete(Self.item) == errSecSuccess)
        }
        try keychain.expectUntouched()
    }

    @Test("a byte more than the largest is too large, and nothing changes")
    func tooLarge() throws {
        let keychain = try WitnessedKeychain()
        let tooLarge = Self.bytes(ItemLimits.secretByteCount + 1, 3)
        let kept = Data("kept".utf8)
        keychain.run {
            #expect(Items.add(Self.item.merging([kSecValueData: tooLarge]) { $1 }) == errSecDataTooLarge)
            #expect(Items.copy(Self.item).status == errSecItemNotFound)
            #expect(Items.add(Self.item.merging([kSecValueData: kept]) { $1 }) == errSecSuccess)
            let update: [CFString: Any] = [kSecValueData: tooLarge, kSecAttrLabel: "intruder"]
            #expect(Items.update(Self.item, update) == errSecDataTooLarge)
            #expect(Items.update([kSecClass: kSecClassGenericPassword], update) == errSecDataTooLarge)
            #expect(Self.stored() == kept)
            #expect(Items.delete(Self.item) == errSecSuccess)
        }
        try keychain.expectUntouched()
    }

    @Test("a secret that is too large is refused without a copy of it, and ignored in a query")
    func tooLargeIsNotCopied() throws {
        let bytes = UntouchableData()
        let dictionary = PropertyDictionary([kSecValueData: bytes] as NSDictionary)
        #expect(dictionary.entries.dictionary == [PropertyKey.valueData: .oversizedData(bytes.length)])
        let keychain = try WitnessedKeychain()
        let query: [CFString: Any] = Self.item.merging([kSecValueData: bytes]) { $1 }
        keychain.run {
            #expect(Items.add(query) == errSecDataTooLarge)
            #expect(Items.add(Self.item) == errSecSuccess)
            #expect(Items.copy(query).status == errSecSuccess)
            #expect(Items.update(query, [kSecAttrLabel: "label"]) == errSecSuccess)
            #expect(Items.copy(Self.item.merging([kSecAttrGeneric: bytes]) { $1 }).status == errSecDataTooLarge)
            #expect(Items.delete(query) == errSecSuccess)
        }
        try keychain.expectUntouched()
    }

    @Test("a secret that is no data is refused", arguments: SampleValue.allCases)
    func wrongType(_ sample: SampleValue) throws {
        guard sample != .bytes, sample != .bytesOutsideUTF8 else { return }
        let keychain = try WitnessedKeychain()
        let wrong: [CFString: Any] = [kSecValueData: sample.value]
        let query: [CFString: Any] = [kSecClass: kSecClassGenericPassword].merging(wrong) { $1 }
        let statuses = keychain.run {
            [
                Items.add(query), Items.copy(query).status, Items.update(query, [kSecAttrLabel: "intruder"]),
                Items.update([kSecClass: kSecClassGenericPassword], wrong), Items.delete(query),
            ]
        }
        #expect(statuses == Array(repeating: sample.isFractional ? errSecDecode : errSecParam, count: 5))
        try keychain.expectUntouched()
    }

    private static func stored() -> Data? {
        Items.copy(item.merging([kSecReturnData: true]) { $1 }).result as? Data
    }

    private static func bytes(_ count: Int, _ seed: UInt8) -> Data {
        // A block whose length has no common divisor with any page.
        let block = Data((0..<4_099).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) ^ seed })
        var bytes = Data(capacity: count)
        while bytes.count < count { bytes.append(block.prefix(count - bytes.count)) }
        return bytes
    }
}

/// Data that is too large, and ends the program when its bytes are asked for.
private final class UntouchableData: NSData {
    override var length: Int { 60 << 20 }
    override var bytes: UnsafeRawPointer { preconditionFailure("the bytes were looked at") }
}

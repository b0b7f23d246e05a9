// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore
import Testing

@testable import KeychainProtection

/// The padding of secrets (Documentation/Format.md, "Padding").
struct SecretPaddingTests {
    @Test(
        "lengths are rounded up to multiples of 32, and from 1 KiB on to five significant bits",
        arguments: [
            (0, 32), (1, 32), (31, 32), (32, 64), (63, 64), (500, 512), (992, 1_024), (1_022, 1_024), (1_023, 1_024),
            (1_024, 1_088), (1_087, 1_088), (1_088, 1_152), (2_047, 2_048), (2_048, 2_176), (65_536, 69_632),
            (16 << 20, 17 << 20),
        ]
    )
    func lengths(_ count: Int, _ padded: Int) {
        #expect(SecretPadding.paddedByteCount(count) == padded)
    }

    @Test("no padding is longer than 32 bytes or a sixteenth, and a longer secret never becomes shorter")
    func bounds() {
        var last = 0
        for count in 0..<70_000 {
            let padded = SecretPadding.paddedByteCount(count)
            #expect(padded > count && padded - count <= max(32, padded / 16) && padded >= last)
            last = padded
        }
    }

    @Test("a padded secret gives the secret, whatever it ends with", arguments: [0, 1, 31, 32, 1_023, 1_024, 5_000])
    func comesBack(_ count: Int) {
        for byte in [0, 0x80, 1] as [UInt8] {
            let secret = SecretBytes([UInt8](repeating: byte, count: count))
            let padded = SecretPadding.pad(secret)
            #expect(padded.count == SecretPadding.paddedByteCount(count))
            let found = padded.withUnsafeBytes { SecretPadding.content(of: $0).map { SecretBytes(copying: $0) } }
            #expect(found == secret)
        }
    }

    @Test(
        "a padding that is another than that of the length is refused",
        arguments: [
            [], [UInt8](repeating: 0, count: 32), [0x80], [1, 0x80], [UInt8](repeating: 1, count: 32),
            [0x80] + [UInt8](repeating: 0, count: 63), [7] + [0x80] + [UInt8](repeating: 0, count: 29) + [1],
            [UInt8](repeating: 2, count: 32) + [0x80],
        ]
    )
    func refused(_ bytes: [UInt8]) {
        let isRefused = bytes.withUnsafeBytes { SecretPadding.content(of: $0) == nil }
        #expect(isRefused)
    }

    @Test(
        "secrets of lengths that are rounded to the same are sealed to the same length, and none to that of an empty one"
    )
    func sealedLengths() throws {
        let device = try TestStore().device()
        var counts: [Int] = []
        for secret in [nil, "", "a", "a longer one of 31 bytes, in all", "one of 32 bytes, which is more!!"]
            as [SecretBytes?]
        {
            var item = Self.item(secret)
            let row = try device.seal(&item, tags: device.searchTags())
            counts.append(row.secret.count)
            #expect(try device.openSecret(of: row, device.openMetadata(of: row)) == secret)
        }
        #expect(counts == [60, 60, 60, 92, 92])
    }

    @Test("a secret whose padding is wrong is damage, although it authenticates")
    func wrongPadding() throws {
        let device = try TestStore().device()
        var item = Self.item("secret")
        var row = try device.seal(&item, tags: device.searchTags())
        let part = try RowPart(.secret, of: row, keys: device)
        for bytes in ["secret", SecretBytes(Array("secret".utf8) + [0x80])] as [SecretBytes] {
            row.secret = try bytes.withUnsafeBytes { (bytes) throws(ProtectionError) in try part.seal(bytes) }
            let metadata = try device.openMetadata(of: row)
            #expect(throws: ProtectionError.damagedRow(.padding)) { try device.openSecret(of: row, metadata) }
        }
    }

    private static func item(_ secret: SecretBytes?) -> Item {
        Item(
            itemClass: .genericPassword,
            identifier: .counting(from: 1),
            attributes: ["acct": .string("a"), "agrp": .string("group"), "pdmn": .string("dk")],
            secret: secret
        )
    }
}

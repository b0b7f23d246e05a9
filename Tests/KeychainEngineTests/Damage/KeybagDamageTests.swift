// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainTestSupport
import Testing

@testable import KeychainProtection

/// A keybag that is altered in any way: a typed error, before anything in it is believed.
struct KeybagDamageTests {
    private let rootKey: SoftwareRootKey
    private let keybag: [UInt8]

    init() throws {
        rootKey = try .ephemeral()
        keybag = try OpenKeybag.make(rootKey: rootKey)
    }

    @Test("the keybag opens as it is")
    func intact() throws {
        _ = try OpenKeybag(keybag, rootKey: rootKey)
    }

    @Test("a keybag with any one wrong bit is a typed error", arguments: 0..<8)
    func flipped(_ bit: Int) {
        for index in keybag.indices {
            var damaged = keybag
            damaged[index] ^= 1 << bit
            expectError(damaged, "bit \(bit) of byte \(index)")
        }
    }

    @Test("a keybag of any other length is a typed error")
    func otherLengths() {
        for count in 0..<keybag.count { expectError(Array(keybag.prefix(count)), "\(count) bytes") }
        for count in 1..<keybag.count { expectError(Array(keybag.suffix(count)), "the last \(count) bytes") }
        for more in [1, 32, 100_000] { expectError(keybag + Array(repeating: 0, count: more), "\(more) more") }
    }

    @Test("a keybag whose keys changed places is a typed error")
    func swappedKeys() throws {
        let entries = try keyRanges
        try #require(entries.count == 13)
        for (one, other) in zip(entries, entries.dropFirst()) {
            var damaged = keybag
            damaged.replaceSubrange(one, with: keybag[other])
            damaged.replaceSubrange(other, with: keybag[one])
            expectError(damaged, "the keys at \(one) and \(other)")
            damaged = keybag
            damaged.replaceSubrange(one, with: keybag[other])
            expectError(damaged, "the key at \(other) twice")
        }
    }

    @Test("another store's keybag or root key, and parts of them, are typed errors")
    func anotherStores() throws {
        let otherRootKey = try SoftwareRootKey.ephemeral()
        let other = try OpenKeybag.make(rootKey: otherRootKey)
        let sameRootKey = try OpenKeybag.make(rootKey: rootKey)
        expectError(other, "another store's keybag")
        #expect(throws: ProtectionError.wrongRootKey) { try OpenKeybag(keybag, rootKey: otherRootKey) }
        // Two keybags of one root key: no half of the one goes with the other half of the other.
        for cut in stride(from: 1, to: keybag.count, by: 7) {
            guard keybag[..<cut] != sameRootKey[..<cut], keybag[cut...] != sameRootKey[cut...] else { continue }
            expectError(Array(keybag[..<cut] + sameRootKey[cut...]), "cut at \(cut)")
        }
    }

    @Test("random bytes are a typed error", arguments: 0..<200)
    func noise(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let count = Int(generator.next() % 2_000)
        var noise = (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        expectError(noise, "\(count) bytes")
        // With a right beginning the parser gets further.
        let known = min(count, Int(generator.next() % 64))
        noise.replaceSubrange(..<known, with: keybag.prefix(known))
        expectError(noise, "\(count) bytes, \(known) of them right")
    }

    @Test("a damaged keybag in a store is errSecNotAvailable, and the store stays as it is", arguments: 0..<8)
    func inStore(_ part: Int) throws {
        let store = try TestStore()
        #expect(store.open().add("anna", "secret") == .done)
        let intact = try #require(try store.raw().run("SELECT bytes FROM keybag")[0])
        var damaged = intact
        damaged[(intact.count - 1) * part / 7] ^= 0x10
        try store.raw().run("UPDATE keybag SET bytes = ?", [damaged])
        let before = try store.contents()
        let failure = try #require(store.open().failure())
        #expect(failure.status == .notAvailable)
        #expect(failure.reason.contains("put") || failure.reason.contains("update"))
        #expect(store.open().add("bert", "secret") == .failed(.notAvailable))
        #expect(store.open().delete("anna") == .failed(.notAvailable))
        #expect(try store.contents() == before)
        try store.raw().run("UPDATE keybag SET bytes = ?", [intact])
        #expect(store.open().secret("anna") == .secret("secret"))
    }

    @Test(
        "a store without a keybag is errSecNotAvailable",
        arguments: ["DELETE FROM keybag", "DROP TABLE keybag", "UPDATE keybag SET bytes = 'text'"]
    )
    func missing(_ sql: String) throws {
        let store = try TestStore()
        #expect(store.open().add("anna", "secret") == .done)
        try store.raw().execute(sql)
        #expect(store.open().failure()?.status == .notAvailable)
        #expect(store.open().add("bert", "secret") == .failed(.notAvailable))
    }

    /// Where the wrapped keys of the entries lie.
    private var keyRanges: [Range<Int>] {
        get throws {
            try KeybagCodec.parse(keybag).contents.entries.map { entry in
                let bytes = Data(keybag)
                return try #require(bytes.range(of: Data(entry.wrappedKey)))
            }
        }
    }

    private func expectError(_ keybag: [UInt8], _ comment: Comment) {
        #expect(throws: ProtectionError.self, comment) { try OpenKeybag(keybag, rootKey: rootKey) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainTestSupport
import Testing

/// A store file that is cut short or has a wrong bit: never a crash, never a wrong secret.
struct DamagedFileTests {
    /// Accounts and their secrets; long ones fill pages of their own.
    private static let secrets: [String: String] = Dictionary(
        uniqueKeysWithValues: (0..<6).map { number in
            ("account \(number)", "secret \(number) " + String(repeating: "\(number)", count: number % 4 * 3_000))
        }
    )

    @Test("a store file that is cut short is a typed error or a missing item", arguments: 0..<40)
    func truncated(_ part: Int) throws {
        let whole = try Self.files()
        let bytes = try #require(whole["keychain.db"])
        // Whole pages, and a byte more or less: 0, 1, 99, 100 bytes and every fortieth of the file.
        let length = [0, 1, 15, 16, 99, 100, 101, 512].dropFirst(part).first ?? bytes.count * part / 40 + part % 3 - 1
        let store = try TestStore.of(whole.merging(["keychain.db": Array(bytes.prefix(length))]) { $1 })
        try Self.expectNoWrongAnswer(store, "cut to \(length) of \(bytes.count) bytes")
    }

    @Test("an empty store file is not replaced by a new store")
    func emptied() throws {
        let store = try TestStore.of(try Self.files().merging(["keychain.db": []]) { $1 })
        let failure = try #require(store.open().failure())
        #expect(failure.status == .notAvailable)
        #expect(failure.reason.contains("backup"))
        #expect(store.open().add("bert", "secret") == .failed(.notAvailable))
        #expect(try store.bytes(of: "keychain.db").isEmpty)
    }

    @Test("a wrong bit in the store file is a typed error or a missing item", arguments: 0..<10)
    func flipped(_ seed: UInt64) throws {
        try Self.expectNoWrongAnswer(flippingBits: 50, of: "keychain.db", in: try Self.files(), seed)
    }

    @Test("every wrong bit of the file's header is a typed error or a missing item", arguments: 0..<4)
    func flippedHeader(_ part: Int) throws {
        let whole = try Self.files()
        for bit in part * 200..<(part + 1) * 200 {
            try Self.expectNoWrongAnswer(flipping: bit, of: "keychain.db", in: whole, "bit \(bit) of the header")
        }
    }

    @Test("a wrong bit in the log is a typed error or a missing item", arguments: 10..<14)
    func flippedLog(_ seed: UInt64) throws {
        let whole = try Self.files(checkpointing: false)
        try #require(whole["keychain.db-wal"]?.count ?? 0 > 10_000)
        try Self.expectNoWrongAnswer(flippingBits: 25, of: "keychain.db-wal", in: whole, seed)
    }

    @Test("random bytes instead of the file are a typed error, and stay", arguments: [1, 100, 4_096, 100_000])
    func noise(_ count: Int) throws {
        var generator = SeededGenerator(seed: UInt64(count))
        let noise = (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        let store = try TestStore.of(try Self.files().merging(["keychain.db": noise]) { $1 })
        #expect(store.open().failure()?.status == .notAvailable)
        #expect(store.open().add("bert", "secret") == .failed(.notAvailable))
        #expect(try store.bytes(of: "keychain.db") == noise)
    }

    /// The files of a store with the secrets above.
    private static func files(checkpointing: Bool = true) throws -> [String: [UInt8]] {
        let store = try TestStore()
        let keychain = store.open()
        for (account, secret) in secrets.sorted(by: { $0.key < $1.key }) {
            try #require(keychain.add(account, secret) == .done)
        }
        if checkpointing { try store.checkpoint() }
        return try store.contents().mapValues { Array($0) }
    }

    private static func expectNoWrongAnswer(
        flipping bit: Int,
        of name: String,
        in files: [String: [UInt8]],
        _ comment: Comment
    ) throws {
        try #require(files[name] != nil)
        var files = files
        files[name]?[bit / 8] ^= 1 << (bit % 8)
        try expectNoWrongAnswer(TestStore.of(files), comment)
    }

    /// Does the same with random bits of a file, one after the other.
    private static func expectNoWrongAnswer(
        flippingBits count: Int,
        of name: String,
        in whole: [String: [UInt8]],
        _ seed: UInt64
    ) throws {
        var generator = SeededGenerator(seed: seed)
        let bitCount = try #require(whole[name]).count * 8
        for _ in 0..<count {
            let bit = Int(generator.next() % UInt64(bitCount))
            try expectNoWrongAnswer(flipping: bit, of: name, in: whole, "bit \(bit) of \(bitCount), seed \(seed)")
        }
    }

    /// Fails the test for an answer that is neither right nor an error, and for a store that takes a wrong turn later.
    private static func expectNoWrongAnswer(_ store: TestStore, _ comment: Comment) throws {
        let keychain = store.open(busyTimeoutMilliseconds: 100)
        for (account, secret) in secrets {
            let answer = keychain.secret(account)
            #expect(isRight(answer, .secret(secret)), comment)
        }
        for _ in 0..<2 {
            switch keychain.everything() {
            case .accounts(let accounts): #expect(accounts.isSubset(of: secrets.keys), comment)
            case let answer: #expect(isRight(answer, .done), comment)
            }
        }
        let added = keychain.add("new", "new secret")
        #expect(isRight(added, .done), comment)
        if added == .done {
            let found = keychain.secret("new")
            #expect(isRight(found, .secret("new secret")), comment)
        }
        _ = try? keychain.check()
        let deleted = keychain.delete("account 3")
        #expect(isRight(deleted, .done), comment)
    }

    /// Whether an answer is the right one, or an error that such damage may have.
    private static func isRight(_ answer: Answer, _ expected: Answer) -> Bool {
        let errors: [Status] = [
            .notAvailable, .decode, .itemNotFound, .readOnly, .io, .duplicateItem, .internalComponent,
        ]
        guard case .failed(let status) = answer else { return answer == expected }
        return errors.contains(status)
    }
}

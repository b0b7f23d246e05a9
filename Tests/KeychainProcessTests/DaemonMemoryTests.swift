// SPDX-License-Identifier: Apache-2.0

import Foundation
import HostFiles
import KeychainCore
import KeychainProtection
import KeychainTestSupport
import Testing

/// What lies in the memory of a daemon whose device was locked, looked at from outside.
@Suite(
    .enabled(if: MemoryImage.isReadable && geteuid() == 0, "only root reads the memory of a process that forbids it"),
    .timeLimit(.minutes(10))
)
struct DaemonMemoryTests {
    private static let client = Client(accessGroups: ["example"])

    @Test("a lock by one program takes the keys out of the daemon's memory; passcodes and secrets are nowhere")
    func lock() throws {
        let folder = try DaemonFolder()
        let keychain = folder.keychain()
        let passcode = Self.randomBytes(48)
        let secret = Self.randomBytes(64)
        try keychain.device.setPasscode(SecretBytes(passcode))
        for level in Accessibility.stored {
            let item: PropertyDictionary = [
                "class": .string("genp"), "acct": .string(level.rawValue), "pdmn": .string(level.rawValue),
                PropertyKey.valueData: .data(SecretBytes(secret)),
            ]
            _ = try keychain.perform(KeychainRequest(.add(item), client: Self.client))
        }
        let keys = try StoreKeysOnDisk(folder.location.path, passcode: passcode, owner: .daemon, floor: .standard)
        let taken = try Self.classKeys(keys, Accessibility.stored.filter { !$0.outlivesLock })
        let kept = try Self.classKeys(keys, Accessibility.stored.filter(\.outlivesLock))
        let image = MemoryImage(processIdentifier: try #require(folder.record?.process))
        #expect(try image.found(taken, in: .undumpable) == Set(taken.keys), "the search finds what is unlocked")

        try folder.keychain().device.lock()
        let found = try image.found(taken, in: .undumpable)
        #expect(found.isEmpty, "\(found.sorted())")
        #expect(try image.found(kept, in: .undumpable) == Set(kept.keys), "what outlives the lock is there")
        let secrets = try image.found(["the passcode": passcode, "the secret": secret])
        #expect(secrets.isEmpty, "\(secrets.sorted())")
        #expect(throws: KeychainError.self) { try read("ak", keychain) }
        _ = try read("dk", keychain)
    }

    private func read(_ account: String, _ keychain: any KeychainBackend) throws(KeychainError) -> KeychainAnswer {
        let query: PropertyDictionary = [
            "class": .string("genp"), "acct": .string(account), PropertyKey.returnAttributes: .boolean(true),
        ]
        return try keychain.perform(KeychainRequest(.copyMatching(query), client: Self.client))
    }

    private static func classKeys(_ keys: StoreKeysOnDisk, _ levels: [Accessibility]) throws -> [String: [UInt8]] {
        try levels.reduce(into: [:]) { found, level in
            found.merge(try keys.classKeys(level)) { first, _ in first }
        }
    }

    private static func randomBytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in .random(in: 0...255, using: &generator) }
    }
}

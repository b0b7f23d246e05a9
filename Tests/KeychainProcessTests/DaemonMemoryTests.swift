// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainTestSupport
import KeychainWire
import ServerTestSupport
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
        try expectLockWipes(folder.keychain(), byLockOf: folder.keychain()) { (passcode) in
            let keys = try StoreKeysOnDisk(folder.location.path, passcode: passcode, owner: .daemon, floor: .standard)
            return (keys, try #require(folder.record?.process))
        }
    }

    @Test(
        "the same of the system service, whose keys are those of all users",
        .enabled(if: SystemServiceFolder.isPossible, "only root runs programs as other users")
    )
    func lockOfService() throws {
        let service = try SystemServiceFolder()
        let copies = try TemporaryFolder()
        let keychain = DaemonKeychain(at: service.socket)
        try expectLockWipes(keychain, byLockOf: DaemonKeychain(at: service.socket)) { (passcode) in
            // Of this process's own user, as the checks of a store demand.
            let shell = Shell(environment: ["PATH": "/usr/bin:/bin"])
            let copy = copies.path(of: "store")
            #expect(try shell.run("/bin/cp", ["-r", "\(service.store)/0", copy]).status == 0)
            return (try StoreKeysOnDisk(copy, passcode: passcode, owner: .system, floor: .standard), service.process)
        }
    }

    /// Expects what a lock by another program takes out of the memory of a daemon, and what it leaves there.
    private func expectLockWipes(
        _ keychain: any KeychainBackend,
        byLockOf other: any KeychainBackend,
        _ found: (_ passcode: [UInt8]) throws -> (keys: StoreKeysOnDisk, process: pid_t)
    ) throws {
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
        let (keys, process) = try found(passcode)
        let taken = try Self.classKeys(keys, Accessibility.stored.filter { !$0.outlivesLock })
        let kept = try Self.classKeys(keys, Accessibility.stored.filter(\.outlivesLock))
        let image = MemoryImage(processIdentifier: process)
        #expect(try image.found(taken, in: .undumpable) == Set(taken.keys), "the search finds what is unlocked")

        try other.device.lock()
        let left = try image.found(taken, in: .undumpable)
        #expect(left.isEmpty, "\(left.sorted())")
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

// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainSimulation
import KeychainTestSupport
import Testing

/// What other processes and users of the host can do with a keychain that is in use (ThreatModel.md).
struct OtherAccessTests {
    @Test("every file of the folder is its owner's alone, whatever was done with the device")
    func modes() throws {
        let store = try GuardedStore()
        try store.device.lock()
        #expect(store.keychain.unlock("wrong") == .authenticationFailed)
        try store.device.unlock()
        try store.device.changePasscode(to: "new")
        try store.device.removePasscode()
        try store.device.setPasscode("again")
        let folder = try #require(store.device.path)
        #expect(try Self.mode(folder) == 0o700)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(Set(names).isSuperset(of: ["keychain.db", "keychain.db-wal", "root.key"]))
        for name in names { #expect(try Self.mode(store.file(name)) == 0o600, "\(name)") }
    }

    @Test("another user gets at no file", .enabled(if: geteuid() == 0, "only the superuser can become another user"))
    func anotherUser() async throws {
        let store = try GuardedStore()
        let folder = try #require(store.device.path)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(!names.isEmpty)
        // What lies above is open to everybody, as a home folder can be.
        #expect(chmod(URL(fileURLWithPath: folder).deletingLastPathComponent().path, 0o755) == 0)
        await #expect(processExitsWith: .success) { [folder = folder as String, names = names as [String]] in
            #expect(ChildProcess.becomeOrdinaryUser())
            #expect(opendir(folder) == nil && errno == EACCES)
            for name in names { #expect(open("\(folder)/\(name)", O_RDONLY) == -1 && errno == EACCES, "\(name)") }
            let thief = EmbeddedKeychain(at: KeychainLocation(path: folder))
            #expect(thief.levels == levels { _ in .failed(.notAvailable) })
        }
        withExtendedLifetime(store) {}
    }

    @Test("another process of the user has what is always available, and the rest when it knows the passcode")
    func anotherProcess() throws {
        let store = try GuardedStore()
        let process = try store.device.anotherProcess()
        #expect(process.levels == levelsBeforeFirstUnlock)
        #expect(process.unlock("a guess") == .authenticationFailed)
        #expect(process.levels == levelsBeforeFirstUnlock)
        #expect(process.unlock(GuardedStore.passcode) == nil)
        #expect(process.levels == allLevelsOpen)
    }

    @Test("a lock in one process locks all of them, and an unlock only the one")
    func lockOfAnotherProcess() throws {
        let store = try GuardedStore()
        let process = try store.device.anotherProcess()
        #expect(process.unlock(GuardedStore.passcode) == nil)
        try process.device.lock()
        #expect(store.keychain.levels == levelsWhileLocked)
        #expect(process.levels == levelsWhileLocked)
        #expect(process.unlock(GuardedStore.passcode) == nil)
        #expect(store.keychain.levels == levelsWhileLocked)
        #expect(process.levels == allLevelsOpen)
    }

    @Test("access groups are no boundary between the programs of a user: not defended")
    func groupsAreNoBoundary() throws {
        let store = try GuardedStore()
        let other = Client(accessGroups: ["OTHER.group"] + TestStore.client.accessGroups)
        let query: PropertyDictionary = [
            "class": .string("genp"), "acct": .string("ak"), "r_Data": .boolean(true),
        ]
        let answer = try store.keychain.perform(KeychainRequest(.copyMatching(query), client: other))
        #expect(answer == .single(.data(SecretBytes(Array(Accessibility.whenUnlocked.secretOfItem.utf8)))))
    }

    @Test("whoever may write to the folder can delete what they cannot read: not defended")
    func deletion() throws {
        let store = try GuardedStore()
        let process = try store.device.anotherProcess()
        #expect(process.delete("ak") == .done)
        #expect(store.keychain.secret("ak") == .failed(.itemNotFound))
        try store.raw().execute("DELETE FROM items_genp")
        #expect(store.keychain.levels == levels { _ in .failed(.itemNotFound) })
    }

    private static func mode(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }
}

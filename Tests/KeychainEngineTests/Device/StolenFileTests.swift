// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import KeychainCore
import KeychainEngine
import KeychainProtection
import KeychainSimulation
import KeychainTestSupport
import Testing

/// What a copy of the files gives to somebody who has it, with and without what belongs to it (ThreatModel.md).
struct StolenFileTests {
    @Test("without the root key nothing opens, whatever the passcode", arguments: [GuardedStore.passcode, nil])
    func withoutRootKey(_ passcode: String?) throws {
        try GuardedStore(passcode: passcode).withStolenFiles(replacing: ["root.key": nil]) { thief in
            #expect(thief.levels == nothingOpens)
            #expect(thief.unlock(GuardedStore.passcode) == .notAvailable)
            #expect(thief.everything() == .failed(.notAvailable))
        }
    }

    @Test("with another root key nothing opens, whatever the passcode")
    func withAnotherRootKey() throws {
        let another = [UInt8](repeating: 7, count: SoftwareRootKey.byteCount)
        try GuardedStore().withStolenFiles(replacing: ["root.key": another]) { thief in
            #expect(thief.levels == nothingOpens)
            #expect(thief.unlock(GuardedStore.passcode) == .notAvailable)
        }
    }

    @Test("with the root key and without the passcode only the levels that are always available open")
    func withoutPasscode() throws {
        let store = try GuardedStore()
        for _ in 0..<2 {
            try store.withStolenFiles { thief in
                #expect(thief.levels == levelsBeforeFirstUnlock)
                #expect(thief.unlock("a guess") == .authenticationFailed)
                #expect(thief.levels == levelsBeforeFirstUnlock)
                #expect(thief.everything() == .failed(.interactionNotAllowed))
            }
            // The files of a locked device give no more.
            try store.device.lock()
        }
    }

    @Test("with the root key and the passcode everything opens, on whatever host")
    func withEverything() throws {
        try GuardedStore().withStolenFiles { thief in
            #expect(thief.unlock(GuardedStore.passcode) == nil)
            #expect(thief.levels == allLevelsOpen)
        }
    }

    @Test("without a passcode set, the root key opens every level")
    func noPasscodeSet() throws {
        var expected = allLevelsOpen
        expected[.whenPasscodeSetThisDeviceOnly] = .failed(.itemNotFound)
        try GuardedStore(passcode: nil).withStolenFiles { thief in #expect(thief.levels == expected) }
    }

    @Test("a guess at the passcode cannot be tried without the root key")
    func guessesNeedTheRootKey() throws {
        let store = try GuardedStore()
        let rootKey = try SoftwareRootKey(copying: try #require(try store.files()["root.key"] ?? nil))
        let slot = try #require(
            try OpenKeybag(try store.keybag(), rootKey: rootKey, floor: ScryptFloor(of: .minimum)).passcodeSlot
        )
        let passcode = SecretBytes(Array(GuardedStore.passcode.utf8))
        #expect(try slot.open(passcode, rootKey: rootKey) != nil)
        #expect(try slot.open(passcode, rootKey: try SoftwareRootKey.ephemeral()) == nil)
        #expect(try slot.open(SecretBytes(Array("a guess".utf8)), rootKey: rootKey) == nil)
    }

    @Test("no file holds the passcode, or an unsalted hash of it, from its first to its last day")
    func passcodeIsNowhere() throws {
        let store = try GuardedStore()
        let passcodes = [GuardedStore.passcode, "another passcode, no shorter", "a wrong passcode, no shorter"]
        try Self.expectNoTrace(of: passcodes, in: store)
        #expect(store.keychain.unlock(passcodes[2]) == .authenticationFailed)
        try store.device.changePasscode(to: passcodes[1])
        try Self.expectNoTrace(of: passcodes, in: store)
        try store.device.lock()
        try store.device.unlock()
        try store.device.removePasscode()
        try Self.expectNoTrace(of: passcodes, in: store)
    }

    @Test("after the passcode is removed no file holds the keybag that had it")
    func keybagIsErased() throws {
        let store = try GuardedStore()
        let keybag = Data(try store.keybag())
        try store.device.removePasscode()
        for (name, bytes) in try store.files() {
            let isThere = Data(bytes ?? []).range(of: keybag) != nil
            #expect(!isThere, "\(name)")
        }
    }

    private static func expectNoTrace(of passcodes: [String], in store: GuardedStore) throws {
        for (name, bytes) in try store.files() {
            let contents = Data(bytes ?? [])
            for passcode in passcodes {
                let value = Data(passcode.utf8)
                let traces = [value, Data(SHA256.hash(data: value)), Data(Insecure.SHA1.hash(data: value))]
                for trace in traces {
                    let isThere = contents.range(of: trace) != nil
                    #expect(!isThere, "\(name)")
                }
            }
        }
    }
}

extension SoftwareRootKey {
    /// A root key of 32 bytes.
    init(copying bytes: [UInt8]) throws {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(ProtectionError) in try SoftwareRootKey(bytes) }
        }
        self = try result.get()
    }
}

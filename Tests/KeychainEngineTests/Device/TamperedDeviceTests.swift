// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainSimulation
import KeychainTestSupport
import Testing

/// What somebody gains who can write to the file: never another row's plaintext, and what else is said
/// (ThreatModel.md).
struct TamperedDeviceTests {
    // MARK: - Rows

    @Test(
        "secrets, or parts of them, that changed places open nothing",
        arguments: [(Accessibility.whenUnlocked, Accessibility.whenUnlocked), (.whenUnlocked, .always)],
        [true, false]
    )
    func swappedSecrets(_ levels: (Accessibility, Accessibility), _ isWhole: Bool) throws {
        let store = try GuardedStore()
        for (account, level) in [("one", levels.0), ("two", levels.1)] {
            #expect(store.keychain.add(account, "of \(account)", with: ["pdmn": .string(level.rawValue)]) == .done)
        }
        let raw = try store.raw()
        let numbers = try raw.run("SELECT id FROM items_genp ORDER BY id DESC LIMIT 2").compactMap(\.self)
            .map { String(decoding: $0, as: UTF8.self) }
        let secrets = try raw.run("SELECT secret FROM items_genp ORDER BY id DESC LIMIT 2").compactMap(\.self)
        try #require(secrets.count == 2 && numbers.count == 2)
        for (number, (own, other)) in zip(numbers, [(secrets[0], secrets[1]), (secrets[1], secrets[0])]) {
            let altered = isWhole ? other : Array(other.prefix(12) + own.dropFirst(12))
            try raw.run("UPDATE items_genp SET secret = ? WHERE id = \(number)", [altered])
        }
        #expect(store.keychain.secret("one") == .failed(.decode))
        #expect(store.keychain.secret("two") == .failed(.decode))
        #expect(store.keychain.levels == allLevelsOpen)
    }

    @Test(
        "a row that is passed off as one of another level does not open, locked or not",
        arguments: Accessibility.stored
    )
    func otherLevel(_ level: Accessibility) throws {
        for claimed in Accessibility.stored where claimed != level {
            for state in DeviceState.allCases where state != .noPasscode {
                let device = try VirtualDevice(storage: .file)
                let raw = try RawStore(path: "\(device.path ?? "")/keychain.db")
                #expect(device.keychain.add(level) == .done)
                try raw.run("UPDATE items_genp SET protection = '\(claimed.rawValue)'")
                try state.enter(device)
                let isThere = ModelAvailability(claimed, state) == .readable
                let expected = Answer.failed(isThere ? .decode : .interactionNotAllowed)
                #expect(device.keychain.secret(level.rawValue) == expected, "\(claimed), \(state)")
            }
        }
    }

    @Test("a row of another store does not open, whatever its level", arguments: Accessibility.stored)
    func rowOfAnotherStore(_ level: Accessibility) throws {
        let (one, two) = (try VirtualDevice(storage: .file), try VirtualDevice(storage: .file))
        #expect(one.keychain.add("item", "of one", with: ["pdmn": .string(level.rawValue)]) == .done)
        #expect(two.keychain.add("item", "of two", with: ["pdmn": .string(level.rawValue)]) == .done)
        let columns = ["uuid", "version", "metadata", "secret"]
        let from = try RawStore(path: "\(two.path ?? "")/keychain.db")
        let to = try RawStore(path: "\(one.path ?? "")/keychain.db")
        let values = try from.run("SELECT \(columns.joined(separator: ", ")) FROM items_genp")
        try to.run("UPDATE items_genp SET \(columns.map { "\($0) = ?" }.joined(separator: ", "))", values)
        #expect(one.keychain.secret("item") == .failed(.decode))
    }

    @Test(
        "a row of another generation than its keys is errSecDecode, locked or not",
        arguments: Accessibility.stored,
        DeviceState.allCases
    )
    func otherGeneration(_ level: Accessibility, _ state: DeviceState) throws {
        let store = try GuardedStore()
        try state.enter(store.device)
        let isDestroyed = state == .noPasscode && level == .whenPasscodeSetThisDeviceOnly
        if isDestroyed { #expect(store.keychain.secret(level.rawValue) == .failed(.itemNotFound)) }
        let raw = try store.raw()
        for generation in ["0", "2", "3", "4294967296", "-1", "'text'", "x'01'"] {
            try raw.run(
                "UPDATE items_genp SET generation = \(generation), damage = NULL WHERE protection = '\(level.rawValue)'"
            )
            #expect(store.keychain.secret(level.rawValue) == .failed(.decode), "\(generation)")
            #expect(try store.keychain.check().damagedRows.count == 1, "\(generation)")
        }
        #expect(store.keychain.delete(level.rawValue) == .done)
    }

    @Test("an item whose generation was altered is not swept away with those of a removed passcode")
    func otherGenerationAtRemoval() throws {
        let store = try GuardedStore()
        let raw = try store.raw()
        try raw.run("UPDATE items_genp SET generation = 0 WHERE protection = 'akpu'")
        try store.device.removePasscode()
        #expect(store.keychain.secret("akpu") == .failed(.decode))
        try store.device.setPasscode("new")
        #expect(store.keychain.secret("akpu") == .failed(.decode))
        try raw.run("UPDATE items_genp SET generation = 1, damage = NULL WHERE protection = 'akpu'")
        #expect(store.keychain.secret("akpu") == .failed(.decode))
    }

    @Test("an item passed off as one of a removed passcode is not found, and counted by a check: not defended")
    func passedOffAsDestroyed() throws {
        let store = try GuardedStore()
        try store.device.removePasscode()
        let destroyed = try store.keychain.check().destroyedRows
        try store.raw().run("UPDATE items_genp SET protection = 'akpu' WHERE protection = 'ak'")
        #expect(store.keychain.secret("ak") == .failed(.itemNotFound))
        #expect(try store.keychain.check().destroyedRows == destroyed + 1)
        // Where no passcode was ever removed there are none such.
        let fresh = try GuardedStore(passcode: nil)
        for generation in 0...2 {
            try fresh.raw().run("UPDATE items_genp SET protection = 'akpu', generation = \(generation), damage = NULL")
            #expect(fresh.keychain.secret("ak") == .failed(.decode), "\(generation)")
        }
    }

    @Test("a row that went with a passcode stays unreadable when it is put back")
    func destroyedRow() throws {
        let store = try GuardedStore()
        let raw = try store.raw()
        try raw.execute("CREATE TEMP TABLE kept AS SELECT * FROM items_genp WHERE protection = 'akpu'")
        try store.device.removePasscode()
        #expect(store.keychain.delete("akpu") == .done)
        try raw.execute("INSERT INTO items_genp SELECT * FROM kept")
        #expect(store.keychain.secret("akpu") == .failed(.itemNotFound))
        try store.device.setPasscode(GuardedStore.passcode)
        #expect(store.keychain.secret("akpu") == .failed(.itemNotFound))
        try raw.execute("INSERT INTO items_genp SELECT * FROM kept")
        // With a passcode there are none such.
        #expect(store.keychain.secret("akpu") == .failed(.decode))
        // Not even under the generation of the new passcode's keys.
        try raw.execute("UPDATE items_genp SET generation = generation + 1, damage = NULL WHERE protection = 'akpu'")
        #expect(store.keychain.secret("akpu") == .failed(.decode))
    }

    // MARK: - The keybag

    @Test("a keybag that is cut short is a typed error in every state", arguments: DeviceState.allCases, 0..<8)
    func truncatedKeybag(_ state: DeviceState, _ part: Int) throws {
        let store = try GuardedStore()
        try state.enter(store.device)
        let keybag = try store.keybag()
        try store.putKeybag(Array(keybag.prefix(keybag.count * part / 8)))
        #expect(store.keychain.levels == nothingOpens)
        #expect(store.keychain.unlock(GuardedStore.passcode) == .notAvailable)
        try store.putKeybag(keybag)
        try state.leave(store.device)
        #expect(store.keychain.secret("ak") == .secret(Accessibility.whenUnlocked.secretOfItem))
    }

    @Test("a keybag of another store of the same root key opens no row")
    func keybagOfAnotherStore() throws {
        let store = try GuardedStore()
        let rootKey = try #require(try store.files()["root.key"] ?? nil)
        let other = try TestStore.of(["root.key": rootKey])
        #expect(other.open().add("item", "of the other") == .done)
        try store.putKeybag(try #require(try other.raw().run("SELECT bytes FROM keybag")[0]))
        for answer in store.keychain.levels.values {
            // Its index key makes other tags, so that nothing is even found.
            #expect(answer == .failed(.itemNotFound))
        }
    }

    @Test("an older keybag brings the passcode back that it was made for, and nothing else: not defended")
    func olderKeybag() throws {
        let store = try GuardedStore()
        let older = try store.keybag()
        try store.device.changePasscode(to: "new")
        try store.putKeybag(older)
        let process = try store.device.anotherProcess()
        #expect(process.levels == levelsBeforeFirstUnlock)
        #expect(process.unlock("new") == .authenticationFailed)
        #expect(process.unlock(GuardedStore.passcode) == nil)
        #expect(process.levels == allLevelsOpen)
    }

    @Test("a keybag from before the passcode was removed brings no item back that asked for it")
    func keybagFromBeforeRemoval() throws {
        let store = try GuardedStore()
        let older = try store.keybag()
        try store.device.removePasscode()
        try store.device.setPasscode("new")
        #expect(store.keychain.add("akpu", "another secret", with: ["pdmn": .string("akpu")]) == .done)
        try store.putKeybag(older)
        let process = try store.device.anotherProcess()
        #expect(process.unlock(GuardedStore.passcode) == nil)
        // The item of the later passcode is of keys that the older keybag does not have.
        #expect(process.secret("akpu") == .failed(.decode))
        #expect(process.secret("ak") == .secret(Accessibility.whenUnlocked.secretOfItem))
    }

    @Test("a keybag from before a passcode was set opens without one: not defended")
    func keybagFromBeforePasscode() throws {
        let store = try GuardedStore(passcode: nil)
        let older = try store.keybag()
        try store.device.setPasscode("new")
        #expect(store.keychain.add(.whenPasscodeSetThisDeviceOnly) == .done)
        try store.device.lock()
        try store.putKeybag(older)
        let process = try store.device.anotherProcess()
        for level in Accessibility.stored where level != .whenPasscodeSetThisDeviceOnly {
            #expect(process.secret(level.rawValue) == .secret(level.secretOfItem))
        }
        #expect(process.secret("akpu") != .secret(Accessibility.whenPasscodeSetThisDeviceOnly.secretOfItem))
    }

    // MARK: - The device's record

    /// Puts a lock mark in place of the one that is there, in the same file.
    private func putMark(_ bytes: [UInt8], in store: GuardedStore) throws {
        try store.waitForLaterChange()
        let file = try #require(FileHandle(forUpdatingAtPath: store.file("lock.mark")))
        try file.write(contentsOf: Data(bytes))
        try file.truncate(atOffset: UInt64(bytes.count))
        try file.close()
    }

    @Test("a lock mark that is put back unlocks nothing that was locked")
    func markPutBack() throws {
        let store = try GuardedStore()
        let mark = try Array(Data(contentsOf: URL(fileURLWithPath: store.file("lock.mark"))))
        try store.device.lock()
        try putMark(mark, in: store)
        #expect(store.keychain.levels == levelsWhileLocked)
        #expect(try store.device.anotherProcess().levels == levelsBeforeFirstUnlock)
        try store.device.unlock()
        #expect(store.keychain.levels == allLevelsOpen)
    }

    @Test(
        "any other lock mark locks, a smaller and a larger one among them",
        arguments: [-1, 1, 0x80] as [Int]
    )
    func otherMark(_ difference: Int) throws {
        let store = try GuardedStore()
        let mark = try Array(Data(contentsOf: URL(fileURLWithPath: store.file("lock.mark"))))
        for index in [0, 7, 15] {
            var other = mark
            other[index] = UInt8(truncatingIfNeeded: Int(other[index]) + difference)
            try putMark(other, in: store)
            #expect(store.keychain.levels == levelsWhileLocked)
            try store.device.unlock()
            #expect(store.keychain.levels == allLevelsOpen, "an unlock is of the mark that is there")
            try putMark(mark, in: store)
            #expect(store.keychain.levels == levelsWhileLocked)
            try store.device.unlock()
        }
    }

    @Test("a lock mark that is put back before an unlocked process looked does not undo the lock")
    func markPutBackInTime() throws {
        let store = try GuardedStore()
        let mark = try Array(Data(contentsOf: URL(fileURLWithPath: store.file("lock.mark"))))
        // Another process locks, while this one does nothing.
        try store.device.anotherProcess().device.lock()
        try putMark(mark, in: store)
        #expect(store.keychain.levels == levelsWhileLocked)
    }

    @Test("a folder that is away during a lock and is put back leaves the keys with who did not look: not defended")
    func folderPutBack() throws {
        let store = try GuardedStore()
        let path = try #require(store.device.path)
        #expect(rename(path, "\(path).away") == 0)
        try FileManager.default.copyItem(atPath: "\(path).away", toPath: path)
        #expect(chmod(path, 0o700) == 0)
        try store.device.anotherProcess().device.lock()
        try FileManager.default.removeItem(atPath: path)
        #expect(rename("\(path).away", path) == 0)
        #expect(store.keychain.levels == allLevelsOpen)
    }

    @Test("wrong passcodes that are taken out of the record can be tried again: not defended")
    func alteredAttempts() throws {
        let store = try GuardedStore()
        for _ in 0..<6 {
            store.device.clock.advance(by: .seconds(100_000))
            #expect(store.keychain.unlock("wrong") == .authenticationFailed)
        }
        #expect(try store.keychain.device.status().secondsUntilNextAttempt > 0)
        #expect(store.keychain.unlock(GuardedStore.passcode) == .authenticationFailed)
        try store.raw().execute("UPDATE device SET failed_attempts = 0")
        #expect(store.keychain.unlock(GuardedStore.passcode) == nil)
    }

    @Test(
        "a record of impossible values is a typed error or does what it says, and gives out no key",
        arguments: [
            "keybag_revision = 9223372036854775807", "keybag_revision = -1", "keybag_revision = 'text'",
            "keybag_revision = x'00'", "interrupted_attempts = 9223372036854775807", "interrupted_attempts = -1",
            "failed_attempts = 9223372036854775807", "failed_attempts = -9223372036854775808",
            "failed_attempts = 1000000, last_attempt_boot = 'another', last_attempt_seconds = 1e300, last_attempt_date = 1",
            "failed_attempts = 1000000, last_attempt_boot = 'a', last_attempt_seconds = 1.0, last_attempt_date = 1e300",
            "failed_attempts = 4611686018427387904, interrupted_attempts = 4611686018427387904",
            "last_attempt_boot = x'ff', last_attempt_seconds = 9e999", "auto_lock_seconds = -1",
            "auto_lock_seconds = 9223372036854775807", "erase_after_attempts = 0", "erase_after_attempts = 'two'",
            "owes_log_erasure = 77", "id = 1",
        ]
    )
    func impossibleRecord(_ assignment: String) throws {
        let store = try GuardedStore()
        try store.device.lock()
        try store.raw().execute("UPDATE device SET \(assignment)")
        let process = try store.device.anotherProcess()
        for (level, answer) in process.levels {
            let isRight = answer == levelsBeforeFirstUnlock[level] || answer == .failed(.notAvailable)
            #expect(isRight, "\(level): \(answer)")
        }
        let unlocked = store.keychain.unlock(GuardedStore.passcode)
        #expect([nil, .authenticationFailed, .notAvailable].contains(unlocked))
    }

    @Test("a record that is missing is a typed error")
    func missingRecord() throws {
        let store = try GuardedStore()
        try store.raw().execute("DELETE FROM device")
        #expect(store.keychain.levels == nothingOpens)
    }

    // MARK: - The whole file

    @Test("a whole file that is put back brings back what it held, its passcode included: not defended")
    func olderFile() throws {
        let store = try GuardedStore()
        let older = try store.files()
        #expect(store.keychain.delete("ak") == .done)
        try store.device.changePasscode(to: "new")
        try store.withStolenFiles(replacing: older) { process in
            #expect(process.unlock("new") == .authenticationFailed)
            #expect(process.unlock(GuardedStore.passcode) == nil)
            #expect(process.levels == allLevelsOpen)
        }
    }
}

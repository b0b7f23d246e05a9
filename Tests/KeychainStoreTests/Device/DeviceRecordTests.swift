// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainStore
import KeychainTestSupport
import Testing

struct DeviceRecordTests {
    private static let atBoot: DeviceRecord = {
        var record = DeviceRecord()
        record.lastAttempt = HostTime(bootIdentifier: "", secondsSinceBoot: 0, date: .referenceDate)
        return record
    }()

    @Test("a record comes back as it was, in a file and in memory", arguments: [.full, atBoot, DeviceRecord()])
    func comesBack(_ record: DeviceRecord) throws {
        let folder = try StoreFolder()
        for store in try [folder.open(), Store(inMemoryWithKeybag: [1])] {
            #expect(try store.deviceRecord() == DeviceRecord())
            for record in [DeviceRecord.full, record] {
                try store.write { (writer) throws(KeychainError) in try writer.setDeviceRecord(record) }
                #expect(try store.deviceRecord() == record)
            }
        }
        #expect(try folder.open().deviceRecord() == record)
    }

    @Test("the keybag and the record change independently, together, or not at all")
    func changesTogether() throws {
        let folder = try StoreFolder()
        defer { withExtendedLifetime(folder) {} }
        let store = try folder.open(keybag: [1])
        try store.setKeybag([2, 3])
        #expect(try store.keybag() == [2, 3])
        #expect(try store.deviceRecord() == DeviceRecord())
        #expect(throws: KeychainError.self) {
            try store.write { (writer) throws(KeychainError) in
                try writer.setKeybag([4])
                try writer.setDeviceRecord(.full)
                throw KeychainError(.internalComponent, "stop")
            }
        }
        #expect(try store.keybag() == [2, 3])
        #expect(try store.deviceRecord() == DeviceRecord())
    }

    @Test("a record is read again after every change, by whatever connection, and after one that was undone")
    func isReadAgain() throws {
        let folder = try StoreFolder()
        let stores = [try folder.open(), try folder.open()]
        for number in Int64(1)...3 {
            for (store, other) in [(stores[0], stores[1]), (stores[1], stores[0])] {
                for store in stores { _ = try store.deviceRecord() }
                var record = DeviceRecord.full
                record.keybagRevision = number
                try store.write { (writer) throws(KeychainError) in try writer.setDeviceRecord(record) }
                #expect(try other.deviceRecord() == record && store.deviceRecord() == record)
                #expect(throws: KeychainError.self) {
                    try store.write { (writer) throws(KeychainError) in
                        try writer.setDeviceRecord(Self.atBoot)
                        // What is read here is undone as well.
                        #expect(try writer.deviceRecord() == Self.atBoot)
                        throw KeychainError(.internalComponent, "stop")
                    }
                }
                #expect(try store.deviceRecord() == record && other.deviceRecord() == record)
                try folder.raw().execute("UPDATE device SET failed_attempts = \(number + 20)")
                #expect(try store.deviceRecord().failedAttempts == number + 20)
            }
        }
    }

    @Test("a change of this connection keeps what it knows of the record, and not what another one changed before it")
    func isKnownAfterAChange() throws {
        let folder = try StoreFolder()
        let (store, other) = (try folder.open(), try folder.open())
        #expect(try store.deviceRecord() == DeviceRecord())
        try store.add([.sample(.genericPassword, 1, protection: "ak")])
        #expect(try store.deviceRecord() == DeviceRecord())
        try other.write { (writer) throws(KeychainError) in try writer.setDeviceRecord(.full) }
        // Nobody looks at the record in this change.
        try store.add([.sample(.genericPassword, 2, protection: "ak")])
        #expect(try store.deviceRecord() == .full)
    }

    @Test(
        "a record that is missing or malformed is errSecNotAvailable, and says what is wrong",
        arguments: [
            "DELETE FROM device", "DROP TABLE device", "ALTER TABLE device DROP COLUMN keybag_revision",
            "UPDATE device SET keybag_revision = -1", "UPDATE device SET keybag_revision = 'x'",
            "UPDATE device SET keybag_revision = 9223372036854775807", "UPDATE device SET keybag_revision = x'00'",
            "UPDATE device SET interrupted_attempts = -1", "UPDATE device SET interrupted_attempts = 'x'",
            "UPDATE device SET keybag_revision = 0.5", "UPDATE device SET failed_attempts = -1",
            "UPDATE device SET failed_attempts = 9223372036854775807", "UPDATE device SET last_attempt_boot = 'x'",
            "UPDATE device SET last_attempt_seconds = 1", "UPDATE device SET auto_lock_seconds = 0",
            "UPDATE device SET last_attempt_date = 1",
            "UPDATE device SET last_attempt_boot = 'x', last_attempt_date = 1",
            "UPDATE device SET last_attempt_boot = 'x', last_attempt_seconds = 1",
            "UPDATE device SET last_attempt_boot = 'x', last_attempt_seconds = -1, last_attempt_date = 1",
            "UPDATE device SET last_attempt_boot = 'x', last_attempt_seconds = 9e999, last_attempt_date = 1",
            "UPDATE device SET last_attempt_boot = 'x', last_attempt_seconds = 'x', last_attempt_date = 1",
            "UPDATE device SET last_attempt_boot = 'x', last_attempt_seconds = 1, last_attempt_date = -9e999",
            "UPDATE device SET last_attempt_boot = x'00', last_attempt_seconds = 1, last_attempt_date = 1",
            "UPDATE device SET auto_lock_seconds = 'x'", "UPDATE device SET erase_after_attempts = -1",
            "UPDATE device SET owes_log_erasure = 2",
        ]
    )
    func malformed(_ sql: String) throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try folder.raw().execute(sql)
        for isOpen in [true, false] {
            let failure = #expect(throws: KeychainError.self) {
                try (isOpen ? store : folder.open()).deviceRecord()
            }
            #expect(failure?.status == .notAvailable)
            #expect(failure?.reason.contains("device") ?? false)
        }
    }

    @Test(
        "a keybag that is missing or no bytes is errSecNotAvailable, to read and to replace",
        arguments: ["DELETE FROM keybag", "DROP TABLE keybag", "UPDATE keybag SET bytes = 'text'"]
    )
    func missingKeybag(_ sql: String) throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try folder.raw().execute(sql)
        let failure = #expect(throws: KeychainError.self) { try store.keybag() }
        #expect(failure?.status == .notAvailable)
        #expect(failure?.reason.contains("keybag") ?? false)
        if sql.hasPrefix("UPDATE") { return }
        #expect(throws: KeychainError.self) { try store.setKeybag([1]) }
    }

    @Test("a record that is not there cannot be replaced")
    func missingRecord() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try folder.raw().execute("DELETE FROM device")
        let failure = #expect(throws: KeychainError.self) {
            try store.write { (writer) throws(KeychainError) in try writer.setDeviceRecord(.full) }
        }
        #expect(failure?.status == .notAvailable)
    }
}

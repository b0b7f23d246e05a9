// SPDX-License-Identifier: Apache-2.0

import KeychainSimulation
import Security
import Testing

@Suite("A store that is full, read-only or damaged")
struct StorageConditionTests {
    /// What the four calls answer under a condition.
    struct Case: Sendable, CustomTestStringConvertible {
        let condition: StorageCondition
        var read = errSecSuccess
        let add: OSStatus
        var update: OSStatus
        var delete: OSStatus
        var isOfFiles = false

        var testDescription: String { "\(condition)" }

        /// A condition of the files, under which every call answers the same.
        static func ofFiles(_ condition: StorageCondition, _ status: OSStatus) -> Case {
            Case(condition: condition, read: status, add: status, update: status, delete: status, isOfFiles: true)
        }
    }

    static let cases: [Case] = [
        Case(condition: .full, add: errSecDiskFull, update: errSecDiskFull, delete: errSecDiskFull),
        Case(condition: .readOnly, add: errSecReadOnly, update: errSecReadOnly, delete: errSecReadOnly),
        Case(
            condition: .everyItemDamaged,
            read: errSecDecode,
            add: errSecSuccess,
            update: errSecDecode,
            delete: errSecSuccess
        ),
        .ofFiles(.unreadable, errSecNotAvailable),
        .ofFiles(.rootKeyMissing, errSecNotAvailable),
        .ofFiles(.rootKeyDamaged, errSecNotAvailable),
    ]

    @Test("What each call answers, and that nothing is lost", arguments: cases, VirtualDevice.Storage.allCases)
    func calls(_ expected: Case, _ storage: VirtualDevice.Storage) throws {
        guard !expected.isOfFiles || storage == .file else { return }
        let device = try VirtualDevice(storage: storage)
        let app = device.install()
        for account in ["read", "updated", "deleted"] { app.add(account) }
        try device.setStorageCondition(expected.condition)
        #expect(device.storageCondition == expected.condition)
        #expect(app.read("read") == expected.read)
        #expect(app.add("added") == expected.add)
        #expect(app.update("updated") == expected.update)
        #expect(app.delete("deleted") == expected.delete)
        #expect(app.read("read") == expected.read)
        try device.setStorageCondition(.healthy)
        #expect(app.read("read") == errSecSuccess)
        #expect(app.read("updated") == errSecSuccess)
        #expect(app.read("deleted") == (expected.delete == errSecSuccess ? errSecItemNotFound : errSecSuccess))
        #expect(app.read("added") == (expected.add == errSecSuccess ? errSecSuccess : errSecItemNotFound))
        for call in [app.add("later"), app.update("read"), app.delete("read")] { #expect(call == errSecSuccess) }
    }

    @Test("A duplicate is told even where there is no room")
    func duplicate() throws {
        let device = try VirtualDevice()
        let app = device.install()
        app.add("item")
        try device.setStorageCondition(.full)
        #expect(app.add("item") == errSecDuplicateItem)
    }

    @Test(
        "The device can be locked and unlocked where nothing can be stored",
        arguments: [StorageCondition.full, .readOnly]
    )
    func lock(_ condition: StorageCondition) throws {
        let device = try VirtualDevice()
        let app = device.install()
        app.add("item")
        try device.setStorageCondition(condition)
        try device.lock()
        #expect(app.read("item") == errSecInteractionNotAllowed)
        try device.unlock()
        #expect(app.read("item") == errSecSuccess)
    }

    @Test("One item is damaged, and no other", arguments: VirtualDevice.Storage.allCases)
    func oneItem(_ storage: VirtualDevice.Storage) throws {
        let device = try VirtualDevice(storage: storage)
        let app = device.install()
        app.add("sound")
        app.add("damaged")
        let reference = try #require(app.persistentReference("damaged"))
        try device.setStorageCondition(.itemDamaged(persistentReference: reference))
        #expect(app.read("sound") == errSecSuccess)
        #expect(app.read("damaged") == errSecDecode)
        #expect(app.add("damaged") == errSecSuccess)
        #expect(app.read("damaged") == errSecSuccess)
        try device.setStorageCondition(.healthy)
        #expect(app.read("sound") == errSecSuccess)
        #expect(app.read("damaged") == errSecSuccess)
    }

    @Test("What cannot be damaged is refused")
    func refusals() throws {
        let device = try VirtualDevice()
        let app = device.install()
        app.add("item")
        let reference = try #require(app.persistentReference("item"))
        #expect(app.delete("item") == errSecSuccess)
        for condition in [
            StorageCondition.unreadable, .rootKeyMissing, .rootKeyDamaged,
            .itemDamaged(persistentReference: reference), .itemDamaged(persistentReference: Data([1, 2, 3])),
        ] {
            #expect(throws: VirtualDeviceError.self) { try device.setStorageCondition(condition) }
            #expect(device.storageCondition == .healthy)
        }
    }

    @Test("One condition takes the place of another")
    func replacement() throws {
        let device = try VirtualDevice(storage: .file)
        let app = device.install()
        app.add("item")
        for condition in [StorageCondition.unreadable, .full, .everyItemDamaged, .rootKeyDamaged, .readOnly] {
            try device.setStorageCondition(condition)
        }
        #expect(app.read("item") == errSecSuccess)
        #expect(app.add("other") == errSecReadOnly)
    }
}

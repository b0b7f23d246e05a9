// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainStore
import KeychainTestSupport
import Testing

@testable import KeychainEngine

/// Which record of the device counts when calls side by side see several.
struct DeviceSessionTests {
    private let session = DeviceSession(SettableHostClock(), .device)
    private let folder: TemporaryFolder
    private let made: NewKeybag

    init() throws {
        folder = try TemporaryFolder()
        made = try NewKeybag.ephemeral(random: SystemRandomSource(), passcode: SecretBytes([0x31]), .minimum).1
    }

    private var path: String { folder.path(of: "keychain") }

    /// The store at the path; there is a new one where there was none.
    private func openStore() throws -> Store {
        try Store.open(in: PrivateDirectory(KeychainLocation(path: path)), options: StoreOptions()) { made.bytes }
    }

    private func device(_ store: Store, revision: Int64, autoLockAfterSeconds: Int64) -> StoredDevice {
        var record = DeviceRecord()
        record.keybagRevision = revision
        record.autoLockAfterSeconds = autoLockAfterSeconds
        return StoredDevice(keybag: made.keybag, record: record, file: store.file)
    }

    @Test("of one file the newest record counts, whichever call comes last")
    func newest() throws {
        let store = try openStore()
        #expect(session.adoptFile(of: store))
        session.install(try #require(made.unlocked), of: device(store, revision: 7, autoLockAfterSeconds: 10), nil)
        #expect(session.lockIfIdle() == 10)
        _ = session.keys(of: device(store, revision: 6, autoLockAfterSeconds: 5), nil)
        #expect(session.lockIfIdle() == 10)
        _ = session.keys(of: device(store, revision: 8, autoLockAfterSeconds: 20), nil)
        #expect(session.lockIfIdle() == 20)
    }

    @Test("the record of a file that was replaced does not count, not even for a call that still reads it")
    func replacedFile() throws {
        let old = try openStore()
        #expect(session.adoptFile(of: old))
        session.install(try #require(made.unlocked), of: device(old, revision: 7, autoLockAfterSeconds: 10), nil)

        let aside = folder.path(of: "aside")
        try FileManager.default.moveItem(atPath: path, toPath: aside)
        let new = try openStore()
        #expect(!session.adoptFile(of: old))
        #expect(session.adoptFile(of: new))
        session.recordWritten(device(new, revision: 3, autoLockAfterSeconds: 60))
        #expect(session.lockIfIdle() == 60)
        _ = session.keys(of: device(old, revision: 8, autoLockAfterSeconds: 5), nil)
        #expect(session.lockIfIdle() == 60)
        session.recordWritten(device(new, revision: 4, autoLockAfterSeconds: 30))
        #expect(session.lockIfIdle() == 30)

        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: aside, toPath: path)
        #expect(!session.adoptFile(of: new))
        #expect(session.adoptFile(of: old))
        session.recordWritten(device(old, revision: 1, autoLockAfterSeconds: 90))
        #expect(session.lockIfIdle() == 90)
    }
}

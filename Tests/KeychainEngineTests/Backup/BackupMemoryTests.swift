// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainTestSupport
import Synchronization
import Testing

/// The memory that counts as a command's, of those that read a whole keychain or a whole backup.
struct BackupMemoryTests {
    /// The memory of commands, and the limit.
    private final class Memory: Sendable {
        private let state = Mutex((reserved: 0, limit: Int.max))

        var reserved: Int { state.withLock(\.reserved) }

        func reserve(_ byteCount: Int) -> Bool {
            state.withLock { state in
                state.reserved += byteCount
                return state.reserved <= state.limit
            }
        }

        /// Starts another command.
        func begin(limit: Int = .max) { state.withLock { $0 = (0, limit) } }
    }

    private static let secret = SecretBytes([7])
    private static let toReply = BackupRequest(to: .reply, secret: .given(secret))

    private let folder: TemporaryFolder
    private let memory = Memory()
    private let keychain: EmbeddedKeychain

    init() throws {
        folder = try TemporaryFolder()
        var device = DeviceOptions()
        device.reserveMemory = { [memory] byteCount in memory.reserve(byteCount) }
        keychain = EmbeddedKeychain(at: KeychainLocation(path: folder.path(of: "k")), device: device)
    }

    private func add(_ count: Int, megabytes: Int = 1) {
        let secret = String(repeating: "x", count: megabytes << 20)
        for index in 0..<count { #expect(keychain.add("a\(index)", secret) == .done) }
    }

    @Test("a backup that is sent counts, and is not completed where there is no room for it")
    func sent() throws {
        add(4)
        memory.begin()
        #expect(try keychain.maintenance.createBackup(Self.toReply).report.items == 4)
        #expect(memory.reserved >= 4 << 20)
        memory.begin(limit: 2 << 20)
        let refusal = #expect(throws: KeychainError.self) { try keychain.maintenance.createBackup(Self.toReply) }
        #expect(refusal?.status == .allocate)
        #expect(memory.reserved < 4 << 20)
    }

    @Test("a backup that is too large to be sent is refused as soon as that is known, and not made first")
    func tooLarge() throws {
        add(10, megabytes: 8)
        memory.begin()
        let refusal = #expect(throws: KeychainError.self) { try keychain.maintenance.createBackup(Self.toReply) }
        #expect(refusal?.status == .dataTooLarge)
        #expect(memory.reserved <= 64 << 20)
    }

    @Test("a merge compares one item at a time, so that a backup can be merged into the keychain that it is of")
    func merge() throws {
        add(4)
        let backup = folder.path(of: "backup")
        let request = BackupRequest(to: .path(backup), secret: .given(Self.secret))
        #expect(try keychain.maintenance.createBackup(request).report.items == 4)
        for isTrial in [true, false] {
            memory.begin(limit: 2 << 20)
            let merge = BackupMerge(isTrial: isTrial)
            let report = try keychain.maintenance.mergeBackup(from: .path(backup), secret: Self.secret, merge)
            #expect(report.equal == 4 && report.added.count == 0)
        }
    }

    @Test("a check reads one item at a time, so that a keychain of any size can be checked")
    func check() throws {
        add(4)
        memory.begin(limit: 2 << 20)
        let report = try keychain.check()
        #expect(report.intactRows == 4 && report.damagedRows.isEmpty)
    }
}

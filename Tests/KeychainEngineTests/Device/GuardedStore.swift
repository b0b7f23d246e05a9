// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainEngine
import KeychainSimulation
import KeychainTestSupport
import Testing

/// A keychain on disk with an item of every level, for attacks on its files.
struct GuardedStore {
    let device: VirtualDevice

    static let passcode = "correct horse battery staple"

    /// Makes the keychain, and leaves it unlocked.
    init(passcode: String? = Self.passcode) throws {
        device = try VirtualDevice(passcode: passcode, storage: .file)
        for level in Accessibility.stored where passcode != nil || level != .whenPasscodeSetThisDeviceOnly {
            try #require(keychain.add(level) == .done)
        }
    }

    var keychain: EmbeddedKeychain { device.keychain }

    /// The path of a file of the keychain.
    func file(_ name: String) -> String { "\(device.path ?? "")/\(name)" }

    /// The database behind the keychain's back.
    func raw() throws -> RawStore { try RawStore(path: file("keychain.db")) }

    /// The bytes of the keybag.
    func keybag() throws -> [UInt8] { try #require(try raw().run("SELECT bytes FROM keybag")[0]) }

    /// Puts a keybag in place of the one that is there, and has processes look at it.
    func putKeybag(_ bytes: [UInt8]) throws {
        try raw().run("UPDATE keybag SET bytes = ?", [bytes])
        try raw().execute("UPDATE device SET keybag_revision = keybag_revision + 1")
    }

    /// Waits until the kernel notes a later time for a change of a file than that of the last change of the lock mark:
    /// its clock for files may go by ticks of some milliseconds.
    func waitForLaterChange() throws {
        func change(_ name: String) throws -> [Int] {
            var status = stat()
            try #require(lstat(file(name), &status) == 0)
            return [status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
        }
        let mark = try change("lock.mark")
        repeat {
            try Data([0]).write(to: URL(fileURLWithPath: file("probe")))
        } while try change("probe") == mark
        try FileManager.default.removeItem(atPath: file("probe"))
    }

    /// Every file that is worth stealing, by its name: the log's index holds nothing, and is created again.
    func files() throws -> [String: [UInt8]?] {
        var files: [String: [UInt8]?] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: file("")) where !name.hasSuffix("-shm") {
            files[name] = Array(try Data(contentsOf: URL(fileURLWithPath: file(name))))
        }
        return files
    }

    /// Runs `body` on a copy of the files somewhere else.
    func withStolenFiles(
        replacing replacements: [String: [UInt8]?] = [:],
        _ body: (EmbeddedKeychain) throws -> Void
    ) throws {
        let copy = try TestStore.of(try files().merging(replacements) { $1 }.compactMapValues(\.self))
        try withExtendedLifetime(copy) { try body(copy.open()) }
    }
}

// MARK: - An item of every level

extension Accessibility {
    var secretOfItem: String { "the secret of \(rawValue)" }
}

extension EmbeddedKeychain {
    func add(_ level: Accessibility) -> Answer {
        add(level.rawValue, level.secretOfItem, with: ["pdmn": .string(level.rawValue)])
    }

    /// What reading the item of every level gives.
    var levels: [Accessibility: Answer] {
        Dictionary(uniqueKeysWithValues: Accessibility.stored.map { ($0, secret($0.rawValue)) })
    }

    /// Gives a passcode.
    ///
    /// - Returns: The status of the refusal; `nil` when it is right.
    func unlock(_ passcode: String) -> Status? {
        do throws(KeychainError) {
            try device.unlock(passcode: SecretBytes(Array(passcode.utf8)))
            return nil
        } catch {
            return error.status
        }
    }
}

/// What reading the item of every level must give.
func levels(_ answer: (Accessibility) -> Answer) -> [Accessibility: Answer] {
    Dictionary(uniqueKeysWithValues: Accessibility.stored.map { ($0, answer($0)) })
}

/// Nothing can be told of any level.
let nothingOpens = levels { _ in .failed(.notAvailable) }

/// Every level opens.
let allLevelsOpen = levels { .secret($0.secretOfItem) }

/// What is open before first unlock: the levels that are always available.
let levelsBeforeFirstUnlock = levels { level in
    level.isAlwaysAvailable ? .secret(level.secretOfItem) : .failed(.interactionNotAllowed)
}

/// What is open on a locked device that was unlocked since boot.
let levelsWhileLocked = levels { level in
    level.outlivesLock ? .secret(level.secretOfItem) : .failed(.interactionNotAllowed)
}

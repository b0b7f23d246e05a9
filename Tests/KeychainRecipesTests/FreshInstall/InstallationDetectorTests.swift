// SPDX-License-Identifier: Apache-2.0

import Foundation
import Keychain
import KeychainRecipes
import KeychainTesting
import Security
import Synchronization
import Testing

@Suite("Telling a fresh installation", .keychain) struct InstallationDetectorTests {
    private let marks = Marks()
    private let login = GenericPassword(service: "com.example.app", account: "token")
    private let keychain = SystemKeychain()
    private var device: VirtualDevice { get throws { try #require(App.current).device } }

    /// The app's own store.
    final class Marks: InstallationMarkStore {
        let mark = Mutex<String?>(nil)
        let isWritable = Mutex(true)
        let isReadable = Mutex(true)
        func readMark() throws(InstallationMarkError) -> String? {
            guard isReadable.withLock({ $0 }) else { throw InstallationMarkError() }
            return mark.withLock { $0 }
        }
        func writeMark(_ text: String) -> Bool {
            guard isWritable.withLock({ $0 }) else { return false }
            mark.withLock { $0 = text }
            return true
        }
    }

    private func detector(_ marks: Marks? = nil) -> InstallationDetector {
        InstallationDetector(service: "com.example.app.mark", in: keychain, marks: marks ?? self.marks)
    }

    @Test("fresh, then known; looking changes nothing, and marking twice neither") func life() throws {
        #expect(try detector().detect() == .fresh)
        #expect(try detector().detect() == .fresh)
        try detector().mark()
        #expect(try detector().detect() == .known)
        let mark = try marks.readMark()
        try detector().mark()
        #expect(try marks.readMark() == mark)
    }

    @Test("reinstalled: leftovers, which are deleted on demand only") func reinstalled() throws {
        try detector().mark()
        try keychain.set("t0ken", for: login, protection: .accessible(.whenUnlocked))
        let again = Marks()
        #expect(try detector(again).detect() == .reinstalled)
        #expect(try keychain.contains(login))
        #expect(try detector(again).deleteLeftovers(matching: .all(ofService: "com.example.app")))
        #expect(try !keychain.contains(login))
        // The mark is of another service: an app that ends here goes on at its next start.
        #expect(try detector(again).detect() == .reinstalled)
        #expect(try !detector(again).deleteLeftovers(matching: .all(ofService: "com.example.app")))
        try detector(again).mark()
        #expect(try detector(again).detect() == .known)
    }

    @Test("restored to another device, where the items that stay on theirs are not") func restored() throws {
        try detector().mark()
        let other = try VirtualDevice().install(#require(App.current).entitlements)
        try other.run {
            #expect(try detector().detect() == .restored)
            try detector().mark()
            #expect(try detector().detect() == .known)
        }
        #expect(try detector().detect() == .restored, "the mark of the other device")
    }

    @Test("locked is not fresh, and deletes nothing") func locked() throws {
        try detector().mark()
        try keychain.set("t0ken", for: login, protection: .accessible(.whenUnlocked))
        try device.lock()
        #expect(try detector().detect() == .known, "the mark can be read after the first unlock")
        try device.reboot()
        let again = Marks()
        for marks in [marks, again] {
            #expect(try detector(marks).detect() == .undetermined)
            #expect(throws: InstallationError.self) {
                try detector(marks).deleteLeftovers(matching: .all(ofService: "com.example.app"))
            }
            #expect(throws: InstallationError.self) { try detector(marks).mark() }
        }
        #expect(try again.readMark() == nil)
        try device.unlock()
        #expect(try keychain.contains(login))
        #expect(try detector(again).detect() == .reinstalled)
    }

    @Test("an own mark that cannot be read is not none, and deletes nothing") func unreadableMark() throws {
        try detector().mark()
        try keychain.set("t0ken", for: login, protection: .accessible(.whenUnlocked))
        marks.isReadable.withLock { $0 = false }
        #expect(try detector().detect() == .undetermined)
        #expect(throws: InstallationError.self) {
            try detector().deleteLeftovers(matching: .all(ofService: "com.example.app"))
        }
        #expect(throws: InstallationError.self) { try detector().mark() }
        #expect(try keychain.contains(login))
        marks.isReadable.withLock { $0 = true }
        #expect(try detector().detect() == .known)
    }

    @Test("refuses to delete unless the app was reinstalled") func noLeftovers() throws {
        try keychain.set("t0ken", for: login, protection: .accessible(.whenUnlocked))
        for step in [Installation.fresh, .known] {
            do {
                try detector().deleteLeftovers(matching: .all(ofService: "com.example.app"))
                Issue.record("deleted")
            } catch InstallationError.noLeftovers(let installation) { #expect(installation == step) }
            try detector().mark()
        }
        #expect(try keychain.contains(login))
    }

    @Test("a start that ended between the two marks deletes nothing that anybody stored") func interrupted() throws {
        marks.isWritable.withLock { $0 = false }
        #expect(throws: InstallationError.self) { try detector().mark() }
        #expect(try detector().detect() == .reinstalled)
        marks.isWritable.withLock { $0 = true }
        try detector().mark()
        #expect(try detector().detect() == .known)
    }

    @Test("says that the keychain failed for another reason") func failure() throws {
        let device = try device
        let unreadable = device.faults.fail(with: errSecIO, times: nil)
        #expect(throws: InstallationError.self) { try detector().detect() }
        unreadable.remove()
        let unwritable = device.faults.fail(with: errSecReadOnly, on: [.set], times: nil)
        #expect(throws: InstallationError.self) { try detector().mark() }
        #expect(unwritable.count == 1)
        #expect(try marks.readMark() == nil)
    }

    @Test("user defaults keep a mark") func defaults() throws {
        let suite = "recipes-\(UUID())"
        defer { UserDefaults().removePersistentDomain(forName: suite) }
        let mark = UserDefaultsMark(suite: suite)
        #expect(try mark.readMark() == nil)
        #expect(mark.writeMark("one"))
        #expect(try UserDefaultsMark(suite: suite).readMark() == "one")
        try #require(UserDefaults(suiteName: suite)).set(Data([1]), forKey: mark.key)
        #expect(throws: InstallationMarkError.self) { try mark.readMark() }
    }
}

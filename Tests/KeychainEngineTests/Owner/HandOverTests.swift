// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainTestSupport
import Testing

@testable import KeychainEngine

/// A store that is handed over to the daemon and back: one owner at each moment, and nothing is lost.
struct HandOverTests {
    private let store: TestStore
    private let embedded: EmbeddedKeychain
    private let daemon: EmbeddedKeychain

    init() throws {
        store = try TestStore()
        embedded = store.open()
        daemon = Self.daemon(store)
        #expect(embedded.add("anna", "secret") == .done)
    }

    private static func daemon(_ store: TestStore) -> EmbeddedKeychain {
        var device = DeviceOptions()
        device.passwordWork = .minimum
        device.owner = .daemon
        return EmbeddedKeychain(at: KeychainLocation(path: store.path), device: device)
    }

    @Test("one owner at a time can open the store, also where both had it open before")
    func oneOwner() throws {
        for round in 0..<3 {
            #expect(daemon.failure()?.foreignOwner == .embedded)
            try embedded.handOver(to: .daemon)
            #expect(embedded.failure()?.foreignOwner == .daemon)
            #expect(embedded.add("bert", "secret") == .failed(.notAvailable))
            #expect(store.open().failure()?.foreignOwner == .daemon)
            #expect(daemon.secret("anna") == .secret("secret"))
            #expect(daemon.add("round \(round)", "secret") == .done)
            try daemon.handOver(to: .embedded)
            #expect(daemon.add("bert", "secret") == .failed(.notAvailable))
            #expect(embedded.secret("round \(round)") == .secret("secret"))
        }
        #expect(try embedded.check().isSound)
    }

    @Test("the store of another owner cannot be handed over")
    func onlyByItsOwner() throws {
        let refusal = #expect(throws: KeychainError.self) { try daemon.handOver(to: .embedded) }
        #expect(refusal?.foreignOwner == .embedded)
        try embedded.handOver(to: .embedded)
        #expect(embedded.secret("anna") == .secret("secret"))
    }

    @Test("a store with items, of whomever and whether they open or not, can be kept from a move")
    func onlyIfEmpty() throws {
        #expect(try embedded.hasItems())
        #expect(throws: KeychainError.self) { try embedded.handOver(to: .system, onlyIfEmpty: true) }
        #expect(embedded.secret("anna") == .secret("secret"))
        try embedded.device.setPasscode(SecretBytes([1, 2, 3, 4]))
        #expect(embedded.add("bert", "secret") == .done)
        try embedded.device.lock()
        #expect(throws: KeychainError.self) { try embedded.handOver(to: .system, onlyIfEmpty: true) }
        try embedded.erase()
        #expect(try !embedded.hasItems())
        try embedded.device.setPasscode(SecretBytes([1, 2, 3, 4]))
        #expect(throws: KeychainError.self, "the passcode") { try embedded.handOver(to: .system, onlyIfEmpty: true) }
        try embedded.device.removePasscode(SecretBytes([1, 2, 3, 4]))
        try embedded.handOver(to: .system, onlyIfEmpty: true)
        #expect(embedded.failure()?.foreignOwner == .system)
    }

    @Test("the passcode stays, and whoever gets the store has to give it")
    func passcode() throws {
        try embedded.device.setPasscode(SecretBytes([1, 2, 3, 4]))
        #expect(embedded.secret("anna") == .secret("secret"))
        try embedded.handOver(to: .daemon)
        #expect(try daemon.device.status().lockState == .beforeFirstUnlock)
        #expect(daemon.secret("anna") == .failed(.interactionNotAllowed))
        try daemon.device.unlock(passcode: SecretBytes([1, 2, 3, 4]))
        #expect(daemon.secret("anna") == .secret("secret"))
        try daemon.handOver(to: .embedded)
        #expect(embedded.secret("anna") == .failed(.interactionNotAllowed), "an unlock does not come back")
        try embedded.device.unlock(passcode: SecretBytes([1, 2, 3, 4]))
        #expect(embedded.secret("anna") == .secret("secret"))
    }

    @Test("an unlock that was offered to other programs ends with the store's owner")
    func offeredUnlock() throws {
        try embedded.device.setPasscode(SecretBytes([1, 2, 3, 4]))
        let offer = try #require(try embedded.offerUnlock(passcode: SecretBytes([1, 2, 3, 4])))
        defer { offer.withdraw() }
        let before = try Set(store.contents().keys)
        try embedded.handOver(to: .daemon)
        #expect(try Set(store.contents().keys).count == before.count - 1, "the other half of the offer is gone")
    }

    @Test("an erasure, a passcode and its removal leave the owner as it is")
    func ownerStays() throws {
        try embedded.handOver(to: .daemon)
        try daemon.device.setPasscode(SecretBytes([1]))
        try daemon.device.changePasscode(from: SecretBytes([1]), to: SecretBytes([2]))
        try daemon.device.removePasscode(SecretBytes([2]))
        try daemon.erase()
        #expect(daemon.add("anna", "new") == .done)
        #expect(Self.daemon(store).secret("anna") == .secret("new"))
        #expect(store.open().failure()?.foreignOwner == .daemon)
    }

    @Test("a look at the owner makes nothing")
    func look() throws {
        let other = try TestStore()
        #expect(try !other.open().checkOwner())
        #expect(throws: (any Error).self) { try other.contents() }
        #expect(try embedded.checkOwner())
        let refusal = #expect(throws: KeychainError.self) { try daemon.checkOwner() }
        #expect(refusal?.foreignOwner == .embedded)
    }
}

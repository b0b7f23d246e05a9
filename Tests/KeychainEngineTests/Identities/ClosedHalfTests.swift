// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore
import KeychainSimulation
import KeychainTestSupport
import Testing

/// Halves that cannot be opened: locked, guarded, damaged.
struct ClosedHalfTests {
    @Test(
        "a locked half is in the way of its identity, and of no other",
        arguments: [Accessibility.always, .whenUnlocked],
        [Accessibility.always, .whenUnlocked]
    )
    func locked(_ certificate: Accessibility, _ key: Accessibility) throws {
        let (device, calls) = try Calls.withDevice()
        #expect(calls.add(.certificate(Fixture.certificate(1)), .level(certificate)) == .done)
        #expect(calls.add(.key(Fixture.key(1)), .level(key)) == .done)
        try device.lock()
        let isOpen = certificate == .always && key == .always
        for flags in [[String: PropertyValue].asReference, .asAttributes, [:]] {
            let found = calls.copy(.one(.identity) + flags)
            #expect(found.status == (isOpen ? .success : .interactionNotAllowed))
        }
        #expect(calls.copy(.every(.identity)).status == (isOpen ? .success : .interactionNotAllowed))
        #expect(calls.copy(.one(.identity) + ["slnr": .data(SecretBytes([9]))]) == .failed(.itemNotFound))
    }

    @Test("a locked row that has no counterpart is no identity", arguments: [true, false])
    func unpaired(_ isKey: Bool) throws {
        let (device, calls) = try Calls.withDevice()
        let level = [String: PropertyValue].level(.whenUnlocked)
        #expect(calls.add(isKey ? .key(Fixture.key(1)) : .certificate(Fixture.certificate(1)), level) == .done)
        #expect(calls.add(.identity(Fixture.identity(2)), .level(.always)) == .done)
        try device.lock()
        #expect(calls.copy(.every(.identity) + .asReference).values.count == 1)
        #expect(calls.delete(.reference(.identity(Fixture.identity(2)))) == .done)
        #expect(calls.copy(.one(.identity)) == .failed(.itemNotFound))
    }

    @Test("the owner is asked for a guarded half", arguments: [ItemClass.certificate, .key])
    func guarded(_ half: ItemClass) throws {
        let (device, calls) = try Calls.withDevice()
        let access = [String: PropertyValue].access(.userPresence)
        #expect(calls.add(.certificate(Fixture.certificate(1)), half == .certificate ? access : [:]) == .done)
        #expect(calls.add(.key(Fixture.key(1)), half == .key ? access : [:]) == .done)
        #expect(calls.add(.identity(Fixture.identity(2))) == .done)
        #expect(calls.copy(.every(.identity) + .asReference).values.count == 2)
        #expect(device.owner.authenticator.prompts.count == 1)
        #expect(calls.copy(.every(.identity) + .asReference + .withoutAsking) == .failed(.interactionNotAllowed))
        let skipping: [String: PropertyValue] = ["u_AuthUI": .string("u_AuthUIS")]
        #expect(calls.copy(.every(.identity) + .asReference + skipping).values.count == 1)
        device.owner.answer = .cancels
        #expect(calls.copy(.one(.identity) + ["slnr": .data(SecretBytes([1]))]) == .failed(.userCanceled))
    }

    /// What is done to a row, and whether it shows in what an identity needs.
    private static let damages = ["metadata": "metadata = zeroblob(100)", "secret": "secret = zeroblob(100)"]

    @Test(
        "a damaged half is errSecDecode, is set aside, and stays in the way of nothing else",
        arguments: [ItemClass.certificate, .key],
        ["metadata", "secret"]
    )
    func damaged(_ half: ItemClass, _ part: String) throws {
        let store = try TestStore()
        let calls = Calls(backend: store.open())
        #expect(calls.add(.identity(Fixture.identity(1))) == .done)
        #expect(calls.add(.identity(Fixture.identity(2))) == .done)
        let damage = try #require(Self.damages[part])
        try store.raw().execute("UPDATE items_\(half.rawValue) SET \(damage) WHERE id = 1")
        let all = [String: PropertyValue].every(.identity) + .asReference
        #expect(calls.copy(all) == .failed(.decode))
        #expect(calls.copy(all).values.count == 1)
        #expect(calls.delete(.reference(.identity(Fixture.identity(2)))) == .done)
        // The row in quarantine is not the same as none.
        #expect(calls.copy(all) == .failed(.decode))
        #expect(calls.delete(.reference(.identity(Fixture.identity(1)))) == .done)
        #expect(calls.copy(all) == .failed(.itemNotFound))
    }

    @Test("a damaged row that has no counterpart is in the way of nothing", arguments: [ItemClass.certificate, .key])
    func damagedUnpaired(_ half: ItemClass) throws {
        let store = try TestStore()
        let calls = Calls(backend: store.open())
        #expect(
            calls.add(half == .key ? .key(Fixture.key(1)) : .certificate(Fixture.certificate(1))) == .done
        )
        #expect(calls.add(.identity(Fixture.identity(2))) == .done)
        try store.raw().execute("UPDATE items_\(half.rawValue) SET metadata = zeroblob(100) WHERE id = 1")
        let all = [String: PropertyValue].every(.identity) + .asReference
        #expect(calls.copy(all).values.count == 1)
        #expect(calls.delete(.reference(.identity(Fixture.identity(2)))) == .done)
        #expect(calls.copy(all) == .failed(.itemNotFound))
    }
}

// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore
import KeychainSimulation
import KeychainTestSupport
import Testing

/// Adding and looking up an identity by its reference (Semantics, "Identities").
struct IdentityAddTests {
    private let identity = ItemReference.identity(Fixture.identity(1))

    /// What is there before an add.
    enum Before: CaseIterable {
        case nothing, certificate, key, both

        var halves: [ItemReference] {
            switch self {
            case .nothing: []
            case .certificate: [.certificate(Fixture.certificate(1))]
            case .key: [.key(Fixture.key(1))]
            case .both: [.certificate(Fixture.certificate(1)), .key(Fixture.key(1))]
            }
        }
    }

    @Test("an add adds what is not there; only when both are it is a duplicate", arguments: Before.allCases)
    func duplicates(_ before: Before) throws {
        let calls = Calls(backend: try TemporaryKeychain())
        for half in before.halves { #expect(calls.add(half) == .done) }
        let added = calls.add(identity, .asPersistentReference)
        #expect(added.status == (before == .both ? .duplicateItem : .success))
        #expect(calls.count(.certificate) == 1)
        #expect(calls.count(.key) == 1)
        let reference = calls.copy(.one(.identity) + .asPersistentReference).data
        #expect(added.data == ([.nothing, .key].contains(before) ? reference : nil))
    }

    @Test("class, label and the rest go to both halves")
    func attributes() throws {
        let calls = Calls(backend: try TemporaryKeychain())
        let more: [String: PropertyValue] = [
            "labl": .string("both"), "agrp": .string("group.two"), "pdmn": .string("ck"),
        ]
        #expect(calls.add(identity, .one(.identity) + more) == .done)
        for itemClass in [ItemClass.certificate, .key] {
            let found = calls.copy(.one(itemClass) + .asAttributes).dictionary
            for (name, value) in more { #expect(found?[name] == value) }
        }
        #expect(calls.add(.identity(Fixture.identity(2)), ["atag": .string("tag")]) == .failed(.noSuchAttribute))
        #expect(calls.add(.identity(Fixture.identity(2)), ["pkhh": .string("hash")]) == .failed(.noSuchAttribute))
        #expect(calls.perform(.add(PropertyDictionary(.one(.identity)))) == .failed(.internal))
        #expect(calls.count(.certificate) == 1)
        #expect(calls.count(.key) == 1)
    }

    @Test("when the key cannot be stored, neither is the certificate")
    func lockedKey() throws {
        let (device, calls) = try Calls.withDevice()
        try device.lock()
        // Certificates can always be stored, keys while the device is unlocked.
        #expect(calls.add(identity) == .failed(.interactionNotAllowed))
        #expect(calls.count(.certificate) == 0)
        #expect(calls.add(identity, ["pdmn": .string("dk")]) == .done)
        #expect(calls.copy(.one(.identity) + .asReference).values.count == 1)
    }

    @Test("the application password is asked for once, and guards both halves")
    func password() throws {
        let (device, calls) = try Calls.withDevice()
        #expect(calls.add(identity, .access(.applicationPassword)) == .done)
        #expect(device.owner.authenticator.prompts.count == 1)
        #expect(calls.copy(.one(.identity) + .asData).data == Fixture.key(1).data)
        #expect(device.owner.authenticator.prompts.count == 2)
        #expect(calls.copy(.one(.identity) + .asData + .withoutAsking) == .failed(.interactionNotAllowed))
    }

    @Test(
        "a lookup finds the halves; without the certificate the key decides",
        arguments: [
            (Before.nothing, Status.itemNotFound, 0), (.certificate, .itemNotFound, 0), (.key, .success, 0),
            (.both, .success, 1),
        ]
    )
    func lookup(before: Before, status: Status, count: Int) throws {
        let calls = Calls(backend: try TemporaryKeychain())
        for half in before.halves { #expect(calls.add(half) == .done) }
        #expect(calls.add(.identity(Fixture.identity(2))) == .done)
        for flags in [[String: PropertyValue].asReference, .asData, .asPersistentReference, .asAttributes] {
            let found = calls.copy(.reference(identity) + flags)
            #expect(found.status == status)
            #expect(found.values.count == (flags == .asPersistentReference ? count : 0))
        }
        #expect(calls.copy(.reference(identity) + .one(.identity)).status == status)
        #expect(calls.copy(.reference(identity) + ["labl": .string("nobody's")]) == .failed(.itemNotFound))
    }
}

// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainSimulation
import KeychainTestSupport
import Testing

/// Updating and deleting identities (Semantics, "Identities"): each is one change of both halves.
struct IdentityChangeTests {
    private let identity = ItemReference.identity(Fixture.identity(1))

    /// How a call names the identity.
    enum Way: CaseIterable {
        case reference, itemClass, persistent

        func query(_ persistent: SecretBytes) -> [String: PropertyValue] {
            switch self {
            case .reference: .reference(.identity(Fixture.identity(1)))
            case .itemClass: .one(.identity) + ["labl": .string("mine")]
            case .persistent: ["v_PersistentRef": .data(persistent)]
            }
        }
    }

    /// A keychain with the identity and another one.
    private func calls(_ backend: any KeychainBackend) throws -> (Calls, SecretBytes) {
        let calls = Calls(backend: backend)
        let added = calls.add(identity, .asPersistentReference + ["labl": .string("mine")])
        #expect(calls.add(.identity(Fixture.identity(2)), ["labl": .string("other")]) == .done)
        return (calls, try #require(added.data))
    }

    private func groups(_ calls: Calls, _ number: UInt8) -> [PropertyValue?] {
        [ItemReference.certificate(Fixture.certificate(number)), .key(Fixture.key(number))].map {
            calls.copy(.reference($0) + .asAttributes).dictionary?["agrp"]
        }
    }

    @Test("an update changes both halves, but not through a persistent reference", arguments: Way.allCases)
    func update(_ way: Way) throws {
        let (calls, persistent) = try calls(TemporaryKeychain())
        let changes: [String: PropertyValue] = ["agrp": .string("group.two")]
        let isPossible = way != .persistent
        let updated = calls.update(way.query(persistent), changes)
        #expect(updated.status == (isPossible ? .success : .internal))
        let group = PropertyValue.string(isPossible ? "group.two" : "group.one")
        #expect(groups(calls, 1) == [group, group])
        #expect(groups(calls, 2) == [.string("group.one"), .string("group.one")])
        #expect(calls.copy(["v_PersistentRef": .data(persistent)]) == .done)
    }

    @Test("an update of the key that fails undoes that of the certificate", arguments: [Way.reference, .itemClass])
    func updateFails(_ way: Way) throws {
        let (calls, persistent) = try calls(TemporaryKeychain())
        let changes: [String: PropertyValue] = ["agrp": .string("group.two")]
        #expect(calls.add(.key(Fixture.key(1)), changes + ["labl": .string("in the way")]) == .done)
        #expect(calls.update(way.query(persistent), changes) == .failed(.duplicateItem))
        #expect(groups(calls, 1)[0] == .string("group.one"))
        #expect(calls.delete(.one(.key) + ["labl": .string("in the way")]) == .done)
        #expect(calls.delete(.reference(.key(Fixture.key(1)))) == .done)
        #expect(calls.update(way.query(persistent), changes) == .failed(.itemNotFound))
        #expect(groups(calls, 1)[0] == .string("group.one"))
    }

    @Test("an attribute of one half only is refused before anything changes")
    func updateAttributes() throws {
        let (calls, _) = try calls(TemporaryKeychain())
        for changes: [String: PropertyValue] in [["atag": .string("tag")], ["subj": .string("name")]] {
            #expect(calls.update(.one(.identity), changes) == .failed(.noSuchAttribute))
            #expect(calls.update(.reference(identity), changes) == .failed(.noSuchAttribute))
        }
        #expect(calls.update(.one(.identity) + ["atag": .string("")], [:]) == .failed(.noSuchAttribute))
        #expect(calls.delete(.one(.identity) + ["issr": Fixture.name("issuer")]) == .failed(.noSuchAttribute))
        #expect(calls.count(.certificate) == 2)
    }

    @Test("a delete takes both halves, and nothing of others", arguments: Way.allCases)
    func delete(_ way: Way) throws {
        let (calls, persistent) = try calls(TemporaryKeychain())
        #expect(calls.delete(way.query(persistent)) == .done)
        #expect(groups(calls, 1) == [nil, nil])
        #expect(groups(calls, 2) == [.string("group.one"), .string("group.one")])
        #expect(calls.delete(way.query(persistent)) == .failed(.itemNotFound))
    }

    @Test("a key that another certificate needs stays, until that goes", arguments: [Way.reference, .persistent])
    func sharedKey(_ way: Way) throws {
        let (calls, persistent) = try calls(TemporaryKeychain())
        let other = ItemReference.certificate(Fixture.certificate(1, serial: 50))
        #expect(calls.add(other, ["agrp": .string("group.two")]) == .done)
        #expect(calls.delete(way.query(persistent)) == .done)
        #expect(groups(calls, 1) == [nil, .string("group.one")])
        #expect(calls.copy(.reference(.identity(Fixture.identity(1, serial: 50)))) == .done)
        #expect(calls.delete(.reference(.identity(Fixture.identity(1, serial: 50)))) == .done)
        #expect(groups(calls, 1) == [nil, nil])
    }

    @Test(
        "a certificate in a group that the client does not have keeps no key",
        arguments: [Way.reference, .persistent]
    )
    func foreignCertificate(_ way: Way) throws {
        let (calls, persistent) = try calls(TemporaryKeychain())
        var others = calls
        others.client = Client(accessGroups: ["group.three"])
        let other = ItemReference.certificate(Fixture.certificate(1, serial: 50))
        #expect(others.add(other) == .done)
        #expect(calls.delete(way.query(persistent)) == .done)
        #expect(groups(calls, 1) == [nil, nil])
    }

    @Test(
        "what is there of an identity goes, and the key's status is the answer",
        arguments: [Way.reference, .itemClass],
        [true, false]
    )
    func halves(_ way: Way, hasKey: Bool) throws {
        let (calls, persistent) = try calls(TemporaryKeychain())
        let missing: ItemReference = hasKey ? .certificate(Fixture.certificate(1)) : .key(Fixture.key(1))
        #expect(calls.delete(.reference(missing)) == .done)
        let deleted = calls.delete(way.query(persistent))
        if way == .itemClass, hasKey {
            // The query stops at the certificates.
            #expect(deleted == .failed(.itemNotFound))
            #expect(groups(calls, 1) == [nil, .string("group.one")])
        } else {
            #expect(deleted.status == (hasKey ? .success : .itemNotFound))
            #expect(groups(calls, 1) == [nil, nil])
        }
    }

    @Test(
        "a delete needs no key of the device, but by a persistent reference both halves are read",
        arguments: Way.allCases
    )
    func locked(_ way: Way) throws {
        let device = try VirtualDevice()
        let (calls, persistent) = try calls(device.keychain)
        try device.lock()
        let isRead = way == .persistent
        #expect(calls.delete(way.query(persistent)) == (isRead ? .failed(.interactionNotAllowed) : .done))
        #expect(calls.copy(.reference(identity)) == .failed(isRead ? .interactionNotAllowed : .itemNotFound))
        #expect(calls.copy(.reference(.identity(Fixture.identity(2)))) == .failed(.interactionNotAllowed))
    }
}

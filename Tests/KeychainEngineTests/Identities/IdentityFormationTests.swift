// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import Testing

/// Which rows make an identity (Semantics, "Identities").
struct IdentityFormationTests {
    private func identities(_ calls: Calls, _ more: [String: PropertyValue] = [:]) -> Outcome {
        calls.copy(.every(.identity) + .asPersistentReference + more)
    }

    @Test("a certificate and a key make one, whichever comes first, until either goes", arguments: [true, false])
    func formation(_ isKeyFirst: Bool) throws {
        let calls = Calls(backend: try TemporaryKeychain())
        let halves: [ItemReference] = [.key(Fixture.key(1)), .certificate(Fixture.certificate(1))]
        let order = isKeyFirst ? halves : halves.reversed()
        #expect(calls.add(order[0]) == .done)
        #expect(identities(calls) == .failed(.itemNotFound))
        #expect(calls.add(order[1]) == .done)
        #expect(identities(calls).values.count == 1)
        #expect(calls.delete(.reference(order[0])) == .done)
        #expect(identities(calls) == .failed(.itemNotFound))
        #expect(calls.copy(.one(order[1].itemClass)) == .done)
    }

    @Test("every pair is an identity, of whatever number and order the halves are")
    func pairs() throws {
        let calls = Calls(backend: try TemporaryKeychain())
        for number in 1...12 as ClosedRange<UInt8> {
            if number.isMultiple(of: 2) { #expect(calls.add(.key(Fixture.key(number))) == .done) }
            if number.isMultiple(of: 3) {
                #expect(calls.add(.certificate(Fixture.certificate(number))) == .done)
                #expect(calls.add(.certificate(Fixture.certificate(number, serial: number + 100))) == .done)
            }
        }
        // The numbers 6 and 12 have both halves, and two certificates each.
        #expect(identities(calls).values.count == 4)
        #expect(calls.copy(.one(.identity) + .asReference + ["m_Limit": .number(.integer(3))]).values.count == 3)
        for number in [6, 12] as [UInt8] {
            let byKey = identities(calls, ["klbl": .data(SecretBytes(Fixture.hash(number)))])
            #expect(byKey.values.count == 2)
            #expect(identities(calls, ["slnr": .data(SecretBytes([number]))]).values.count == 1)
        }
        #expect(identities(calls, ["klbl": .data(SecretBytes(Fixture.hash(2)))]) == .failed(.itemNotFound))
        #expect(identities(calls, ["slnr": .data(SecretBytes([3]))]) == .failed(.itemNotFound))
    }

    @Test("one bit of difference is no identity", arguments: [0, 79, 159])
    func oneBitOff(_ bit: Int) throws {
        let calls = Calls(backend: try TemporaryKeychain())
        var hash = Fixture.hash(1)
        hash[bit / 8] ^= 1 << (bit % 8)
        #expect(calls.add(.certificate(Fixture.certificate(1))) == .done)
        #expect(calls.add(.key(Fixture.key(1)), ["klbl": .data(SecretBytes(hash))]) == .done)
        #expect(identities(calls) == .failed(.itemNotFound))
        #expect(calls.add(.key(Fixture.key(1))) == .done)
        #expect(identities(calls).values.count == 1)
    }

    @Test("a key that is not marked as private makes none")
    func notPrivate() throws {
        let calls = Calls(backend: try TemporaryKeychain())
        #expect(calls.add(.certificate(Fixture.certificate(1))) == .done)
        let raw: PropertyDictionary = ["class": .string("keys"), "klbl": .data(SecretBytes(Fixture.hash(1)))]
        #expect(calls.perform(.add(raw)) == .done)
        #expect(identities(calls) == .failed(.itemNotFound))
        #expect(calls.add(.key(Fixture.key(1)), ["priv": .boolean(false)]) == .done)
        #expect(identities(calls) == .failed(.itemNotFound))
        #expect(identities(calls, ["priv": .boolean(false)]) == .failed(.itemNotFound))
        #expect(calls.add(.key(Fixture.key(1)), ["atag": .string("tag")]) == .done)
        #expect(identities(calls, ["priv": .boolean(true)]).values.count == 1)
    }

    @Test("a public key makes one behind that of the private key", arguments: [true, false])
    func publicKey(_ isPublicFirst: Bool) throws {
        let calls = Calls(backend: try TemporaryKeychain())
        let keys: [ItemReference] = [.key(Fixture.key(1, isPublic: true)), .key(Fixture.key(1))]
        #expect(calls.add(.certificate(Fixture.certificate(1))) == .done)
        for key in isPublicFirst ? keys : keys.reversed() { #expect(calls.add(key) == .done) }
        #expect(calls.copy(.one(.identity) + .asData).data == Fixture.key(1).data)
        #expect(identities(calls).values.count == 2)
        #expect(calls.delete(.reference(keys[1])) == .done)
        #expect(calls.copy(.one(.identity) + .asData).data == Fixture.key(1, isPublic: true).data)
    }

    @Test(
        "synchronizability is the key's, a group that is named is both's; without one they may be in any of the client's"
    )
    func groups() throws {
        let calls = Calls(backend: try TemporaryKeychain())
        #expect(calls.add(.certificate(Fixture.certificate(1)), ["agrp": .string("group.two")]) == .done)
        #expect(calls.add(.key(Fixture.key(1)), ["agrp": .string("group.one")]) == .done)
        #expect(identities(calls).values.count == 1)
        #expect(identities(calls, ["agrp": .string("group.one")]) == .failed(.itemNotFound))
        #expect(identities(calls, ["agrp": .string("group.two")]) == .failed(.itemNotFound))
        #expect(identities(calls, ["agrp": .string("group.three")]) == .failed(.missingEntitlement))
        for group in ["group.one", "group.two"] {
            var client = calls
            client.client.accessGroups = [group]
            #expect(identities(client) == .failed(.itemNotFound))
        }
        let synchronizable: [String: PropertyValue] = ["sync": .boolean(true)]
        #expect(calls.add(.certificate(Fixture.certificate(2)), synchronizable) == .done)
        #expect(calls.add(.key(Fixture.key(2))) == .done)
        #expect(identities(calls).values.count == 2)
        #expect(identities(calls, synchronizable) == .failed(.itemNotFound))
        #expect(calls.add(.key(Fixture.key(1)), synchronizable) == .done)
        #expect(identities(calls, synchronizable).values.count == 1)
        #expect(identities(calls, ["sync": .string("syna")]).values.count == 3)
    }

    @Test(
        "an attribute means the certificate's or the key's",
        arguments: [
            ("labl", true), ("issr", true), ("slnr", true), ("skid", true), ("tkid", true), ("subj", true),
            ("pkhh", true), ("ctyp", true), ("cenc", true),
            ("atag", false), ("klbl", false), ("kcls", false), ("type", false), ("crtr", false), ("alis", false),
        ]
    )
    func attributes(_ name: String, isOfCertificate: Bool) throws {
        let calls = Calls(backend: try TemporaryKeychain())
        let value = PropertyValue.data(SecretBytes(Array("9".utf8)))
        let number = PropertyValue.number(.integer(9))
        // No certificate of a token can be added.
        let isOfToken = name == "tkid"
        let mark = isOfToken ? .string("9") : ["ctyp", "cenc", "kcls", "type", "crtr"].contains(name) ? number : value
        // What joins them stays joined.
        let linked: [String: PropertyValue] = ["pkhh", "klbl"].contains(name) ? [:] : [name: mark]
        let certificate = ItemReference.certificate(Fixture.certificate(1))
        #expect(calls.add(certificate, isOfCertificate && !isOfToken ? linked : [:]) == .done)
        if isOfToken { #expect(calls.update(.one(.certificate), linked) == .done) }
        #expect(calls.add(.key(Fixture.key(1)), isOfCertificate ? [:] : linked) == .done)
        let asked = linked.isEmpty ? .data(SecretBytes(Fixture.hash(1))) : mark
        #expect(identities(calls, [name: asked]).values.count == 1)
        let other: PropertyValue =
            isOfToken ? .string("8") : mark == number ? .number(.integer(8)) : .data(SecretBytes(Array("8".utf8)))
        #expect(identities(calls, [name: other]) == .failed(.itemNotFound))
    }

    @Test("a persistent reference leads to the one identity of its certificate")
    func persistent() throws {
        let calls = Calls(backend: try TemporaryKeychain())
        guard let first = calls.add(.identity(Fixture.identity(1)), .asPersistentReference).data,
            let second = calls.add(.identity(Fixture.identity(2)), .asPersistentReference).data
        else {
            Issue.record("no persistent reference")
            return
        }
        #expect(Array(first.unprotectedCopy.prefix(4)) == Array("idnt".utf8))
        let found = calls.copy(["v_PersistentRef": .data(second)] + .asData + .asPersistentReference).dictionary
        #expect(found?["v_Data"] == Fixture.key(2).data.map { .data($0) })
        #expect(found?["v_PersistentRef"] == .data(second))
        #expect(calls.delete(.reference(.key(Fixture.key(1)))) == .done)
        #expect(calls.copy(["v_PersistentRef": .data(first)]) == .failed(.itemNotFound))
        let bytes = first.unprotectedCopy.dropFirst(4)
        let certificate = PropertyValue.data(SecretBytes(Array("cert".utf8) + bytes))
        #expect(calls.copy(["v_PersistentRef": certificate] + .asData).data == Fixture.certificate(1).data)
    }
}

// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import Testing

/// What a reference brings into a dictionary (Semantics, "Computed attributes", "Class of a query", "What each function
/// accepts", "Adding an item" and "Copying matching items").
struct ReferenceFilterTests {
    @Test(
        "what a key can do is no part of a filter, what it is, is",
        arguments: [
            ("sign", true), ("vrfy", true), ("encr", true), ("decr", true), ("drve", true), ("wrap", true),
            ("unwp", true), ("snrc", true), ("vyrc", true), ("perm", true), ("extr", false), ("sens", false),
            ("modi", false), ("next", false), ("asen", false), ("priv", false), ("bsiz", false), ("type", false),
        ]
    )
    func capabilities(_ attribute: String, isFound: Bool) throws {
        let calls = Calls(backend: try TemporaryKeychain())
        // Seven is a value that no reference has.
        #expect(calls.add(.key(Fixture.key(1)), [attribute: .number(.integer(7))]) == .done)
        let query: [String: PropertyValue] = .reference(.key(Fixture.key(1)))
        #expect(calls.copy(query).status == (isFound ? .success : .itemNotFound))
        #expect(calls.update(query, ["labl": .string("new")]).status == (isFound ? .success : .itemNotFound))
        #expect(calls.delete(query).status == (isFound ? .success : .itemNotFound))
    }

    @Test("a reference and attributes select together, and the given attribute wins")
    func selection() throws {
        let calls = Calls(backend: try TemporaryKeychain())
        let key = ItemReference.key(Fixture.key(1))
        #expect(calls.add(key, ["labl": .string("mine"), "atag": .string("a")]) == .done)
        #expect(calls.add(key, ["labl": .string("yours"), "atag": .string("b")]) == .done)
        let mine: [String: PropertyValue] = .reference(key) + ["labl": .string("mine")]
        #expect(calls.copy(.reference(key) + ["labl": .string("nobody's")]) == .failed(.itemNotFound))
        #expect(calls.copy(.reference(key) + ["klbl": .data(SecretBytes([1]))]) == .failed(.itemNotFound))
        #expect(calls.update(mine, ["labl": .string("ours")]) == .done)
        #expect(calls.delete(.reference(key) + ["labl": .string("ours")]) == .done)
        #expect(calls.count(.key) == 1)
        #expect(calls.copy(.reference(key) + ["labl": .string("yours")]) == .done)
    }

    @Test("what a reference remembers of the row that it was read from selects nothing")
    func rowAttributes() throws {
        let calls = Calls(backend: try TemporaryKeychain())
        #expect(calls.add(.key(Fixture.key(1)), ["labl": .string("old")]) == .done)
        guard case .reference(let read)? = calls.copy(.one(.key) + .asReference).values.first else {
            Issue.record("no reference")
            return
        }
        #expect(calls.update(.reference(read), ["labl": .string("new"), "agrp": .string("group.two")]) == .done)
        #expect(calls.copy(.reference(read) + ["labl": .string("new")]) == .done)
        #expect(calls.add(read, ["agrp": .string("group.one")]) == .done)
        #expect(calls.delete(.reference(read)) == .done)
        #expect(calls.count(.key) == 0)
    }

    @Test("the reference of a token's item is malformed when it has more values than a certificate")
    func tokenReference() throws {
        let calls = Calls(backend: try TemporaryKeychain())
        func status(valueCount: Int) -> Status {
            let item = TestDER.sequence(Array(repeatElement([0x05, 0x00], count: valueCount - 4).joined()))
            let texts = ["keys", "token"].map { TestDER.value(0x0C, Array($0.utf8)) }
            let reference = Array("tkpr".utf8) + TestDER.sequence(texts[0], texts[1], item)
            return calls.copy(["v_PersistentRef": .data(SecretBytes(reference))]).status
        }
        #expect(status(valueCount: 16_384) == .itemNotFound)
        #expect(status(valueCount: 16_385) == .parameter)
        #expect(status(valueCount: 1_000_000) == .parameter)
    }

    @Test("the class comes from the reference, and one that is given stays")
    func itemClass() throws {
        let calls = Calls(backend: try TemporaryKeychain())
        let (key, certificate) = (ItemReference.key(Fixture.key(1)), ItemReference.certificate(Fixture.certificate(1)))
        #expect(calls.add(key, .one(.certificate)) == .failed(.noSuchAttribute))
        #expect(calls.add(certificate, .one(.genericPassword)) == .failed(.noSuchAttribute))
        for query: [String: PropertyValue] in [
            .reference(certificate) + .one(.key), .reference(key) + .one(.genericPassword),
            .reference(certificate) + ["atag": .string("tag")],
        ] {
            #expect(calls.copy(query) == .failed(.noSuchAttribute))
            #expect(calls.update(query, ["labl": .string("new")]) == .failed(.noSuchAttribute))
            #expect(calls.delete(query) == .failed(.noSuchAttribute))
        }
        #expect(calls.add(key, .one(.key)) == .done)
        #expect(calls.copy(.reference(key) + .one(.key)) == .done)
        #expect(calls.copy(.reference(key)) == .done)
    }

    @Test("what the reference of a certificate says besides the certificate is neither stored nor looked for")
    func certificateAttributes() throws {
        let calls = Calls(backend: try TemporaryKeychain())
        var certificate = Fixture.certificate(1)
        certificate.attributes.merge(["agrp": .string("group.two"), "pdmn": .string("ak"), "alis": .string("a")]) { $1 }
        #expect(calls.add(.certificate(certificate), ["agrp": .string("group.one")]) == .done)
        #expect(calls.copy(.reference(.certificate(certificate))) == .done)
        let stored = calls.copy(.one(.certificate) + .asAttributes).dictionary
        #expect(stored?["agrp"] == .string("group.one") && stored?["pdmn"] == .string("dk") && stored?["alis"] == nil)
        #expect(calls.delete(.reference(.certificate(certificate))) == .done)
    }

    @Test("a certificate without a label gets its subject summary, when it is added and only then")
    func label() throws {
        let calls = Calls(backend: try TemporaryKeychain())
        let given = ItemReference.certificate(Fixture.certificate(1, subject: "one"))
        let made = ItemReference.certificate(Fixture.certificate(2, subject: "two"))
        var nameless = Fixture.certificate(3)
        nameless.subjectSummary = nil
        #expect(calls.add(given, ["labl": .string("mine")]) == .done)
        #expect(calls.add(made) == .done)
        #expect(calls.add(.certificate(nameless)) == .done)
        #expect(calls.copy(.reference(given) + .asAttributes).dictionary?["labl"] == .string("mine"))
        #expect(calls.copy(.reference(made) + .asAttributes).dictionary?["labl"] == .string("two"))
        #expect(calls.copy(.reference(.certificate(nameless)) + .asAttributes).dictionary?["labl"] == nil)
    }

    @Test("data that is given wins, and access control and accessibility displace those of the reference")
    func given() throws {
        let (_, calls) = try Calls.withDevice()
        let key = Fixture.key(1, .access(.userPresence))
        let added = calls.add(
            .key(key),
            ["pdmn": .string("ck"), "v_Data": .data(SecretBytes([1])), "r_Data": .boolean(true)]
        )
        #expect(added.data == SecretBytes([1]))
        #expect(calls.copy(.one(.key) + .asAttributes).dictionary?["pdmn"] == .string("ck"))
        #expect(calls.add(.key(Fixture.key(2, .access(.userPresence))), .access([], .always)) == .done)
        #expect(calls.copy(.one(.key) + ["pdmn": .string("dk")]) == .done)
    }

    @Test("what is no key, certificate or identity is no reference")
    func otherTypes() throws {
        let calls = Calls(backend: try TemporaryKeychain())
        #expect(calls.add(.certificate(Fixture.certificate(1))) == .done)
        for value in [PropertyValue.string("key"), .object("Array"), .data(SecretBytes()), .null] {
            let query = [String: PropertyValue].one(.certificate) + ["v_Ref": value]
            #expect(calls.perform(.add(PropertyDictionary(query))) == .failed(.parameter))
            #expect(calls.copy(query) == .failed(.parameter))
            #expect(calls.update(query, [:]) == .failed(.parameter))
            #expect(calls.update(.one(.certificate), ["v_Ref": value]) == .failed(.parameter))
            #expect(calls.delete(query) == .failed(.parameter))
        }
        let references: [ItemReference] = [
            .key(Fixture.key(1)), .certificate(Fixture.certificate(1)), .identity(Fixture.identity(1)),
        ]
        for reference in references {
            #expect(calls.update(.one(.certificate), .reference(reference)) == .failed(.noSuchAttribute))
        }
    }

    @Test("a persistent reference takes no other beside it")
    func persistent() throws {
        let calls = Calls(backend: try TemporaryKeychain())
        let key = ItemReference.key(Fixture.key(1))
        guard let bytes = calls.add(key, .asPersistentReference).data else {
            Issue.record("no persistent reference")
            return
        }
        #expect(calls.copy(.reference(key) + ["v_PersistentRef": .data(bytes)]) == .failed(.parameter))
        #expect(calls.copy(["v_PersistentRef": .data(bytes)] + .asReference).values.count == 1)
    }

    @Test("without a match a reference is not found, in every class", arguments: ItemClass.allCases)
    func noMatch(_ itemClass: ItemClass) throws {
        let calls = Calls(backend: try TemporaryKeychain())
        #expect(calls.copy(.one(itemClass) + .asReference) == .failed(.itemNotFound))
        #expect(calls.copy(.every(itemClass) + .asReference) == .failed(.itemNotFound))
    }
}

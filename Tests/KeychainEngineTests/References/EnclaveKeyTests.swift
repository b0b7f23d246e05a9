// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore
import KeychainSimulation
import Testing

/// Rows of keys in the Secure Enclave: the row is open, the key is not.
struct EnclaveKeyTests {
    private static func key(_ flags: AccessControlFlags, _ level: Accessibility = .whenUnlocked) -> KeyReference {
        Fixture.key(1, ["tkid": .string("com.apple.setoken")] + .access(flags, level))
    }

    private static let flags: [AccessControlFlags] = [
        .privateKeyUsage, [.privateKeyUsage, .userPresence], .userPresence, [.privateKeyUsage, .applicationPassword],
        [.privateKeyUsage, .biometryCurrentSet, .applicationPassword],
    ]

    @Test("nobody is asked for the row, and the sealed form comes with the reference only", arguments: flags)
    func reading(_ flags: AccessControlFlags) throws {
        let (device, calls) = try Calls.withDevice()
        let key = Self.key(flags)
        let added = calls.add(.key(key), .asData + .asReference)
        #expect(added.dictionary?["v_Data"] == nil)
        #expect(added.dictionary?["v_Ref"] != nil)
        #expect(calls.add(.certificate(Fixture.certificate(1))) == .done)
        device.owner.answer = .fails
        let quietly = [String: PropertyValue].withoutAsking
        guard case .reference(.key(let found))? = calls.copy(.one(.key) + .asReference + quietly).values.first else {
            Issue.record("no reference")
            return
        }
        #expect(found.data == key.data)
        #expect(found.attributes["tkid"] == .string("com.apple.setoken"))
        #expect(found.attributes["accc"] == key.attributes["accc"])
        #expect(calls.copy(.one(.key) + .asData) == .done)
        #expect(calls.copy(.every(.key) + .asData) == .answered(.list([])))
        #expect(calls.copy(.one(.key) + .asData + .asAttributes).dictionary?["v_Data"] == nil)
        #expect(calls.copy(.one(.identity) + .asData) == .done)
        #expect(calls.copy(.one(.identity) + .asReference + quietly).values.count == 1)
        #expect(calls.copy(.reference(.key(key)) + ["u_AuthUI": .string("u_AuthUIS")]) == .done)
        #expect(device.owner.authenticator.prompts.isEmpty)
    }

    @Test("an add of a key under an application password returns nothing secret")
    func addedData() throws {
        let (_, calls) = try Calls.withDevice()
        #expect(calls.add(.key(Self.key(.privateKeyUsage)), .asData) == .done)
    }

    @Test("the row is locked like any other")
    func locked() throws {
        let (device, calls) = try Calls.withDevice()
        #expect(calls.add(.key(Self.key(.privateKeyUsage))) == .done)
        try device.lock()
        #expect(calls.copy(.one(.key) + .asReference) == .failed(.interactionNotAllowed))
        #expect(calls.delete(.one(.key)) == .done)
    }

    @Test("nothing but a key of the enclave is stored under an access control for the use of private keys")
    func others() throws {
        let (device, calls) = try Calls.withDevice()
        let flags: [AccessControlFlags] = [
            .privateKeyUsage, [.privateKeyUsage, .userPresence], [.privateKeyUsage, .applicationPassword],
        ]
        for flags in flags {
            let guarded = [String: PropertyValue].access(flags)
            #expect(calls.add(.key(Fixture.key(1)), guarded) == .failed(.authenticationFailed))
            #expect(calls.add(.certificate(Fixture.certificate(1)), guarded) == .failed(.authenticationFailed))
            for itemClass in [ItemClass.genericPassword, .internetPassword] {
                let item = PropertyDictionary(.one(itemClass) + guarded)
                #expect(calls.perform(.add(item)) == .failed(.authenticationFailed))
            }
        }
        for itemClass in ItemClass.stored { #expect(calls.count(itemClass) == 0) }
        let item: [String: PropertyValue] = .one(.genericPassword) + ["acct": .string("a")]
        #expect(calls.perform(.add(PropertyDictionary(item))) == .done)
        for flags in flags { #expect(calls.update(item, .access(flags)) == .failed(.authenticationFailed)) }
        #expect(
            calls.copy(item + .asAttributes).dictionary?["accc"] == .accessControl(.init(synthesizedFor: .whenUnlocked))
        )
        #expect(device.owner.authenticator.prompts.isEmpty)
        try device.lock()
        #expect(calls.add(.key(Fixture.key(1)), .access(.privateKeyUsage)) == .failed(.interactionNotAllowed))
    }

    @Test("the enclave holds keys only, and there is no other token")
    func token() throws {
        let (_, calls) = try Calls.withDevice()
        let statuses: [(String, Status)] = [
            ("com.apple.setoken", .parameter), ("b", .itemNotFound), ("", .itemNotFound),
        ]
        for (token, status) in statuses {
            for itemClass in [ItemClass.genericPassword, .internetPassword, .certificate] {
                let item: [String: PropertyValue] = .one(itemClass) + ["tkid": .string(token)]
                #expect(calls.perform(.add(PropertyDictionary(item))) == .failed(status))
            }
            guard token != "com.apple.setoken" else { continue }
            #expect(calls.add(.key(Fixture.key(1)), ["tkid": .string(token)]) == .failed(status))
        }
        for itemClass in ItemClass.stored { #expect(calls.count(itemClass) == 0) }
    }

    @Test("an update changes the row, and neither the key nor its guard")
    func update() throws {
        let (_, calls) = try Calls.withDevice()
        let key = Self.key([.privateKeyUsage, .userPresence])
        #expect(calls.add(.key(key)) == .done)
        #expect(calls.update(.one(.key), ["labl": .string("new"), "agrp": .string("group.two")]) == .done)
        for changes: [String: PropertyValue] in [
            ["pdmn": .string("dk")], .access([]), ["tkid": .string("other")], ["v_Data": .data(SecretBytes([1]))],
        ] {
            #expect(calls.update(.one(.key), changes) == .failed(.parameter))
        }
        guard case .reference(.key(let found))? = calls.copy(.one(.key) + .asReference).values.first else {
            Issue.record("no reference")
            return
        }
        #expect(found.data == key.data)
        #expect(found.attributes["accc"] == key.attributes["accc"])
        #expect(calls.add(.key(Fixture.key(2))) == .done)
        let software = [String: PropertyValue].reference(.key(Fixture.key(2)))
        #expect(calls.update(software, ["tkid": .string("com.apple.setoken")]) == .failed(.parameter))
    }
}

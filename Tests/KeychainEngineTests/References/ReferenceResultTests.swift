// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import Testing

/// Every combination of return flags, against the tables of Semantics, "Result of a copy" and 4.3.
struct ReferenceResultTests {
    /// What is wanted back.
    struct Flags: OptionSet, CustomTestStringConvertible {
        var rawValue: Int
        static let attributes = Flags(rawValue: 1)
        static let data = Flags(rawValue: 2)
        static let persistent = Flags(rawValue: 4)
        static let reference = Flags(rawValue: 8)

        static let all = (0..<16).map(Flags.init(rawValue:))
        static let keys: [(Flags, String)] = [
            (.attributes, "r_Attributes"), (.data, "r_Data"), (.persistent, "r_PersistentRef"), (.reference, "r_Ref"),
        ]

        var entries: [String: PropertyValue] {
            Dictionary(Self.keys.map { ($0.1, .boolean(contains($0.0))) }) { $1 }
        }

        var testDescription: String { Self.keys.filter { contains($0.0) }.map(\.1).joined(separator: " ") }
    }

    /// What is stored, and what of it is expected in results.
    enum Kind: CaseIterable {
        case key, certificate, identity

        var reference: ItemReference {
            switch self {
            case .key: .key(Fixture.key(1))
            case .certificate: .certificate(Fixture.certificate(1))
            case .identity: .identity(Fixture.identity(1))
            }
        }

        var data: SecretBytes? {
            self == .certificate ? Fixture.certificate(1).data : Fixture.key(1).data
        }

        func isIts(_ value: PropertyValue?) -> Bool {
            guard case .reference(let found)? = value else { return false }
            return isIts(found)
        }

        func isIts(_ found: ItemReference) -> Bool {
            switch (self, found) {
            case (.key, .key(let key)): Self.isKey(key)
            case (.certificate, .certificate(let certificate)): certificate.data == Fixture.certificate(1).data
            case (.identity, .identity(let identity)):
                Self.isKey(identity.key) && identity.certificate.data == Fixture.certificate(1).data
            default: false
            }
        }

        /// Everything that it takes to make the key again.
        private static func isKey(_ key: KeyReference) -> Bool {
            key.data == Fixture.key(1).data && key.attributes["kcls"] == .number(.integer(1))
                && key.attributes["type"] == .number(.integer(73)) && key.attributes["bsiz"] == .number(.integer(256))
                && key.attributes["klbl"] == .data(SecretBytes(Fixture.hash(1)))
        }
    }

    private func check(_ value: ResultValue?, flags: Flags, kind: Kind, isAdd: Bool) {
        switch flags {
        case []: #expect(value == nil)
        case .data: #expect(value == kind.data.map { .data($0) })
        case .persistent:
            guard case .data(let bytes)? = value else {
                Issue.record("no persistent reference")
                return
            }
            #expect(bytes.count == 20)
        case .reference:
            guard case .reference(let found)? = value else {
                Issue.record("no reference")
                return
            }
            #expect(kind.isIts(found))
        default:
            guard case .dictionary(let entries)? = value else {
                Issue.record("no dictionary")
                return
            }
            let hasAttributes = !isAdd || !flags.isDisjoint(with: [.attributes, .reference])
            #expect((entries["agrp"] != nil) == hasAttributes)
            #expect((entries["class"] != nil) == flags.contains(.reference))
            #expect(entries["v_Data"] == (flags.contains(.data) ? kind.data.map { .data($0) } : nil))
            #expect((entries["v_PersistentRef"] != nil) == flags.contains(.persistent))
            #expect(flags.contains(.reference) ? kind.isIts(entries["v_Ref"]) : entries["v_Ref"] == nil)
        }
    }

    @Test("a copy returns what is asked for", arguments: Flags.all, Kind.allCases)
    func copy(_ flags: Flags, _ kind: Kind) throws {
        let calls = Calls(backend: try TemporaryKeychain())
        #expect(calls.add(kind.reference) == .done)
        let itemClass = kind.reference.itemClass
        check(calls.copy(.one(itemClass) + flags.entries).values.first, flags: flags, kind: kind, isAdd: false)
        let list = calls.copy(.every(itemClass) + flags.entries)
        guard case .answered(.list(let values)) = list else {
            Issue.record("\(list)")
            return
        }
        #expect(values.count == (flags.isEmpty ? 0 : 1))
        check(values.first, flags: flags, kind: kind, isAdd: false)
    }

    @Test("an add returns what is asked for", arguments: Flags.all, [Kind.key, .certificate])
    func add(_ flags: Flags, _ kind: Kind) throws {
        let calls = Calls(backend: try TemporaryKeychain())
        let added = calls.add(kind.reference, flags.entries)
        #expect(added.status == .success)
        check(added.values.first, flags: flags, kind: kind, isAdd: true)
    }

    @Test("an add of an identity returns a persistent reference if that alone is asked for", arguments: Flags.all)
    func addIdentity(_ flags: Flags) throws {
        let calls = Calls(backend: try TemporaryKeychain())
        let added = calls.add(.identity(Fixture.identity(1)), flags.entries)
        #expect(added.status == .success)
        #expect((added.data?.count == 20) == (flags == .persistent))
        if flags != .persistent { #expect(added == .done) }
    }

    @Test("an item without data has no reference")
    func noData() throws {
        let calls = Calls(backend: try TemporaryKeychain())
        #expect(calls.perform(.add(["class": .string("keys")])) == .done)
        #expect(calls.copy(.one(.key) + .asReference) == .done)
        #expect(calls.copy(.every(.key) + .asReference) == .answered(.list([])))
        let entries = calls.copy(.one(.key) + .asReference + .asAttributes).dictionary
        #expect(entries?["class"] == .string("keys"))
        #expect(entries?["v_Ref"] == nil)
    }

    @Test("a key remembers the context of the query that gave it")
    func context() throws {
        let calls = Calls(backend: try TemporaryKeychain())
        let context = AuthenticationContext()
        #expect(calls.add(.identity(Fixture.identity(1))) == .done)
        guard case .reference(.key(let key))? = calls.copy(.one(.key) + .asReference + .context(context)).values.first,
            case .reference(.identity(let identity))? =
                calls.copy(.one(.identity) + .asReference + .context(context)).values.first,
            case .reference(.key(let other))? = calls.copy(.one(.key) + .asReference).values.first
        else {
            Issue.record("no reference")
            return
        }
        #expect(key.context == context.identifier)
        #expect(identity.key.context == context.identifier)
        #expect(other.context == nil)
    }

    @Test("an identity has the attributes of both halves, and its certificate's bytes where a secret is read")
    func union() throws {
        let calls = Calls(backend: try TemporaryKeychain())
        #expect(calls.add(.certificate(Fixture.certificate(1)), ["labl": .string("certificate")]) == .done)
        #expect(calls.add(.key(Fixture.key(1)), ["labl": .string("key"), "atag": .string("tag")]) == .done)
        let plain = calls.copy(.one(.identity) + .asAttributes).dictionary
        #expect(plain?["labl"] == .string("certificate"))
        #expect(plain?["atag"] == .string("tag"))
        #expect(plain?["slnr"] == .data(SecretBytes([1])))
        #expect(plain?["pdmn"] == .string("dk"))
        #expect(plain?["accc"] == .accessControl(AccessControl(synthesizedFor: .always)))
        #expect(plain?["certdata"] == nil)
        let full = calls.copy(.one(.identity) + .asAttributes + .asData).dictionary
        #expect(full?["certdata"] == .data(Fixture.certificate(1).data))
        #expect(full?["v_Data"] == Fixture.key(1).data.map { .data($0) })
    }
}

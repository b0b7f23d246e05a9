// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainSimulation
import KeychainStore
import KeychainTestSupport
import Testing

@testable import KeychainEngine

/// Items by their lookup attributes while the device is locked, or the owner has to authenticate.
struct LookupLockTests {
    private static let passcode = SecretBytes(Array(VirtualDevice.defaultPasscode.utf8))

    /// A device with an item that has a map, and one of the item functions.
    private func makeDevice() throws -> (VirtualDevice, map: ItemIdentifier, derived: ItemIdentifier) {
        let device = try VirtualDevice(storage: .file)
        let map = try device.keychain.store(["service": "S", "k": "v"], "secret", label: "L").identifier
        #expect(device.keychain.add("A", "other") == .done)
        let derived = try #require(try device.keychain.search(["account": "A"]).first).identifier
        return (device, map, derived)
    }

    @Test("while locked, searches find both kinds; a map, its label and its dates can be read, and nothing of others")
    func locked() throws {
        let (device, map, derived) = try makeDevice()
        let open = try device.keychain.describe([map, derived])
        try device.keychain.device.lock()
        #expect(try device.keychain.search(["k": "v"]) == [LookupMatch(map, isLocked: true)])
        #expect(try device.keychain.search(["account": "A"]) == [LookupMatch(derived, isLocked: true)])
        #expect(try device.keychain.search(["service": "S", "k": "w"]) == [])
        #expect(try device.keychain.search([:]).count == 2)
        var expected = open[0]
        expected.isLocked = true
        #expect(try device.keychain.describe([map, derived]) == [expected, LookupItem(derived, isLocked: true)])
        #expect(expected.attributes == ["service": "S", "k": "v"] && expected.created != nil)
        #expect(try device.keychain.secrets([map, derived]) == [])
        let attempts: [() throws -> Void] = [
            { try device.keychain.store(["service": "S", "k": "v"], "changed") },
            { try device.keychain.store(["service": "new"], "new") },
            { try device.keychain.change(map, .label("x")) },
            { try device.keychain.change(map, .secret(SecretBytes(), contentType: "")) },
            { try device.keychain.deleteItem(map) }, { try device.keychain.deleteItem(derived) },
        ]
        for attempt in attempts {
            let failure = #expect(throws: KeychainError.self) { try attempt() }
            #expect(failure?.status == .interactionNotAllowed)
        }
        try device.keychain.device.unlock(passcode: Self.passcode)
        #expect(try device.keychain.found(["k": "v"]) == ["secret"])
        #expect(try device.keychain.describe([map, derived]) == open)
    }

    @Test("before the first unlock, a search finds by the lists, and nothing else is known")
    func beforeFirstUnlock() throws {
        let (device, map, derived) = try makeDevice()
        let other = try device.anotherProcess()
        #expect(try other.search(["k": "v", "service": "S"]) == [LookupMatch(map, isLocked: true)])
        #expect(try other.search(["k": "v", "service": "T"]) == [])
        #expect(try other.search(["user": "A"]) == [LookupMatch(derived, isLocked: true)])
        #expect(
            try other.describe([map, derived]) == [map, derived].map { LookupItem($0, isLocked: true) }
        )
    }

    @Test(
        "an item that an item function makes always available stays known, and can be changed before the first unlock"
    )
    func alwaysAvailable() throws {
        let (device, map, _) = try makeDevice()
        try device.keychain.updateService("S", ["pdmn": .string("dku")])
        let other = try device.anotherProcess()
        #expect(try other.search(["k": "v"]) == [LookupMatch(map, isLocked: false)])
        #expect(try other.describe([map]).map(\.attributes) == [["service": "S", "k": "v"]])
        try other.updateService("S", ["svce": .string("T")])
        #expect(try other.found(["service": "T", "k": "v"]) == ["secret"])
        try other.change(map, .label("changed"))
        #expect(try device.keychain.describe([map]).map(\.label) == ["changed"])
    }

    @Test("an item under an access control is locked by itself, until the context has shown what it asks for")
    func accessControl() throws {
        let (device, map, _) = try makeDevice()
        try device.keychain.updateService("S", PropertyDictionary([String: PropertyValue].access(.userPresence)))
        let context = AuthenticationContext()
        #expect(try device.keychain.search(["k": "v"]) == [LookupMatch(map, isLocked: true)])
        #expect(try device.keychain.secrets([map], context: context) == [])
        let item = try #require(try device.keychain.describe([map]).first)
        #expect(item.isLocked && item.attributes == ["service": "S", "k": "v"] && item.label == "L")
        let failure = #expect(throws: KeychainError.self) { try device.keychain.change(map, .label("x")) }
        #expect(failure?.status == .interactionNotAllowed)
        #expect(device.prompts == [])
        let access = try #require([String: PropertyValue].access(.userPresence)["accc"])
        guard case .accessControl(let accessControl) = access else { return }
        try device.keychain.authentication.evaluate(accessControl, reason: "to test", context)
        #expect(try device.keychain.search(["k": "v"], context: context) == [LookupMatch(map, isLocked: false)])
        #expect(try device.keychain.secrets([map], context: context).map(\.text) == ["secret"])
    }

    @Test("items that go with the passcode go from the lists, and from searches at once")
    func destroyed() throws {
        let (device, _, _) = try makeDevice()
        try device.keychain.updateService("S", ["pdmn": .string("akpu")])
        try device.keychain.device.removePasscode(Self.passcode)
        #expect(try device.keychain.search(["k": "v"]) == [])
        #expect(try device.keychain.check().isSound)
        try device.keychain.device.setPasscode(Self.passcode)
        #expect(try device.keychain.maintenance.storeStatus().features == [])
    }

    @Test("nothing of a map is readable in the file")
    func bytes() throws {
        let store = try TestStore()
        try store.open().store(
            ["service": "distinctive-service", "k": "distinctive-value"],
            "x",
            label: "distinctive-l"
        )
        try store.checkpoint()
        let file = try FileBytes(path: store.file("keychain.db"))
        #expect(!file.contain(Array("distinctive".utf8)))
    }
}

/// Rows that arrive without what is listed of them.
struct LookupListingTests: MoveScene {
    let source: TestStore
    let target: TestStore

    init() throws { (source, target) = (try TestStore(), try TestStore()) }

    @Test("a map survives a move between stores, and is listed again with the first unlock", arguments: [false, true])
    func move(hasPasscode: Bool) throws {
        let keychain = source.open()
        let id = try keychain.store(["service": "S", "k": "v"], "secret", label: "L").identifier
        #expect(keychain.add("A", "other") == .done)
        if hasPasscode { try keychain.device.setPasscode(Self.passcode) }
        try move(from: source, to: target)
        let moved = target.open()
        if hasPasscode {
            #expect(try moved.search(["k": "v"]) == [])
            try moved.device.unlock(passcode: Self.passcode)
        }
        #expect(try moved.search(["k": "v"]).map(\.identifier) == [id])
        #expect(try moved.describe([id]).map(\.label) == ["L"])
        #expect(try moved.maintenance.storeStatus().features.map(\.name) == ["lookup-attributes"])
        #expect(try moved.check().isSound)
        #expect(try source.open().maintenance.storeStatus().features == [])
    }

    @Test("a move of a keychain without maps leaves no trace of them")
    func moveWithoutMaps() throws {
        #expect(source.open().add("A", "other") == .done)
        try move(from: source, to: target)
        #expect(try target.open().maintenance.storeStatus().features == [])
    }

    @Test("a map survives a repair, which has only the rows to go by")
    func repair() throws {
        let id = try source.open().store(["service": "S", "k": "v"], "secret").identifier
        try source.checkpoint()
        try source.raw().execute("DROP INDEX items_genp_acct")
        #expect(try source.check().verdict == .damaged)
        #expect(try source.repair().run(date: "D") { _ in true }.isDone)
        let keychain = source.open()
        #expect(try keychain.search(["k": "v"]).map(\.identifier) == [id])
        #expect(try keychain.check().isSound)
    }

    @Test("columns that a program changed which knows no maps win over the map, once it is listed again")
    func formerProgram() throws {
        let keychain = source.open()
        let id = try keychain.store(["service": "S", "username": "A", "k": "v"], "secret").identifier
        try keychain.withEngine { (engine) throws(KeychainError) in
            try engine.write { (writer) throws(KeychainError) in
                var filter = RowFilter(.genericPassword)
                filter.identifier = id
                guard let row = try writer.rows(filter).first else { throw .noStore }
                var opened = try protecting { () throws(ProtectionError) in try engine.device.openBackedUp(row.row) }
                opened.attributes[.service] = .string("T")
                let tags = engine.device.searchTags()
                var sealed = try protecting { () throws(ProtectionError) in
                    try engine.device.sealBackedUp(opened, tags)
                }
                // What it does not know, it does not write.
                sealed.lookup = nil
                _ = try writer.update(row, to: sealed)
            }
        }
        #expect(try !keychain.check().isSound)
        try keychain.recover()
        #expect(try keychain.check().isSound)
        #expect(try keychain.describe([id]).map(\.attributes) == [["service": "T", "username": "A", "k": "v"]])
        #expect(try keychain.search(["service": "T", "k": "v"]).map(\.identifier) == [id])
    }
}

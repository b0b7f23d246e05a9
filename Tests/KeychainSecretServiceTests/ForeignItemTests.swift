// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import MessageBus
import Testing

@testable import KeychainSecretService

/// Items of other programs: to a program that may not see them, they are not there.
@Suite(.timeLimit(.minutes(5)))
struct ForeignItemTests {
    private let front: TestFront<EmbeddedKeychain>
    private let owner: TestClient
    private let other: TestClient
    /// Sees the items of both.
    private let manager: TestClient
    private let sessions: (owner: String, other: String, manager: String)

    /// The path of no item.
    private static func unknown(in collection: String) -> String { "\(collection)/0123456789abcdef0123456789abcdef" }

    private static let collections = [TestClient.login, "\(TestClient.root)/collection/session"]

    init() throws {
        let keychain = EmbeddedKeychain.inMemory()
        front = try TestFront(
            of: keychain,
            memory: EmbeddedKeychain.inMemory(),
            admission: GroupAdmission(keychain, ["owner"], ["other"], ["owner", "other"])
        )
        (owner, other, manager) = (try front.client(), try front.client(), try front.client())
        sessions = (try owner.openSession(), try other.openSession(), try manager.openSession())
    }

    @Test("a foreign item is in no list, is not found, and its path stands for nothing", arguments: collections)
    func absent(_ collection: String) throws {
        let item = try owner.store(["a": "b"], "secret", session: sessions.owner, in: collection)
        for attributes: KeyValuePairs<String, String> in [[:], ["a": "b"]] {
            #expect(try other.search(attributes) == ([], []))
            let found = try other.call(collection, of: .collection, calling: "SearchItems") { call throws(BusError) in
                try call.append("a", of: "{ss}") { () throws(BusError) in }
            } reading: {
                try? $0.objectPaths()
            }
            #expect(found == [])
        }
        #expect(try other.paths("Items", of: collection, .collection) == [])
        #expect(try other.secrets([item], session: sessions.other) == [:])
        #expect(try other.change("Unlock", [item]) == ([], "/"))
        #expect(try other.change("Lock", [item]) == ([], "/"))
        #expect(try manager.search(["a": "b"]).open == [item])
        #expect(try manager.secrets([item], session: sessions.manager) == [item: Array("secret".utf8)])
    }

    @Test(
        "the path of a foreign item and that of no item are refused alike, by name and by text",
        arguments: collections
    )
    func refusals(_ collection: String) throws {
        let item = try owner.store(["a": "b"], "secret", session: sessions.owner, in: collection)
        let session = sessions.other
        let calls: [(Interface, String, (borrowing BusMessage) throws(BusError) -> Void)] = [
            (.item, "Delete", { _ in }),
            (.item, "GetSecret", { call throws(BusError) in try call.append(session, as: "o") }),
            (
                .item, "SetSecret",
                { call throws(BusError) in try call.append(SentSecret(plain: "mine", session: session)) }
            ),
            (.properties, "GetAll", { call throws(BusError) in try call.append(Interface.item.rawValue) }),
            (.properties, "GetAll", { call throws(BusError) in try call.append(Interface.peer.rawValue) }),
            (.properties, "Get", { call throws(BusError) in try Self.append("Label", to: call) }),
            (.properties, "Get", { call throws(BusError) in try Self.append("Other", to: call) }),
            (
                .properties, "Set",
                { call throws(BusError) in
                    try Self.append("Label", to: call)
                    try call.append(PropertyContent.text("mine"))
                }
            ),
            (
                .properties, "Set",
                { call throws(BusError) in
                    try Self.append("Attributes", to: call)
                    try call.append(PropertyContent.attributes(LookupAttributes()))
                }
            ),
        ]
        for (interface, method, arguments) in calls {
            let unknown = Self.unknown(in: collection)
            let names = try [item, unknown].map { path in
                try refusal { try other.send(path, of: interface, calling: method, arguments) }
            }
            #expect(names[0] == names[1] && names[0] != nil, "\(method)")
            let texts = try [item, unknown].map {
                try other.errorText(at: $0, of: interface, calling: method, with: arguments)
            }
            #expect(texts[0] == texts[1] && texts[0] != nil, "\(method)")
        }
        let descriptions = try [item, Self.unknown(in: collection)].map { path in
            try other.call(path, of: .introspectable, calling: "Introspect", reading: { $0.string() })
        }
        #expect(descriptions[0] == descriptions[1])
        #expect(try owner.text("Label", of: item, .item) == "a label")
        #expect(try owner.secrets([item], session: sessions.owner) == [item: Array("secret".utf8)])
    }

    private static func append(_ property: String, to call: borrowing BusMessage) throws(BusError) {
        try call.append(Interface.item.rawValue)
        try call.append(property)
    }

    @Test("a foreign item with the same attributes is not replaced, and has another path")
    func replacing() throws {
        let first = try owner.store(["a": "b"], "first", session: sessions.owner)
        let second = try other.store(["a": "b"], "second", session: sessions.other)
        #expect(first != second)
        #expect(try owner.secrets([first, second], session: sessions.owner) == [first: Array("first".utf8)])
        #expect(try other.secrets([first, second], session: sessions.other) == [second: Array("second".utf8)])
        #expect(try Set(manager.search(["a": "b"]).open) == [first, second])
    }

    @Test("what is changed of foreign items is not announced")
    func signals() throws {
        let item = try owner.store(["a": "b"], "secret", session: sessions.owner)
        try owner.set("Label", of: item, .item, to: .text("another"))
        try owner.delete(item)
        let own = try other.store(["a": "b"], "secret", session: sessions.other)
        #expect(try other.nextSignal() == .init(name: "ItemCreated", path: TestClient.login, content: own))
        for client in [owner, manager] {
            let names = try (0..<3).map { _ in try client.nextSignal()?.name }
            #expect(names == ["ItemCreated", "ItemChanged", "ItemDeleted"])
        }
        #expect(try manager.nextSignal()?.content == own)
    }

    @Test("the number of an item that is gone is not that of a later one")
    func numbers() throws {
        var paths: Set<String> = []
        for _ in 0..<50 {
            let item = try owner.store(["a": "b"], "secret", session: sessions.owner)
            paths.insert(item)
            try owner.delete(item)
        }
        #expect(paths.count == 50)
    }
}

// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import MessageBus
import Testing

@testable import KeychainSecretService

/// Items and collections, as programs of the bus see them.
@Suite(.timeLimit(.minutes(5)))
struct ItemTests {
    private let front: TestFront<LookupKeychain>
    private let client: TestClient
    private let session: String

    private static let noSuchObject = "org.freedesktop.Secret.Error.NoSuchObject"
    private static let invalid = "org.freedesktop.DBus.Error.InvalidArgs"

    init() throws {
        front = try TestFront()
        client = try front.client()
        session = try client.openSession()
    }

    @Test("an item that was stored is found by its attributes, and has what it was stored with")
    func store() throws {
        let item = try client.store(["service": "mail", "account": "anna"], "secret", session: session)
        #expect(item.hasPrefix("\(TestClient.login)/"), "the path is below the collection itself, not its alias")
        #expect(try client.search(["service": "mail"]).open == [item])
        #expect(try client.search(["service": "mai"]).open == [])
        #expect(try client.search([:]).open == [item])
        #expect(try client.attributes(of: item) == ["account=anna", "service=mail"])
        #expect(try client.text("Label", of: item, .item) == "a label")
        #expect(try !client.boolean("Locked", of: item, .item))
        #expect(try client.paths("Items", of: TestClient.byDefault, .collection) == [item])
        #expect(try client.secret(item, session: session).contentType == "text/plain")
    }

    @Test("an item in memory is found as well, and is in its own collection")
    func memory() throws {
        let collection = "\(TestClient.root)/collection/session"
        let item = try client.store(["a": "b"], "secret", session: session, in: collection)
        #expect(item.hasPrefix("\(collection)/"))
        #expect(try client.search(["a": "b"]).open == [item])
        #expect(front.keychain.count == 0)
        #expect(try client.secrets([item], session: session)[item] == Array("secret".utf8))
        try client.delete(item)
        #expect(try client.search(["a": "b"]).open == [])
    }

    @Test("changes are announced: an item is created, changed by each way to change it, and deleted")
    func signals() throws {
        func expectSignal(_ name: String, _ item: String) throws {
            let expected = TestClient.Received(name: name, path: TestClient.login, content: item)
            #expect(try client.nextSignal() == expected)
        }
        let item = try client.store(["a": "b"], "one", session: session)
        try expectSignal("ItemCreated", item)
        #expect(try client.store(["a": "b"], "two", session: session) == item)
        try expectSignal("ItemChanged", item)
        try client.setSecret(item, SentSecret(plain: "three", session: session))
        try expectSignal("ItemChanged", item)
        try client.set("Label", of: item, .item, to: .text("another"))
        try expectSignal("ItemChanged", item)
        let attributes = try LookupAttributes([LookupAttributes.Pair("c", "d")])
        try client.set("Attributes", of: item, .item, to: .attributes(attributes))
        try expectSignal("ItemChanged", item)
        #expect(try client.search(["c": "d"]).open == [item])
        try client.delete(item)
        try expectSignal("ItemDeleted", item)
        #expect(try refusal { _ = try client.text("Label", of: item, .item) } == Self.noSuchObject)
        #expect(try refusal { try client.delete(item) } == Self.noSuchObject)
    }

    @Test("changes that others made are announced to programs that see them")
    func announcement() throws {
        let identifier = ItemIdentifier.random()
        let item = ObjectPath.item(.login, identifier).text
        let changes = [
            ItemChange(.added, identifier, of: ChangedItems(.genericPassword, in: Client.commonGroup)),
            ItemChange(.removed, identifier, of: ChangedItems(.genericPassword, in: "other")),
        ]
        front.keychain.announce(ItemChangeNotice(changes))
        let created = TestClient.Received(name: "ItemCreated", path: TestClient.login, content: item)
        #expect(try client.nextSignal() == created)
        let deleted = TestClient.Received(name: "ItemDeleted", path: TestClient.login, content: item)
        #expect(try client.nextSignal() == deleted)
        front.keychain.announce(.unknown)
        #expect(try client.nextSignal()?.name == "CollectionChanged")
    }

    @Test("secrets of items that are not there are left out")
    func unknownSecrets() throws {
        let item = try client.store(["a": "b"], "secret", session: session)
        let others = ["/", "\(TestClient.login)/0123456789abcdef0123456789abcdef", TestClient.login, "/a/b"]
        #expect(try client.secrets(others + [item, item], session: session) == [item: Array("secret".utf8)])
        #expect(try client.change("Unlock", others + [item]).paths == [TestClient.login, item])
        #expect(try client.change("Unlock", ["/", "/a/b"]) == ([], "/"))
        #expect(try client.change("Lock", ["/", "/a/b"]) == ([], "/"))
    }

    @Test("objects that are not there are not", arguments: ["/", "/org/freedesktop/secrets/collection/other"])
    func unknownObjects(_ path: String) throws {
        #expect(try refusal { _ = try client.text("Label", of: path, .collection) } == Self.noSuchObject)
        let long = "/" + String(repeating: "a", count: 10_000)
        #expect(try refusal { _ = try client.text("Label", of: long, .collection) } == Self.noSuchObject)
        let deep = String(repeating: "/a", count: 100)
        #expect(try refusal { _ = try client.text("Label", of: deep, .collection) } == Self.noSuchObject)
    }

    @Test("aliases name the collections, which have labels, and are never locked without a passcode")
    func aliases() throws {
        for (alias, path) in [
            ("default", TestClient.login), ("login", TestClient.login),
            ("session", "\(TestClient.root)/collection/session"), ("other", "/"),
        ] {
            let read = try client.call(
                TestClient.root,
                of: .service,
                calling: "ReadAlias",
                { call throws(BusError) in try call.append(alias) },
                reading: { $0.objectPath() }
            )
            #expect(read == path)
            if path != "/" {
                #expect(try !client.boolean("Locked", of: "\(TestClient.root)/aliases/\(alias)", .collection))
            }
        }
        #expect(try client.text("Label", of: TestClient.byDefault, .collection) == "Login")
        let collections = try client.paths("Collections", of: TestClient.root, .service)
        #expect(collections == [TestClient.login, "\(TestClient.root)/collection/session"])
    }

    @Test("the collection of an alias that there is, is given back instead of a new one; others are not made")
    func createCollection() throws {
        func create(_ alias: String) throws -> String {
            try client.call(TestClient.root, of: .service, calling: "CreateCollection") { call throws(BusError) in
                try call.append("a", of: "{sv}") { () throws(BusError) in }
                try call.append(alias)
            } reading: { reply in
                let path = reply.objectPath()
                return reply.objectPath() == "/" ? path : nil
            }
        }
        #expect(try create("default") == TestClient.login)
        #expect(try refusal { _ = try create("") } == "org.freedesktop.DBus.Error.NotSupported")
    }

    @Test("arguments of other types are refused, and change nothing")
    func wrongTypes() throws {
        let item = try client.store(["a": "b"], "secret", session: session)
        #expect(try refusal { try client.send(TestClient.root, of: .service, calling: "SearchItems") } == Self.invalid)
        let texts = try refusal {
            try client.send(TestClient.root, of: .service, calling: "Unlock") { call throws(BusError) in
                try call.append(array: ["a"], of: "s")
            }
        }
        #expect(texts == Self.invalid)
        #expect(try refusal { try client.set("Label", of: item, .item, to: .boolean(true)) } == Self.invalid)
        #expect(try refusal { try client.set("Attributes", of: item, .item, to: .text("a")) } == Self.invalid)
        let readOnly = "org.freedesktop.DBus.Error.PropertyReadOnly"
        #expect(try refusal { try client.set("Locked", of: item, .item, to: .boolean(true)) } == readOnly)
        let property = try refusal { _ = try client.text("Other", of: item, .item) }
        #expect(property == "org.freedesktop.DBus.Error.UnknownProperty")
        let method = try refusal { try client.send(item, of: .item, calling: "Other") }
        #expect(method == "org.freedesktop.DBus.Error.UnknownMethod")
        let wrongLabel = try refusal {
            try client.send(TestClient.byDefault, of: .collection, calling: "CreateItem") { call throws(BusError) in
                try call.append("a", of: "{sv}") { () throws(BusError) in
                    try call.append("e", of: "sv") { () throws(BusError) in
                        try call.append("org.freedesktop.Secret.Item.Label")
                        try call.append(PropertyContent.boolean(true))
                    }
                }
                try call.append(SentSecret(plain: "x", session: session))
                try call.append(false)
            }
        }
        #expect(wrongLabel == Self.invalid)
        #expect(front.keychain.count == 1)
        #expect(try client.text("Label", of: item, .item) == "a label")
    }

    @Test("every object says what it has, and none that it has items")
    func introspection() throws {
        let item = try client.store(["a": "b"], "secret", session: session)
        for path in ["/", "/org", TestClient.root, TestClient.login, TestClient.byDefault, item, session] {
            let text = try client.call(path, of: .introspectable, calling: "Introspect", reading: { $0.string() })
            #expect(text.contains("</node>") && !text.contains(String(item.suffix(32))))
        }
        try client.send(TestClient.root, of: .peer, calling: "Ping")
    }

    @Test("attributes and labels may be empty and of any characters; twins are two items")
    func characters() throws {
        let item = try client.store(["": "", "é": "e\u{301}\n"], "", session: session, label: "")
        let twin = try client.store(["": "", "é": "e\u{301}\n"], "", session: session, label: "", replacing: false)
        #expect(item != twin)
        #expect(try Set(client.search(["é": "e\u{301}\n"]).open) == [item, twin])
        #expect(try client.search(["é": "é\n"]).open == [], "how a character is composed counts")
        #expect(try client.secrets([item], session: session) == [item: []])
    }

    @Test("a secret of 1 MiB is kept, and one above the limit is refused")
    func sizes() throws {
        let long = String(repeating: "x", count: 1 << 20)
        let item = try client.store(["a": "b"], long, session: session)
        #expect(try client.secret(item, session: session).coded.value.count == 1 << 20)
        let error = try refusal {
            _ = try client.store(["c": "d"], String(repeating: "x", count: 17 << 20), session: session)
        }
        #expect(error == "org.freedesktop.DBus.Error.LimitsExceeded")
        #expect(front.keychain.count == 1)
    }
}

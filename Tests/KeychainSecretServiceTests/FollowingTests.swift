// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import MessageBus
import Testing

@testable import KeychainSecretService

/// What programs are told of objects that they keep.
@Suite(.timeLimit(.minutes(5)))
struct FollowingTests {
    private let front: TestFront<LookupKeychain>
    private let client: TestClient
    private let session: String

    init() throws {
        front = try TestFront()
        client = try front.client()
        session = try client.openSession()
    }

    @Test("a program that has read all properties of an object is told new ones, and no other program is")
    func following() throws {
        let item = try client.store(["a": "b"], "secret", session: session)
        let follower = try front.client()
        func expectSignals(_ signals: (name: String, path: String, content: String)...) throws {
            for (name, path, content) in signals {
                #expect(
                    try follower.nextSignal() == TestClient.Received(name: name, path: path, content: content)
                )
            }
        }
        try follower.readAll(TestClient.byDefault, .collection)
        try follower.readAll(item, .item)
        let (login, new) = (TestClient.login, "PropertiesChanged")
        let another = try client.store(["c": "d"], "secret", session: session)
        try expectSignals(("ItemCreated", login, another), (new, login, "Items"))
        try client.set("Label", of: item, .item, to: .text("another"))
        try expectSignals(("ItemChanged", login, item), (new, item, "Label Attributes Modified"))
        // It has not read that one.
        try client.set("Label", of: another, .item, to: .text("another"))
        try expectSignals(("ItemChanged", login, another))
        try client.delete(item)
        try expectSignals(("ItemDeleted", login, item), (new, login, "Items"))
        front.keychain.announce(.unknown)
        try expectSignals(("CollectionChanged", TestClient.root, login), (new, login, "Items"))
        // It has stored and read single properties only.
        #expect(try client.text("Label", of: another, .item) == "another")
        for name in ["ItemCreated", "ItemCreated", "ItemChanged", "ItemChanged", "ItemDeleted", "CollectionChanged"] {
            #expect(try client.nextSignal()?.name == name)
        }
    }

    @Test("a program that reads nothing for a while is told of many changes at once then")
    func slowFollower() throws {
        let follower = try front.client()
        try follower.readAll(TestClient.login, .collection)
        let items = try (0..<50).map { try client.store(["number": "\($0)"], "secret", session: session) }
        var counts: [String: Int] = [:]
        for _ in 0..<52 { counts[try follower.nextSignal()?.name ?? "none", default: 0] += 1 }
        #expect(counts == ["ItemCreated": 50, "PropertiesChanged": 2])
        try client.delete(items[0])
        #expect(try follower.nextSignal()?.name == "ItemDeleted")
    }
}

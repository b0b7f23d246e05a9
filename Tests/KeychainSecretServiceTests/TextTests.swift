// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import MessageBus
import Testing

@testable import KeychainSecretService

/// Texts and secrets of any bytes and any size that is allowed, in both collections.
@Suite(.timeLimit(.minutes(5)))
struct TextTests {
    private let front: TestFront<EmbeddedKeychain>
    private let client: TestClient
    private let session: String

    private static let collections = [TestClient.login, "\(TestClient.root)/collection/session"]
    private static let invalid = "org.freedesktop.DBus.Error.InvalidArgs"
    private static let longest = String(repeating: "x", count: LookupAttributes.maximumTextByteCount)

    init() throws {
        front = try TestFront(of: .inMemory(), memory: EmbeddedKeychain.inMemory())
        client = try front.client()
        session = try client.openSession()
    }

    /// D-Bus transports them, sd-bus does not.
    private static let nonCharacters = String(decoding: [0xFDD0, 0xFFFE, 0xFFFF] as [UInt16], as: UTF16.self)

    private static let texts = [
        "", " ", "\n", "a\nb\r\n", "\u{1}\u{7F}\u{80}", "é", "e\u{301}", "\u{10FFFD}",
        "\u{200F}\u{202E}", "\u{FEFF}", "'\"\\;--", "%s%n", "🏳️‍🌈", longest,
    ]

    @Test("a name and a value of any text find their item, and no other", arguments: collections)
    func attributes(_ collection: String) throws {
        var items: [String] = []
        for text in Self.texts {
            items.append(try client.store([text: text], "secret", session: session, label: text, in: collection))
        }
        #expect(Set(items).count == Self.texts.count)
        for (item, text) in zip(items, Self.texts) {
            #expect(try client.search([text: text]).open == [item])
            #expect(try client.attributes(of: item).map { Array($0.utf8) } == [Array("\(text)=\(text)".utf8)])
            #expect(try client.text("Label", of: item, .item).hasSameBytes(as: text))
        }
        #expect(try client.search([:]).open.count == items.count)
    }

    @Test("1 MiB of attributes is kept, and found by each of them", arguments: collections)
    func largest(_ collection: String) throws {
        let item = try client.store(["a": "b"], "secret", session: session, in: collection)
        let pairs = (10..<26).map { LookupAttributes.Pair("\($0)", String(Self.longest.dropFirst(2))) }
        let attributes = try LookupAttributes(pairs)
        try client.set("Attributes", of: item, .item, to: .attributes(attributes))
        for pair in pairs { #expect(try client.search([pair.name: pair.value]).open == [item]) }
        #expect(try client.attributes(of: item) == pairs.map { "\($0.name)=\($0.value)" })
        #expect(try client.search(["10": Self.longest]).open == [])
    }

    @Test("a label that is too long, and a text of too many combining marks, is refused", arguments: collections)
    func refusedTexts(_ collection: String) throws {
        let item = try client.store(["a": "b"], "secret", session: session, in: collection)
        let marks = "a" + String(repeating: "\u{301}\u{323}", count: 1_000)
        for label in [Self.longest + "x", marks] {
            #expect(try refusal { try client.set("Label", of: item, .item, to: .text(label)) } == Self.invalid)
            let stored = try refusal {
                _ = try client.store([:], "secret", session: session, label: label, in: collection)
            }
            #expect(stored == Self.invalid)
        }
        #expect(try refusal { _ = try client.store([marks: ""], "", session: session, in: collection) } == Self.invalid)
        #expect(try refusal { _ = try client.store(["": marks], "", session: session, in: collection) } == Self.invalid)
        let type = SentSecret(plain: "x", session: session, contentType: String(Self.longest.prefix(5_000)))
        #expect(try refusal { try client.setSecret(item, type) } == Self.invalid)
        #expect(try client.search([:]).open == [item])
        #expect(try client.secrets([item], session: session) == [item: Array("secret".utf8)])
    }

    @Test(
        "a secret of any bytes is kept, up to 16 MiB; a longer one is refused, and the item stays as it is",
        arguments: collections
    )
    func secrets(_ collection: String) throws {
        func sent(_ bytes: [UInt8]) -> SentSecret {
            let coded = CodedSecret(parameters: [], value: SecretBytes(bytes))
            return SentSecret(session: session, coded: coded, contentType: "application/octet-stream")
        }
        let item = try client.store(["a": "b"], "", session: session, in: collection)
        let largest = [UInt8](repeating: 7, count: ItemLimits.secretByteCount)
        for bytes in [[], [0], [0xFF], [0, 1, 0, 0xFE], largest] {
            try client.setSecret(item, sent(bytes))
            #expect(try client.secret(item, session: session).coded.value == SecretBytes(bytes))
        }
        let error = try refusal { try client.setSecret(item, sent(largest + [7])) }
        #expect(error == "org.freedesktop.DBus.Error.LimitsExceeded")
        let new = try refusal {
            try client.send(collection, of: .collection, calling: "CreateItem") { call throws(BusError) in
                try call.append("a", of: "{sv}") { () throws(BusError) in }
                try call.append(sent(largest + Array(repeating: 7, count: 100)))
                try call.append(false)
            }
        }
        #expect(new == "org.freedesktop.DBus.Error.LimitsExceeded")
        #expect(try client.secret(item, session: session).coded.value.count == largest.count)
        #expect(try client.search([:]).open == [item])
    }

    @Test("an item whose account is no text is listed without it")
    func otherBytes() throws {
        let accounts: [PropertyValue] = [
            .data(SecretBytes([0xFF, 0xFE])), .data(SecretBytes(Array("a\0b".utf8))), .string("c\0d"),
            .string(Self.nonCharacters),
        ]
        for account in accounts {
            let label = account == .string(Self.nonCharacters) ? Self.nonCharacters : "e\0f"
            let item: PropertyDictionary = [
                "class": .string("genp"), "svce": .string("S"), "acct": account, "labl": .string(label),
                PropertyKey.valueData: .data(SecretBytes([1])),
            ]
            _ = try front.keychain.perform(KeychainRequest(.add(item), client: .person))
        }
        let items = try client.search(["service": "S"]).open
        #expect(items.count == accounts.count)
        for item in items {
            #expect(try client.attributes(of: item) == ["service=S"])
            #expect(try client.text("Label", of: item, .item) == "")
            #expect(try client.secret(item, session: session).coded.value == SecretBytes([1]))
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// `keychainctl import secret-service`, from a service on a bus of its own.
@Suite(.timeLimit(.minutes(5)))
struct ImportSecretServiceTests {
    @Test("an item comes with its attributes, label, times, content type and secret, and the dry run says so before")
    func item() throws {
        let scene = try ImportScene()
        let item = LookupContents.item(
            "Läbel",
            ["service": "S", "account": "A", "xdg:schema": "com.example"],
            secret: "se\0cret",
            contentType: "application/octet-stream",
            created: 600_000_000
        )
        try scene.foreign.store(item)
        let rehearsal = try scene.run("--dry-run")
        #expect(rehearsal == Control.Outcome(status: 0, output: "Would add 1 item:  Läbel (Login)"))
        #expect(try scene.own.lookups().isEmpty)
        #expect(try scene.run() == Control.Outcome(status: 0, output: "Added 1 item:  Läbel (Login)"))
        let found = try #require(try scene.own.lookups().first)
        #expect(found.item.attributes == item.attributes)
        #expect(found.item.label == "Läbel")
        #expect(found.item.created == item.created && found.item.modified == item.modified)
        #expect(found.secret?.secret == item.secret)
        #expect(found.secret?.contentType == "application/octet-stream")
    }

    @Test("a second run adds nothing, also of items with the same attributes")
    func again() throws {
        let scene = try ImportScene()
        for secret in ["1", "2"] { try scene.foreign.store(.item("twin", ["service": "S"], secret: secret)) }
        try scene.foreign.store(.item("", [:], secret: "none"))
        #expect(try scene.run().status == 0)
        #expect(try scene.own.lookups().count == 3)
        let second = try scene.run()
        #expect(second == Control.Outcome(status: 0, output: "Added nothing.In the keychain already: 3 items."))
        #expect(try scene.own.lookups().count == 3)
    }

    @Test("another secret stays, and is replaced on request with its label")
    func different() throws {
        let scene = try ImportScene()
        try scene.own.store(.item("ours", ["service": "S"], secret: "our secret"))
        try scene.foreign.store(.item("theirs", ["service": "S"], secret: "their secret"))
        let kept = try scene.run()
        #expect(kept.status == 1)
        #expect(
            kept.output == "Added nothing."
                + "The keychain has another secret, which stays (--replace takes theirs):  theirs (Login)"
        )
        #expect(try scene.own.lookups().map(\.item.label) == ["ours"])
        #expect(try scene.run("--replace").status == 0)
        let found = try scene.own.lookups()
        #expect(found.map(\.item.label) == ["theirs"])
        #expect(found.map(\.secret?.secret) == [SecretBytes(Array("their secret".utf8))])
    }

    @Test(
        "a schema that says nothing makes no other item, and 'security' items are the same as those with their attributes"
    )
    func schema() throws {
        let scene = try ImportScene()
        try scene.own.store(.item("a", ["service": "S"], secret: "1"))
        let added: PropertyDictionary = [
            "class": .string("genp"), "svce": .string("T"), "acct": .string("A"),
            "v_Data": .data(SecretBytes(Array("2".utf8))), "agrp": .string(Client.commonGroup),
        ]
        _ = try scene.own.perform(KeychainRequest(.add(added), client: .person))
        let schema = "org.freedesktop.Secret.Generic"
        try scene.foreign.store(.item("a", ["service": "S", "xdg:schema": schema], secret: "1"))
        try scene.foreign.store(.item("b", ["service": "T", "account": "A"], secret: "2"))
        #expect(try scene.run().output == "Added nothing.In the keychain already: 2 items.")
    }

    @Test("what is locked there is counted and named, and taken once its service has asked for it")
    func locked() throws {
        let scene = try ImportScene()
        try scene.foreign.store(.item("a", ["service": "S"], secret: "1"))
        try scene.foreign.device.setPasscode(SecretBytes(Array("1234".utf8)))
        try scene.foreign.device.lock()
        let locked = try scene.run()
        #expect(locked.status == 1)
        #expect(
            locked.output == "Added nothing."
                + "Locked there (--unlock has the service ask you):  the collection Login, 1 item"
        )
        #expect(try scene.run("--unlock").output == "Added 1 item:  a (Login)")
    }

    @Test("what ends with the session is left out, and other collections than the named ones")
    func collections() throws {
        let scene = try ImportScene()
        try scene.memory.store(.item("a", ["service": "S"], secret: "1"))
        try scene.foreign.store(.item("a\u{1B}\u{202E}", ["service": "S"], secret: "s3cret"))
        let outcome = try scene.run("--json")
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("\n  \"leftOut\": 1"))
        #expect(outcome.output.contains(#""label": "a\u001b\u202e""#) && !outcome.output.contains("s3cret"))
        #expect(
            try scene.run("--collection", "login").output == "Added nothing.In the keychain already: 1 item."
        )
        let unknown = try scene.run("--collection", "Work")
        #expect(unknown.status == 1)
        #expect(unknown.error == "the service has no collection 'Work'; it has Login, Session")
    }

    @Test("a bus without a service, and an address that is none, are refused in a sentence")
    func nothing() throws {
        let bus = try PrivateBus()
        let control = Control(FakeKeychain())
        let words = ["import", "secret-service", "--address"]
        let empty = try control.run(words + [bus.address])
        #expect(empty.status == 1)
        #expect(empty.error.hasPrefix("no program on the message bus has the name org.freedesktop.secrets"))
        for address in ["", "tcp:host=localhost", "unix:path=/nonexistent/bus", "unix:path=%zz"] {
            let outcome = try control.run(words + [address])
            #expect(outcome.status == 1 && outcome.error.hasPrefix("there is no message bus: "), "\(address)")
        }
        let unset = try control.run(["import", "secret-service"])
        #expect(unset.error.hasPrefix("there is no session bus"))
    }

    @Test("nothing is taken into a locked keychain")
    func ownIsLocked() throws {
        let scene = try ImportScene()
        try scene.own.device.setPasscode(SecretBytes(Array("1234".utf8)))
        try scene.own.device.lock()
        let outcome = try scene.run()
        #expect(outcome.status == 1)
        #expect(outcome.error.contains("keychainctl device unlock"))
    }

    @Test("what the keychain does not take is named with the reason, and the rest is taken")
    func refused() throws {
        let scene = try ImportScene()
        let long = String(repeating: "a", count: LookupAttributes.maximumByteCount + 1)
        let items = [
            LookupContents.item(long, ["service": "L"], secret: "1"),
            LookupContents.item("short", ["service": "S"], secret: "2"),
        ]
        .map { ForeignItem(path: "/", collection: "Login", contents: $0) }
        var report = ItemImport.Report()
        try ItemImport(into: scene.own, replacing: false, isRehearsal: false).take(items, into: &report)
        #expect(report.added.map(\.name) == ["short"])
        #expect(report.refused.map(\.item.name) == [long])
        #expect(try scene.own.lookups().map(\.item.label) == ["short"])
    }
}

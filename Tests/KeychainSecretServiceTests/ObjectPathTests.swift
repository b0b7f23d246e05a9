// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainSecretService

/// The paths of objects, as programs send them.
struct ObjectPathTests {
    private static let digits = "0123456789abcdef0123456789abcdef"
    private static let root = "/org/freedesktop/secrets"

    @Test("every object has one path, which is parsed")
    func roundTrip() throws {
        let number = try #require([UInt8](hexadecimal: Self.digits).flatMap { Bytes16($0) })
        let objects: [ObjectPath] = [
            .service, .collection(.login), .collection(.session), .item(.login, number), .item(.session, number),
            .session(number), .prompt(number), .alias("default"), .alias("my alias_é"),
            .collection(CollectionName(PathElement.of("Work stuff"))),
        ]
        for object in objects { #expect(ObjectPath(object.text) == object) }
        #expect(ObjectPath.item(.login, number).text == "\(Self.root)/collection/login/\(Self.digits)")
    }

    @Test("names are elements of paths as gnome-keyring writes them, and come back")
    func elements() {
        #expect(PathElement.of("Work_2 é") == "Work_5f2_20_c3_a9")
        #expect(ObjectPath.collection(CollectionName("a_5fb")).text == "\(Self.root)/collection/a_5fb")
        #expect(ObjectPath.alias("a_b").text == "\(Self.root)/aliases/a_5fb")
        for name in ["", "a", "_", "/\u{0}", "é", "e\u{301}"] {
            #expect(PathElement.name(PathElement.of(name)).map { $0.hasSameBytes(as: name) } == true)
        }
        // Neither of no name, nor a second one of a name.
        for element in ["_", "_2", "_5F", "_61", "_ff", "a b", "_c3_"] { #expect(PathElement.name(element) == nil) }
    }

    @Test(
        "what is no path of an object is none",
        arguments: [
            "/", "", "/org", "/org/freedesktop", "\(root)/", "\(root)/collection", "\(root)/collection/",
            "\(root)/collection/a-b", "\(root)/collection/login/", "\(root)/aliases/a_b", "\(root)/aliases/",
            "\(root)/aliases/default/\(digits)", "\(root)/collection/login/\(digits)/x",
            "\(root)/collection/login/\(digits.uppercased())", "\(root)/collection/login/\(digits.dropLast())",
            "\(root)/session/1", "\(root)/prompt/", "\(root)//collection/login", "x\(root)", "\(root)/session",
            "/org/freedesktop/secretx/collection/login", "\(root)/collection/login\u{0301}",
        ]
    )
    func noObject(_ path: String) {
        #expect(ObjectPath(path) == nil)
    }

    @Test("a path of 10,000 characters or of 100 levels is none")
    func long() {
        #expect(ObjectPath("\(Self.root)/collection/" + String(repeating: "a", count: 10_000)) == nil)
        #expect(ObjectPath(Self.root + String(repeating: "/a", count: 100)) == nil)
        #expect(ObjectPath(String(repeating: "/", count: 10_000)) == nil)
    }

    @Test("items are taken from paths once each, by their collections")
    func items() throws {
        let number = try #require([UInt8](hexadecimal: Self.digits).flatMap { Bytes16($0) })
        let (login, session) = (ObjectPath.item(.login, number).text, ObjectPath.item(.session, number).text)
        let items = ObjectPath.items([session, login, login, "/", Self.root])
        #expect(items.map(\.0) == [.login, .session])
        #expect(items.map(\.1) == [[number], [number]])
    }
}

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
            .session(number), .prompt(number),
        ]
        for object in objects { #expect(ObjectPath(object.text) == object) }
        #expect(ObjectPath.item(.login, number).text == "\(Self.root)/collection/login/\(Self.digits)")
    }

    @Test("the path of an alias is that of its collection", arguments: ["default", "login", "session"])
    func alias(_ name: String) {
        #expect(ObjectPath("\(Self.root)/aliases/\(name)") == .collection(name == "session" ? .session : .login))
    }

    @Test(
        "what is no path of an object is none",
        arguments: [
            "/", "", "/org", "/org/freedesktop", "\(root)/", "\(root)/collection", "\(root)/collection/",
            "\(root)/collection/other", "\(root)/collection/login/", "\(root)/aliases/other",
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

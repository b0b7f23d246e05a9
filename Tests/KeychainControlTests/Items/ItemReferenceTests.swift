// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// Each password has a reference that means it alone.
struct ItemReferenceTests {
    private let scene: ItemScene

    init() throws { scene = try ItemScene() }

    /// Two passwords that differ in one attribute of their primary key.
    struct Pair: Sendable {
        let itemClass: ItemClass
        let attribute: String
        let values: [PropertyValue?]

        init(_ itemClass: ItemClass, _ attribute: String, values: PropertyValue?...) {
            (self.itemClass, self.attribute, self.values) = (itemClass, attribute, values)
        }

        static let all = [
            Pair(.genericPassword, "svce", values: .string("a"), .string("b")),
            Pair(.genericPassword, "svce", values: nil, .string("b")),
            Pair(.genericPassword, "svce", values: .string("e\u{301}"), .string("\u{E9}")),
            Pair(.genericPassword, "acct", values: .string("a"), .string("b")),
            Pair(.genericPassword, "acct", values: nil, .string("b")),
            Pair(.genericPassword, "agrp", values: .string("a"), .string("b&c=d%")),
            Pair(.genericPassword, "sync", values: nil, .boolean(true)),
            Pair(.internetPassword, "srvr", values: nil, .string("b")),
            Pair(.internetPassword, "acct", values: nil, .string("b")),
            Pair(.internetPassword, "agrp", values: .string("a"), .string("b")),
            Pair(.internetPassword, "sync", values: nil, .boolean(true)),
            Pair(.internetPassword, "ptcl", values: nil, .string("htps")),
            Pair(.internetPassword, "ptcl", values: .string("http"), .string("htps")),
            Pair(.internetPassword, "ptcl", values: .string("https"), .string("htps")),
            Pair(.internetPassword, "ptcl", values: .string("abcd"), .string("ftp ")),
            Pair(.internetPassword, "port", values: nil, .number(.integer(8443))),
            Pair(.internetPassword, "port", values: .number(.integer(80)), .number(.integer(8080))),
            Pair(.internetPassword, "port", values: .number(.integer(-1)), .string("x")),
            Pair(.internetPassword, "path", values: nil, .string("/a b?c&d")),
            Pair(.internetPassword, "path", values: .string("a"), .string("/a")),
            Pair(.internetPassword, "sdmn", values: nil, .string("realm")),
            Pair(.internetPassword, "atyp", values: .string("http"), .string("form")),
        ]
    }

    private func references() throws -> [String] {
        try scene.run("list", "--null").text.split(separator: "\0").map(String.init)
    }

    @Test("the reference of a password means no other that differs in one part of the primary key", arguments: Pair.all)
    func pairs(_ pair: Pair) throws {
        var attributes: [String: PropertyValue] = ["acct": .string("ada"), "labl": .string("L")]
        attributes[pair.itemClass == .genericPassword ? "svce" : "srvr"] = .string("svc")
        for (number, value) in pair.values.enumerated() {
            attributes[pair.attribute] = value
            try scene.add(pair.itemClass, attributes, secret: "\(number)")
        }
        let references = try references()
        #expect(Set(references.map { Array($0.utf8) }).count == 2, "\(references)")
        let secrets = try references.map { reference in
            #expect(try scene.run("show", reference).output.contains("Reference:        \(reference)"))
            let got = try scene.run("get", reference)
            #expect(got.status == 0, "\(reference) \(got)")
            return got.text
        }
        #expect(Set(secrets) == ["0", "1"])
        #expect(try scene.run("delete", "--yes", references[0]).status == 0)
        #expect(try self.references() == [references[1]])
        #expect(try scene.run("get", references[1]).text == secrets[1])
    }

    @Test("where a name means several, each is listed with a reference that means it")
    func candidates() throws {
        for port in [80, 8080] as [Int64] {
            try scene.add(
                .internetPassword,
                [
                    "srvr": .string("a.example"), "acct": .string("ada"), "port": .number(.integer(port)),
                    "atyp": .string("dflt"),
                ]
            )
        }
        let several = try scene.run("get", "a.example/ada")
        #expect(several.status == 4 && several.error.contains("--port"))
        #expect(several.error.contains("at :8080\n"), "\(several.error)")
        let listed = several.error.split(separator: "\n").filter { $0.contains("keychain://") }
        #expect(listed.count == 2)
        for line in listed {
            #expect(try scene.run("get", line.trimmingCharacters(in: .whitespaces)).text == "secret", "\(line)")
        }
    }

    @Test("protocol, port and path choose among passwords of a server, make new ones, and list them")
    func addressOptions() throws {
        let addresses = [("", "0", ""), ("", "8443", ""), ("https", "8443", ""), ("", "0", "/p")]
        for (number, (scheme, port, path)) in addresses.enumerated() {
            let words = ["a.example/ada", "--protocol", scheme, "--port", port, "--path", path]
            #expect(try scene.run(["set"] + words, input: "\(number + 1)").remarks == "Stored a.example/ada.")
            #expect(try scene.run(["get"] + words).text == "\(number + 1)")
        }
        #expect(try scene.run("set", "a.example/ada", "--class", "internet", input: "5").status == 4)
        #expect(try scene.run("list", "--port", "8443").output.split(separator: "\n").count == 2)
        #expect(try scene.run("list", "--protocol", "https").output.split(separator: "\n").count == 1)
        #expect(try scene.run("get", "a.example", "--path", "/p").text == "4")
        for words in [
            ["get", "a.example", "--port", "65536"], ["get", "a.example", "--class", "generic", "--port", "1"],
            ["set", "b.example/ada", "--protocol", "gopher"], ["list", "--class", "generic", "--path", "x"],
            ["get", "keychain://a.example?class=generic&port=1"],
        ] {
            #expect(try scene.run(words, input: "1").status == 2, "\(words)")
        }
    }

    @Test("a password without a service is listed, named, shown and deleted")
    func withoutService() throws {
        try scene.add(.genericPassword, ["acct": .string("ada")], secret: "1")
        try scene.add(.genericPassword, ["labl": .string("nothing")], secret: "2")
        #expect(try scene.run("list").output.split(separator: "\n").map { $0.prefix { $0 != "\t" } } == ["/", "/ada"])
        for name in ["/ada", "keychain:///ada"] { #expect(try scene.run("get", name).text == "1", "\(name)") }
        #expect(try scene.run("get", "", "--account", "ada").text == "1")
        for name in ["/", "keychain:///"] { #expect(try scene.run("get", name).text == "2", "\(name)") }
        #expect(try scene.run("get", "").status == 2)
        #expect(try scene.run("set", "/ada", input: "3").remarks == "Replaced /ada.")
        #expect(try scene.run("set", "keychain:///bob", input: "3").status == 2)
        #expect(try scene.run("delete", "--yes", "/ada", "/").status == 0)
        #expect(try scene.run("list").output.isEmpty)
        // A new one whose service begins with a slash is no password without a service.
        #expect(try scene.run("set", "/etc/key", input: "4").remarks == "Stored /etc/key.")
        #expect(try scene.run("get", "/etc", "--account", "key").text == "4")
    }

    @Test("a password whose service is not UTF-8 is listed without a reference, and the others with theirs")
    func bytes() throws {
        try scene.add(.genericPassword, ["svce": .data(SecretBytes([0x61, 0xFF])), "acct": .string("ada")])
        try scene.add(.genericPassword, ["svce": .string("b"), "acct": .string("ada")])
        let references = try scene.run("list", "--null")
        #expect(references.text.split(separator: "\0").count == 1 && references.remarks.contains("1 password without"))
        #expect(try scene.run("list").output.contains("a\u{FFFD}/ada"))
        let json = try JSONSerialization.jsonObject(with: Data(try scene.run("list", "--json").output.utf8))
        #expect((json as? [[String: Any]])?.filter { $0["reference"] == nil }.count == 1)
        #expect(ItemCompletion.names(in: scene.control.keychain) == ["b/ada"])
    }

    @Test("names may have every character, and a combining mark behind a slash belongs to the name")
    func characters() throws {
        for service in ["\u{338}x", "\u{0}", "\u{1B}[0m", "%2F?&=#", "\u{1F468}\u{200D}\u{1F469}", "\u{301}/\u{301}"] {
            try scene.add(.genericPassword, ["svce": .string(service), "acct": .string(service)], secret: service)
        }
        for reference in try references() {
            let got = try scene.run("get", reference, "--field", "service")
            #expect(try scene.run("get", reference).bytes == got.bytes && got.status == 0, "\(reference)")
        }
        #expect(try scene.run("get", "keychain://\u{338}x").text == "\u{338}x")
        #expect(SecretReference.isReference("keychain://\u{338}x"))
        #expect(try scene.run("rename", "keychain://\u{338}x", "keychain://\u{338}y").status == 0)
        #expect(try scene.run("get", "keychain://\u{338}y").text == "\u{338}x")
    }
}

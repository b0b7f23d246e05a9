// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore
import KeychainEngine
import Testing

@testable import KeychainControl

/// Passwords under an access control, which are read with their user only.
struct GuardedItemTests {
    private var scene: ItemScene
    private let authenticator = ScriptedAuthenticator { _ in .unavailable }

    init() throws {
        var device = DeviceOptions.withNegligibleWork
        device.authenticator = authenticator
        scene = try ItemScene()
        scene.control = Control(EmbeddedKeychain.inMemory(device: device))
        try scene.control.keychain.device.setPasscode(SecretBytes(Array("1234".utf8)))
        try add(.genericPassword, ["svce": .string("svc"), "acct": .string("ada")])
    }

    private func add(_ itemClass: ItemClass, _ attributes: [String: PropertyValue]) throws {
        let constraints = try #require(AccessConstraints(.userPresence))
        let control = AccessControl(protection: .whenUnlocked, constraints: constraints)
        try scene.add(itemClass, attributes.merging(["accc": .accessControl(control)]) { $1 }, secret: "guarded")
    }

    @Test("they are listed, found and shown without asking anybody, beside others")
    func lists() throws {
        _ = try scene.run("set", "svc/bob", input: "1")
        try add(.internetPassword, ["srvr": .string("a.example"), "port": .number(.integer(8443))])
        let list = try scene.run("list")
        #expect(
            list.output.split(separator: "\n").map { $0.split(separator: "\t").prefix(2).joined(separator: " ") } == [
                "a.example internet :8443 (asks)", "svc/ada generic (asks)", "svc/bob generic",
            ]
        )
        #expect(try scene.run("search", "ada").output.contains("svc/ada"))
        #expect(try scene.run("show", "svc/ada").output.contains("Read with:        the passcode or biometry"))
        let json = try scene.run("show", "svc/ada", "--json").output
        #expect(json.contains(#""userPresence""#) && json.contains("kSecAttrAccessibleWhenUnlocked\""))
        #expect(ItemCompletion.names(in: scene.control.keychain) == ["a.example", "svc/ada", "svc/bob"])
        #expect(authenticator.prompts.isEmpty)
    }

    @Test("a name means them as well, so that none of two is used instead of the other")
    func names() throws {
        _ = try scene.run("set", "svc/ada", "--group", "g", input: "1")
        #expect(try scene.run("delete", "--yes", "svc/ada").status == 4)
        #expect(try scene.run("get", "svc/ada").status == 4)
        #expect(try scene.run("get", "svc/ada", "--group", "g").text == "1")
        #expect(try scene.run("delete", "--yes", "svc/ada", "--group", Client.commonGroup).status == 0)
        #expect(try scene.run("get", "svc/ada").text == "1")
    }

    @Test("reading one asks, and says what it needs where nobody can be asked")
    func reading() throws {
        let refused = try scene.run("get", "svc/ada")
        #expect(refused.status == 5 && refused.error.contains("read with the passcode or biometry"), "\(refused)")
        #expect(!refused.error.contains("device unlock") && refused.bytes.isEmpty)
        authenticator.setAnswer { _ in .cancelled }
        #expect(try scene.run("get", "svc/ada").status == 5)
        authenticator.setAnswer { _ in .secret(SecretBytes(Array("1234".utf8))) }
        #expect(try scene.run("get", "svc/ada").text == "guarded")
    }

    @Test("changing one asks as well, and deleting one does not")
    func changing() throws {
        #expect(try scene.run("set", "svc/ada", input: "new").status == 5)
        #expect(try scene.run("rename", "svc/ada", "svc/bob").status == 5)
        authenticator.setAnswer { _ in .secret(SecretBytes(Array("1234".utf8))) }
        #expect(try scene.run("rename", "svc/ada", "svc/bob").status == 0)
        #expect(try scene.run("copy", "svc/bob", "svc/eve").status == 0)
        #expect(try scene.run("show", "svc/eve").output.contains("Read with:"))
        #expect(try scene.run("set", "svc/bob", input: "new").remarks == "Replaced svc/bob.")
        #expect(try scene.run("get", "svc/bob").text == "new" && scene.run("get", "svc/eve").text == "guarded")
        authenticator.setAnswer { _ in .unavailable }
        #expect(try scene.run("delete", "--yes", "svc/bob", "svc/eve").status == 0)
        #expect(try scene.run("list").output.isEmpty)
    }

    @Test("they are listed beside more others than one explanation has")
    func many() throws {
        for number in 0...ExplanationOptions.largestItemLimit {
            try scene.add(.genericPassword, ["svce": .string("\(number)")])
        }
        try add(.genericPassword, ["svce": .string("last"), "acct": .string("ada")])
        let names = try scene.run("list").output.split(separator: "\n").filter { $0.contains("(asks)") }
        #expect(names.map { $0.prefix { $0 != "\t" } } == ["last/ada", "svc/ada"])
    }
}

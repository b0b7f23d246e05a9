// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainEngine
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// `keychainctl netrc`.
struct NetrcCommandTests {
    private let folder: TemporaryFolder
    private let control = Control(EmbeddedKeychain.inMemory())

    init() throws { folder = try TemporaryFolder() }

    private func add(_ host: String, _ user: String, password: String, more: [String: PropertyValue] = [:]) throws {
        var item: PropertyDictionary = [
            PropertyKey.itemClass: .string("inet"), "srvr": .string(host), "acct": .string(user),
            "ptcl": .string("htps"), PropertyKey.valueData: .data(SecretBytes(Array(password.utf8))),
        ]
        for (key, value) in more { item[key] = value }
        _ = try control.keychain.perform(KeychainRequest(.add(item), client: .person))
    }

    private func run(_ hosts: [String]) throws -> (outcome: Control.Outcome, text: String) {
        let path = folder.path(of: UUID().uuidString)
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        let outcome = try control.run(["netrc"] + hosts + ["--output-fd", "\(descriptor)"])
        return (outcome, String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self))
    }

    @Test("each user of a host has a line, quoted where it has to be")
    func lines() throws {
        try add("a.example", "u", password: "p")
        try add("a.example", "u", password: "of a path", more: ["path": .string("x")])
        try add("a.example", "v", password: "of a path only", more: ["path": .string("x")])
        try add("a.example", "w", password: "of all paths", more: ["path": .string("/")])
        try add("a.example", "o d", password: #"p "q\r"#)
        try add("a.example", "d", password: "s", more: ["labl": .string("Docker Credentials"), "atyp": .string("x")])
        try add("a.example", "port", password: "s", more: ["port": .number(.integer(8443))])
        try add("b.example", "u", password: "#x\noauth_refresh_token=r")
        let (outcome, text) = try run(["a.example", "b.example"])
        #expect(outcome == Control.Outcome(status: 0))
        let expected = [
            "machine a.example login u password p", "machine a.example login w password \"of all paths\"",
            #"machine a.example login "o d" password "p \"q\\r""#,
            ##"machine b.example login u password "#x""##,
        ]
        #expect(Set(text.split(separator: "\n").map(String.init)) == Set(expected))
    }

    @Test("an empty password is a word in quotes")
    func empty() throws {
        try add("a.example", "u", password: "")
        #expect(try run(["a.example"]).text == "machine a.example login u password \"\"\n")
    }

    @Test("a host without a password writes nothing, also not of the hosts before it")
    func missing() throws {
        try add("a.example", "u", password: "p")
        let (outcome, text) = try run(["a.example", "b.example"])
        #expect(outcome.status == 1 && outcome.error.contains("there is no password for b.example") && text.isEmpty)
    }

    @Test("what is no host is refused", arguments: ["a.example:80", "https://a", "a b", "", "a\nmachine"])
    func hosts(_ host: String) throws {
        let (outcome, text) = try run([host])
        #expect(outcome.status == 1 && outcome.error.contains("is not the name of a host") && text.isEmpty)
    }

    @Test("a user or a password of several lines is left out and named, so that no line of another host begins there")
    func injection() throws {
        try add("a.example", "u\nmachine b.example login x", password: "p")
        let (refused, nothing) = try run(["a.example"])
        #expect(refused.status == 1 && refused.error.contains("there is no password for a.example") && nothing.isEmpty)
        try add("a.example", "v", password: "q")
        try add("a.example", "w", password: "hunter2\nmachine b.example")
        let (outcome, text) = try run(["a.example"])
        #expect(outcome.status == 0 && text == "machine a.example login v password q\n")
        #expect(outcome.remarks.contains("'u\u{FFFD}machine b.example login x' at a.example is left out"))
        #expect(outcome.remarks.contains("'w' at a.example is left out") && !outcome.remarks.contains("hunter2"))
    }

    @Test("a locked keychain says how a command is run unlocked")
    func locked() throws {
        try add("a.example", "u", password: "p")
        try control.keychain.device.setPasscode(SecretBytes(Array("1234".utf8)))
        try control.keychain.device.lock()
        let (outcome, text) = try run(["a.example"])
        #expect(outcome.status == 1 && text.isEmpty)
    }
}

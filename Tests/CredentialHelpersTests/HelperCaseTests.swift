// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import KeychainCore
import KeychainEngine
import KeychainTestSupport
import Testing

/// The calls that git, docker, cargo and others make, by the tables in `Cases`.
struct HelperCaseTests {
    @Test("a caller gets what it understands", arguments: HelperCase.all)
    func table(_ helperCase: HelperCase) throws {
        let bench = HelperBench()
        for step in helperCase.steps { try bench.perform(step, helperCase.name) }
    }

    /// What each helper is asked, and how it tells that there is nothing.
    private static let misses: [(HelperName, [String], String, String, Int32)] = [
        (.git, ["get"], "protocol=https\nhost=a.example\n", "", 0),
        (.git, ["store"], "protocol=https\nhost=a.example\nusername=u\npassword=p\n", "", 0),
        (.git, ["erase"], "protocol=https\nhost=a.example\n", "", 0),
        (.docker, ["get"], "a.example", "credentials not found in native keychain\n", 1),
        (.docker, ["list"], "", "{}\n", 0),
        (
            .cargo, ["--cargo-plugin"], #"{"v":1,"kind":"get","operation":"read","registry":{"index-url":"i"}}"#,
            "{\"v\":[1]}\n{\"Err\":{\"kind\":\"not-found\"}}\n", 0
        ),
        (.aws, ["work"], "", "", 1),
        (.kubectl, ["me"], "", "", 1),
        (.askpass, ["[sudo] password for bob: "], "", "", 1),
        (.keyring, ["get", "s", "u"], "", "", 1),
    ]

    @Test("a keychain that cannot be reached is a miss with a line on standard error", arguments: misses)
    func unreachable(_ name: HelperName, words: [String], input: String, output: String, status: Int32) {
        let error = KeychainError(.notAvailable, "the daemon does not start", kind: .transport)
        let outcome = HelperBench(UnavailableKeychain(error)).run(name, words, input: input)
        #expect(outcome.status == status && outcome.text == output)
        #expect(outcome.errors.hasPrefix("\(name.rawValue): the daemon does not start\n"))
    }

    @Test("where it is not known which items are Docker's, git and curl get none")
    func unknownItems() throws {
        let bench = HelperBench(DoneKeychain())
        try bench.add([
            "class": .string("inet"), "srvr": .string("a.example"), "ptcl": .string("htps"), "acct": .string("u"),
            "secret": .string("p"),
        ])
        let outcome = bench.run(.git, ["get"], input: "protocol=https\nhost=a.example\n")
        #expect(outcome.text.isEmpty && outcome.errors.contains(KeychainError.unexpectedReply.reason))
        #expect(throws: KeychainError.unexpectedReply) {
            try Netrc.entries(for: "a.example", in: CredentialStore(bench.keychain))
        }
    }

    @Test("bytes of any kind end no helper and store nothing", arguments: HelperName.allCases)
    func garbage(_ name: HelperName) throws {
        let words = [
            HelperName.git: ["store"], .docker: ["store"], .cargo: ["--cargo-plugin"], .aws: ["p"], .kubectl: ["n"],
            .askpass: ["?"], .keyring: ["get", "s", "u"],
        ]
        var generator = SeededGenerator(seed: 37)
        for _ in 0..<200 {
            let count = Int.random(in: 0...64, using: &generator)
            let input = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let bench = HelperBench(EmptyKeychain())
            _ = bench.run(name, words[name] ?? [], input: input)
        }
    }

    @Test("a line of 1 MiB is read to its end")
    func longLine() throws {
        let bench = HelperBench()
        let password = String(repeating: "p", count: 1 << 20)
        let place = "protocol=https\nhost=a.example\n"
        #expect(bench.run(.git, ["store"], input: "\(place)username=u\npassword=\(password)\n").errors.isEmpty)
        #expect(bench.run(.git, ["get"], input: place).text == "username=u\npassword=\(password)\n")
        let secret = JSONValue.string(password).text
        let stored = bench.run(.docker, ["store"], input: #"{"ServerURL":"r","Username":"u","Secret":\#(secret)}"#)
        #expect(stored == HelperBench.Outcome(status: 0, output: [], errors: ""))
        #expect(bench.run(.docker, ["get"], input: "r").text.utf8.count > 1 << 20)
    }

    @Test("no remark or answer about what is refused has the value in it")
    func silence() {
        let bench = HelperBench()
        let inputs: [(HelperName, [String], String)] = [
            (.git, ["store"], "hunter2\n"), (.git, ["store"], "protocol=https\nhost=h\npassword=hunter2\u{0}\n"),
            (.docker, ["store"], #"{"ServerURL":"","Secret":"hunter2"}"#), (.docker, ["store"], "hunter2"),
            (.cargo, ["--cargo-plugin"], #"{"v":1,"kind":"login","token":"hunter2"}"#),
            (.cargo, ["--cargo-plugin"], "hunter2"), (.keyring, ["hunter2"], ""),
        ]
        for (name, words, input) in inputs {
            let outcome = bench.run(name, words, input: input)
            #expect(!outcome.text.contains("hunter2") && !outcome.errors.contains("hunter2"))
        }
    }

    @Test("the name by which the program is called chooses the helper, else the first word does")
    func names() throws {
        for name in HelperName.allCases {
            let called = try #require(HelperName.chosen(by: ["/usr/bin/\(name.rawValue)", "get"]))
            #expect(called.name == name && called.arguments == ["get"])
            let chosen = try #require(HelperName.chosen(by: ["keychain-helper", name.word, "get"]))
            #expect(chosen.name == name && chosen.arguments == ["get"])
        }
        let keyring = try #require(HelperName.chosen(by: ["/home/ada/.local/bin/keyring", "get", "s", "u"]))
        #expect(keyring.name == .keyring && keyring.arguments == ["--for-servers", "get", "s", "u"])
        #expect(HelperName.chosen(by: ["keychain-helper"]) == nil)
        #expect(HelperName.chosen(by: ["keychain-helper", "keychain-aws"]) == nil)
        #expect(HelperName.chosen(by: []) == nil)
    }
}

/// A keychain that does not say which items programs of the Secret Service have stored.
private final class DoneKeychain: KeychainBackend {
    private let keychain = EmbeddedKeychain.inMemory()

    var families: CommandFamily { keychain.families }

    func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        guard case .lookup = command else { return try keychain.carryOut(command) }
        return .done
    }
}

/// A keychain in which nothing is found, and into which nothing may be put.
private struct EmptyKeychain: KeychainBackend {
    var families: CommandFamily { .dataProtection }
    var identity: ObjectIdentifier { ObjectIdentifier(HelperBench.self) }

    func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        if case .items(let request) = command, case .add = request.operation {
            Issue.record("garbage was stored")
        }
        throw KeychainError(.itemNotFound, "there is nothing")
    }
}

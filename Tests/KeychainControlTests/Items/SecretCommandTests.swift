// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainEngine
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// `keychainctl secret`: whole files as secrets.
struct SecretCommandTests {
    private static let item = ["--service", "svc", "--account", "alice"]
    /// More than one line, and bytes that no terminal shows.
    private static let key = "-----BEGIN PRIVATE KEY-----\n\u{0}\r\n\u{1B}[2J-----END PRIVATE KEY-----\n\n"

    private let folder: TemporaryFolder
    private let control = Control(EmbeddedKeychain.inMemory())

    init() throws { folder = try TemporaryFolder() }

    private func store(_ contents: String, _ options: [String] = []) throws -> Control.Outcome {
        var control = control
        control.input = contents
        return try control.run(["secret", "store"] + Self.item + options + ["-"])
    }

    private func read(_ options: [String] = item) throws -> (outcome: Control.Outcome, contents: Data?) {
        let path = folder.path(of: UUID().uuidString)
        let outcome = try control.run(["secret", "read"] + options + ["--output", path])
        return (outcome, FileManager.default.contents(atPath: path))
    }

    @Test("every byte of a file is stored and comes back", arguments: ["", "one line", key])
    func roundTrip(_ contents: String) throws {
        let path = folder.path(of: "key.pem")
        try Data(contents.utf8).write(to: URL(fileURLWithPath: path))
        let stored = try control.run(["secret", "store"] + Self.item + [path])
        #expect(stored == Control.Outcome(status: 0, output: "Stored \(contents.utf8.count) bytes."))
        #expect(try read().contents == Data(contents.utf8))
    }

    @Test("a file that is written is its owner's alone, and replaces none")
    func output() throws {
        _ = try store(Self.key)
        let path = folder.path(of: "out")
        let words = ["secret", "read"] + Self.item + ["-o", path]
        #expect(try control.run(words).status == 0)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        let again = try control.run(words)
        #expect(again.status == 1 && again.error.contains("File exists"))
    }

    @Test("an item that is there is replaced only on request, and keeps its label")
    func replacement() throws {
        #expect(try store("old", ["--label", "Key of A"]).status == 0)
        let refused = try store("new")
        #expect(refused.status == 1 && refused.error.contains("--replace"))
        #expect(try read().contents == Data("old".utf8))
        #expect(try store("new", ["--replace"]).status == 0)
        #expect(try read().contents == Data("new".utf8))
        let query = PropertyDictionary([
            PropertyKey.itemClass: .string("genp"), "labl": .string("Key of A"),
            PropertyKey.returnData: .boolean(true),
        ])
        let answer = try control.keychain.perform(KeychainRequest(.copyMatching(query), client: .person))
        #expect(answer == .single(.data(SecretBytes(Array("new".utf8)))))
    }

    @Test("an item of another group is reached by the group's name")
    func groups() throws {
        let group = "swift-keychain.program.example"
        #expect(try store("theirs", ["--access-group", group]).status == 0)
        let absent = try read()
        #expect(absent.outcome.status == 1 && absent.outcome.error.contains("there is no generic password"))
        #expect(try read(Self.item + ["--access-group", group]).contents == Data("theirs".utf8))
    }

    @Test("what cannot be read is an error that names the file, and what is too large is not stored")
    func unreadable() throws {
        let missing = try control.run(["secret", "store"] + Self.item + [folder.path(of: "missing")])
        #expect(missing.status == 1 && missing.error.contains("missing cannot be opened: No such file"))
        let path = folder.path(of: "large")
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        #expect(truncate(path, off_t(ItemLimits.secretByteCount) + 1) == 0)
        let large = try control.run(["secret", "store"] + Self.item + [path])
        #expect(large.status == 1 && large.error.contains("more than 16777216 bytes"))
        #expect(try read().outcome.status == 1)
    }

    @Test("a locked keychain says how a command is run unlocked")
    func locked() throws {
        #expect(try store("secret").status == 0)
        try control.keychain.device.setPasscode(SecretBytes(Array("1234".utf8)))
        try control.keychain.device.lock()
        let outcome = try read().outcome
        #expect(outcome.status == 1 && outcome.error.contains("keychainctl device unlock -- COMMAND"))
    }
}

/// Names of items that shells complete on the command line of `keychainctl`.
struct ItemCompletionTests {
    @Test("services and accounts are offered, and no name that a shell would take for more than text")
    func names() throws {
        let control = Control(EmbeddedKeychain.inMemory())
        let services = [
            "com.example.tool", "$(touch x)", "`x`", "a b", "-s", "it's", "*", "~", "!x", "ü@example.com/+=,%_-",
            "https://example.com",
        ]
        for service in services {
            var control = control
            control.input = "secret"
            let outcome = try control.run(["secret", "store", "--service=\(service)", "--account", "ada", "-"])
            #expect(outcome.status == 0)
        }
        let offered = ItemCompletion.names("svce", [:], in: control.keychain)
        #expect(offered == ["com.example.tool", "ü@example.com/+=,%_-"])
        let accounts = ItemCompletion.names(.account, ["svce": .string("a b")], in: control.keychain)
        #expect(accounts == ["ada"])
        #expect(ItemCompletion.names(.account, ["svce": .string("nosuch")], in: control.keychain) == [])
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainControl

/// Changes of passwords: what they mean, what they keep, and several at once.
@Suite(.timeLimit(.minutes(30)))
struct ItemChangeTests {
    private let scene: ItemScene

    init() throws { scene = try ItemScene() }

    @Test("processes that set the same password at once all succeed", arguments: [false, true])
    func concurrentSets(_ isPresent: Bool) throws {
        let folder = try TemporaryFolder()
        for round in 0..<8 {
            let name = "svc/\(round)"
            if isPresent {
                #expect(try ControlProcess.run(["keychainctl", "set", name], folder, input: "0").0 == 0)
            }
            let processes = try (1...3).map { _ in try ControlProcess(["keychainctl", "set", name], folder) }
            for (number, process) in processes.enumerated() { try process.send("\(number)") }
            for process in processes { process.closeInput() }
            for process in processes {
                let output = try process.rest()
                #expect(try process.wait() == 0, "\(output)")
            }
            let (status, secret) = try ControlProcess.run(["keychainctl", "get", name], folder)
            #expect(status == 0 && ["0", "1", "2"].contains(secret), "\(secret)")
        }
    }

    /// A keychain in which something is done before a command that adds or changes.
    private final class InterruptedKeychain: KeychainBackend {
        let keychain: any KeychainBackend
        let families = CommandFamily.all
        private let interruptions: Mutex<[@Sendable (any KeychainBackend) throws -> Void]>
        private let isMeant: @Sendable (KeychainRequest.Operation) -> Bool

        init(
            _ keychain: any KeychainBackend,
            before isMeant: @escaping @Sendable (KeychainRequest.Operation) -> Bool,
            _ interruptions: [@Sendable (any KeychainBackend) throws -> Void]
        ) {
            (self.keychain, self.isMeant) = (keychain, isMeant)
            self.interruptions = Mutex(interruptions)
        }

        func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
            if case .items(let request) = command, isMeant(request.operation) {
                let next = interruptions.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                do { try next?(keychain) } catch let error as KeychainError { throw error } catch {}
            }
            return try keychain.carryOut(command)
        }
    }

    private static func add(_ keychain: any KeychainBackend, _ account: String) throws {
        let item: PropertyDictionary = [
            "class": .string("genp"), "svce": .string("svc"), "acct": .string(account),
            "v_Data": .data(SecretBytes(Array("other".utf8))),
        ]
        _ = try keychain.perform(KeychainRequest(.add(item), client: .person))
    }

    @Test("what is added or deleted between the search and the change is met by another search")
    func races() throws {
        let delete: @Sendable (any KeychainBackend) throws -> Void = { keychain in
            let query: PropertyDictionary = ["class": .string("genp"), "svce": .string("svc")]
            _ = try keychain.perform(KeychainRequest(.delete(query), client: .person))
        }
        var scene = scene
        let keychain = scene.control.keychain
        scene.control.keychain = InterruptedKeychain(
            keychain,
            before: { if case .add = $0 { true } else if case .update = $0 { true } else { false } },
            [{ try Self.add($0, "ada") }, delete]
        )
        let outcome = try scene.run("set", "svc/ada", input: "new")
        #expect(outcome.status == 0 && outcome.remarks == "Stored svc/ada.", "\(outcome)")
        scene.control.keychain = keychain
        #expect(try scene.run("get", "svc/ada").text == "new")
    }

    @Test("the name is looked up after the secret was read, and not only before")
    func lateTarget() throws {
        let folder = try TemporaryFolder()
        let process = try ControlProcess(["keychainctl", "set", "svc/ada"], folder)
        try process.send("first")
        #expect(try ControlProcess.run(["keychainctl", "set", "svc/ada"], folder, input: "second").0 == 0)
        process.closeInput()
        #expect(try process.rest() == "Replaced svc/ada.\n")
        #expect(try process.wait() == 0)
        #expect(try ControlProcess.run(["keychainctl", "get", "svc/ada"], folder).1 == "first")
    }

    @Test("set with a service alone replaces what get reads by it, and adds none beside others")
    func serviceAlone() throws {
        _ = try scene.run("set", "svc/ada", input: "1")
        #expect(try scene.run("set", "svc", input: "2").remarks == "Replaced svc/ada.")
        #expect(try scene.run("get", "svc/ada").text == "2")
        #expect(try scene.run("generate", "--replace", "--set", "keychain://svc").remarks.hasPrefix("Replaced svc/ada"))
        _ = try scene.run("set", "svc/bob", input: "3")
        let several = try scene.run("set", "svc", input: "4")
        #expect(several.status == 4 && several.error.contains("account 'bob'"))
        #expect(try scene.run("set", "svc", "--account", "", input: "4").remarks == "Stored svc.")
        #expect(try scene.run("set", "svc", input: "5").remarks == "Replaced svc.")
        #expect(try scene.run("get", "svc").text == "5" && scene.run("get", "svc/bob").text == "3")
    }

    @Test("--synchronizable changes a password that is there")
    func synchronizable() throws {
        _ = try scene.run("set", "svc/ada", input: "1")
        #expect(try scene.run("set", "svc/ada", "--synchronizable", input: "2").remarks == "Replaced svc/ada.")
        #expect(try scene.run("show", "svc/ada").output.contains("Synchronizable:   yes"))
        #expect(try scene.run("set", "svc/ada", input: "3").status == 0)
        #expect(try scene.run("show", "svc/ada").output.contains("Synchronizable:   yes"))
        #expect(try scene.run("set", "svc/ada", "--no-synchronizable", input: "4").status == 0)
        #expect(try scene.run("show", "svc/ada").output.contains("Synchronizable:   no"))
        #expect(try scene.run("list").output.split(separator: "\n").count == 1)
        // Of two, the one that is as it is to be.
        try scene.add(.genericPassword, ["svce": .string("svc"), "acct": .string("ada"), "sync": .boolean(true)])
        #expect(try scene.run("set", "svc/ada", input: "6").status == 4)
        #expect(try scene.run("set", "svc/ada", "--synchronizable", input: "7").status == 0)
        #expect(try scene.run("set", "svc/ada", "--no-synchronizable", input: "8").status == 0)
        #expect(try scene.run("get", "keychain://svc/ada?synchronizable=yes").text == "7")
        #expect(try scene.run("get", "keychain://svc/ada?synchronizable=no").text == "8")
    }

    @Test(
        "no second password gets a name, of whatever class, port and group",
        arguments: [
            ["class": PropertyValue.string("genp"), "svce": .string("new"), "acct": .string("ada")],
            ["class": .string("inet"), "srvr": .string("new"), "acct": .string("ada"), "port": .number(.integer(1))],
            ["class": .string("genp"), "svce": .string("new"), "acct": .string("ada"), "agrp": .string("g")],
            ["class": .string("genp"), "svce": .string("new/ada")],
        ]
    )
    func takenNames(_ attributes: [String: PropertyValue]) throws {
        _ = try scene.run("set", "svc/ada", input: "1")
        let itemClass: ItemClass = attributes["class"] == .string("inet") ? .internetPassword : .genericPassword
        try scene.add(itemClass, attributes)
        for command in ["rename", "copy"] {
            let refused = try scene.run(command, "svc/ada", "new/ada")
            #expect(refused.status == 1 && refused.error.contains("'new/ada' was not made"), "\(refused)")
        }
        #expect(try scene.run("get", "svc/ada").text == "1")
        // Its own name is no other's.
        #expect(try scene.run("rename", "svc/ada", "svc/ada").status == 0)
        #expect(try scene.run("copy", "svc/ada", "svc/ada").status == 1)
        #expect(try scene.run("copy", "svc/ada", "svc/ada", "--to-group", "other").status == 0)
    }

    @Test("a copy and a new name keep the attributes by which programs of the Secret Service find a password")
    func lookupAttributes() throws {
        let contents = LookupContents(
            attributes: ["service": "svc", "account": "ada", "profile": "work", "xdg:schema": "com.example.Login"],
            label: "L",
            secret: SecretBytes(Array("s3cret".utf8)),
            contentType: "text/x-key"
        )
        let keychain = scene.control.keychain
        _ = try keychain.perform(.lookup(LookupRequest(.store(contents, replacing: false), client: .person)))
        #expect(try scene.run("copy", "svc/ada", "copy/bob").status == 0)
        #expect(try scene.run("rename", "svc/ada", "new/ada").status == 0)
        let found = try keychain.lookupItems(with: ["profile": "work"])
        let texts = found.map { $0.attributes.pairs.map { "\($0.name)=\($0.value)" }.joined(separator: " ") }
        #expect(
            Set(texts) == [
                "account=ada profile=work service=new xdg:schema=com.example.Login",
                "account=bob profile=work service=copy xdg:schema=com.example.Login",
            ]
        )
        let secrets = try keychain.perform(.lookup(LookupRequest(.secrets(found.map(\.identifier)), client: .person)))
        guard case .lookupSecrets(let read) = secrets else {
            Issue.record("no secrets")
            return
        }
        #expect(read.map(\.contentType) == ["text/x-key", "text/x-key"])
        #expect(try scene.run("get", "copy/bob").text == "s3cret")
        // One without attributes of its own has those of its columns, and gets none.
        _ = try scene.run("set", "plain/ada", input: "1")
        #expect(try scene.run("copy", "plain/ada", "plain/bob").status == 0)
        #expect(try scene.run("attributes", "service=plain", "account=bob").output.contains("account=bob"))
    }

    @Test("if one of several cannot be deleted, what is gone is said")
    func partialDeletion() throws {
        for name in ["a/1", "b/2", "c/3"] { _ = try scene.run("set", name, input: "1") }
        let failure = KeychainError(.io, "the disk is gone", kind: .storage(.inputOutput))
        var broken = scene
        broken.control.keychain = InterruptedKeychain(
            scene.control.keychain,
            before: { if case .delete = $0 { true } else { false } },
            [{ _ in }, { _ in throw failure }]
        )
        let outcome = try broken.run("delete", "--yes", "a", "b", "c")
        #expect(outcome.status == 6 && outcome.error.contains("b/2 was not deleted: the disk is gone"), "\(outcome)")
        #expect(outcome.error.contains("deleted before: a/1"))
        #expect(try scene.run("get", "a").status == 3 && scene.run("get", "b").status == 0)
    }

    @Test("a password moves by its name to another access group, and replaces nothing")
    func moves() throws {
        _ = try scene.run("set", "svc/ada", "--comment", "C", input: "1")
        #expect(try scene.run("move", "svc/ada", "--to-group", "g", "-n").output.hasPrefix("Would move service 'svc'"))
        #expect(try scene.run("move", "svc/ada", "--to-group", "g").remarks == "Moved svc/ada to g.")
        #expect(try scene.run("get", "svc/ada", "--group", "g").text == "1")
        #expect(try scene.run("get", "svc/ada", "--field", "comment").text == "C")
        #expect(try scene.run("move", "svc", "--to-program", "tool").status == 0)
        #expect(try scene.run("show", "svc").output.contains("swift-keychain.program.tool"))
        _ = try scene.run("set", "svc/ada", input: "2")
        let taken = try scene.run("move", "svc/ada", "--group", Client.commonGroup, "--to-program", "tool")
        #expect(taken.status == 1 && taken.error.contains("was not moved"), "\(taken)")
        let same = try scene.run("move", "svc/ada", "--group", Client.commonGroup, "--to-group", Client.commonGroup)
        #expect(same.status == 1)
        #expect(try scene.run("get", "svc/ada", "--group", Client.commonGroup).text == "2")
        for group in ["com.apple.token", "*"] {
            let words = ["move", "svc/ada", "--group", Client.commonGroup, "--to-group", group]
            #expect(try scene.run(words).status == 2, "\(group)")
            #expect(try scene.run("set", "new/ada", "--group", group, input: "1").status == 2, "\(group)")
            #expect(try scene.run("copy", "svc/ada", "new/ada", "--to-group", group).status != 0, "\(group)")
        }
        for words in [
            ["move", "svc/ada"], ["move", "svc/ada", "--from-group", "a", "--to-group", "b"],
            ["move", "svc/ada", "--to-group", "b", "--partial"], ["move", "--account", "a", "--to-group", "b"],
        ] {
            #expect(try scene.run(words).status == 2, "\(words)")
        }
    }
}

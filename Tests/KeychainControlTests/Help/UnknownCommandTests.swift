// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// Mistyped commands of `keychainctl`.
struct UnknownCommandTests {
    @Test(
        "a mistyped command is answered with the one that was meant",
        arguments: [
            ("bakcup create x", "Unknown command 'bakcup'. Did you mean 'backup'?"),
            ("backup craete x", "Unknown command 'backup craete'. Did you mean 'backup create'?"),
            ("device stats", "Unknown command 'device stats'. Did you mean 'device status'?"),
            (
                "device root-key replcae",
                "Unknown command 'device root-key replcae'. Did you mean 'device root-key replace'?"
            ),
            ("Backup create x", "Unknown command 'Backup'. Did you mean 'backup'?"),
            ("unlock", "Unknown command 'unlock'. Did you mean 'device unlock'?"),
            ("set-passcode", "Unknown command 'set-passcode'. Did you mean 'device set-passcode'?"),
            ("device enable", "Unknown command 'device enable'. Did you mean 'service enable'?"),
            ("help bakcup", "Unknown command 'bakcup'. Did you mean 'backup'?"),
            ("help device lokc", "Unknown command 'device lokc'. Did you mean 'device lock'?"),
            ("lookup", "Unknown command 'lookup'. The command for that is: keychainctl get SERVICE/ACCOUNT"),
            ("ls", "Unknown command 'ls'. The command for that is: keychainctl list"),
            ("add", "Unknown command 'add'. The command for that is: keychainctl set SERVICE/ACCOUNT"),
            (
                "init",
                "Unknown command 'init'. There is nothing to create: the first item that is stored creates the keychain."
            ),
            ("frobnicate", "Unknown command 'frobnicate'."),
            ("device frobnicate", "Unknown command 'device frobnicate'."),
            ("", "Unknown command ''."),
        ]
    )
    func suggestion(_ line: String, _ message: String) throws {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        let outcome = try Control(device: FakeDevice()).run(words)
        #expect(outcome.error == message)
        #expect(outcome.status == 2)
    }

    @Test(
        "what is no command is left to the command",
        arguments: [
            ["device"], ["device", "status"], ["device", "--help"], ["--version"], ["help"],
            ["help", "device", "lock"],
            ["device", "unlock", "--", "stats"], ["backup", "create", "bakcup"], ["service", "unit-files"],
            ["-h", "x"],
            ["bundle-identifier", "chekc"],
        ]
    )
    func known(_ words: [String]) { #expect(UnknownCommand(in: words, of: KeychainControl.self) == nil) }

    @Test("no word of habit is a command", arguments: HabitWords.table.keys.sorted())
    func habits(_ word: String) { #expect(!KeychainControl.commandPaths.contains([word])) }

    @Test(
        "words are near that differ by some letters",
        arguments: [
            ("bakcup", ["backup"]), ("bckup", ["backup"]), ("backupp", ["backup"]), ("bacxup", ["backup"]),
            ("pucakb", []), ("lo", ["log"]), ("loc", ["lock", "log"]), ("status", []), ("", []),
            (String(repeating: "backup", count: 10_000), []),
        ]
    )
    func near(_ word: String, _ found: [String]) {
        #expect(NearWords.suggestions(for: word, among: ["backup", "lock", "log", "sign"]) == found)
    }

    @Test("alternatives read as in a sentence")
    func alternatives() {
        #expect(NearWords.alternatives([]) == nil)
        #expect(NearWords.alternatives(["a"]) == "'a'")
        #expect(NearWords.alternatives(["a", "b", "c"]) == "'a', 'b' or 'c'")
    }
}

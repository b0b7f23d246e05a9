// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import Synchronization
import Testing

@testable import KeychainControl

/// Commands that end after any of their changes of the keychain, as by `kill -9`: nothing is lost or hidden, and the
/// same command finishes it.
struct EndedCommandTests {
    /// A keychain that does nothing any more after some changes.
    private final class EndingKeychain: KeychainBackend {
        private let keychain: any KeychainBackend
        private let changesLeft: Mutex<Int>
        let families = CommandFamily.all

        init(_ keychain: any KeychainBackend, after changes: Int) {
            self.keychain = keychain
            changesLeft = Mutex(changes)
        }

        func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
            if case .items(let request) = command {
                switch request.operation {
                case .add, .update, .delete:
                    let hasEnded = changesLeft.withLock { left in
                        left -= 1
                        return left < 0
                    }
                    if hasEnded { throw KeychainError(.notAvailable, "the test has ended the command") }
                default: break
                }
            }
            return try keychain.carryOut(command)
        }
    }

    /// What is attached in each scene, with a password of its own.
    private func scene() throws -> ItemScene {
        let scene = try ItemScene()
        _ = try scene.run("set", "svc/ada", input: "secret")
        _ = try scene.run("note", "svc/ada", "--set", input: "note")
        for name in ["a", "b"] { _ = try scene.run("attach", "svc/ada", "-", "--name", name, input: "file \(name)") }
        _ = try scene.run("expire", "svc/ada", "2001-02-03")
        return scene
    }

    /// The secrets of all items that a list shows, by themselves or with their password.
    private func secrets(_ scene: ItemScene) throws -> [String] {
        try scene.run("list", "--all", "--null").text.split(separator: "\0").map { reference in
            try scene.run("get", String(reference)).text
        }
        .sorted()
    }

    /// Everything, with names, but for times.
    private func listing(_ scene: ItemScene) throws -> [String] {
        try scene.run("list", "--all").output.split(separator: "\n").map {
            $0.split(separator: "\t").dropLast().joined()
        }
    }

    @Test(
        "a command that ended in between has lost and hidden nothing, and finishes when it is run again",
        arguments: [
            ["rename", "svc/ada", "svc/eve"], ["move", "svc/ada", "--to-group", "g"], ["copy", "svc/ada", "svc/eve"],
            ["delete", "--yes", "svc/ada"], ["set", "svc/ada", "--synchronizable"],
            ["set", "svc/ada", "--accessible", "when-unlocked"],
        ]
    )
    func ended(_ words: [String]) throws {
        let whole = try scene()
        #expect(try whole.run(words, input: "secret").status == 0)
        let expected = try listing(whole)
        for count in 0..<20 {
            let scene = try scene()
            let before = try secrets(scene)
            var ending = scene
            ending.control.keychain = EndingKeychain(scene.control.keychain, after: count)
            let outcome = try ending.run(words, input: "secret")
            if outcome.status == 0 {
                #expect(count > 1)
                #expect(try listing(scene) == expected)
                return
            }
            let after = try secrets(scene)
            if words[0] == "delete" {
                // The password goes first: what belongs to it is there as long as it is.
                #expect(count == 0 ? after == before : !after.contains("secret"))
            } else {
                #expect(Set(after).isSuperset(of: before), "\(count): \(after)")
            }
            // Each item is on a line of its own, or on that of its password.
            let lines = try scene.run("list").output
            let shown = lines.split(separator: "\n").reduce(0) { sum, line in
                sum + 1 + (line.contains("(note, 2 files, expires 2001-02-03)") ? 4 : 0)
            }
            #expect(shown == after.count, "\(count): \(lines)")
            #expect(try scene.run(words, input: "secret").status == 0, "\(count): \(lines)")
            #expect(try listing(scene) == expected, "\(count)")
        }
        Issue.record("\(words) makes more than 20 changes")
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import SecurityTranscripts
import Testing

/// Items of a keychain file that somebody altered, as `security` tells of them.
struct DamagedFileItemTests {
    private let user: ToolUser
    private let session: ToolSession
    private let path: String
    private static let damage = "Unable to decode the provided data."

    init() throws {
        user = try ToolUser()
        session = ToolSession(user)
        path = user.home.path(of: "test.keychain")
        for words in [
            "create-keychain -p p", "add-generic-password -a anna -s s1 -l one -w first",
            "add-generic-password -a bert -s s2 -l two -w second",
        ] {
            #expect(try run(words).status == 0, "\(words)")
        }
    }

    private func run(_ words: String) throws -> ToolProcess.Result {
        try session.run(words.split(separator: " ").map(String.init) + [path], input: nil)
    }

    private func change(_ sql: String) throws {
        let raw = try RawStore(path: path)
        try raw.execute("CREATE TEMP TABLE kept AS SELECT id, secret FROM items_genp; \(sql)")
        #expect(try run("unlock-keychain -p p").status == 0)
    }

    @Test("items whose secrets were exchanged are shown, and a line names each of them where its secret is asked for")
    func exchangedSecrets() throws {
        try change(
            """
            UPDATE items_genp SET secret = (SELECT kept.secret FROM kept WHERE kept.id = 5 - items_genp.id)
            WHERE id IN (2, 3)
            """
        )
        for _ in 0..<2 {
            for (service, label) in [("s1", "one"), ("s2", "two")] {
                let shown = try run("find-generic-password -s \(service)")
                #expect(shown.status == 0 && shown.outputText.contains("\"\(label)\""))
                for option in ["-w", "-g"] {
                    let refused = try run("find-generic-password -s \(service) \(option)")
                    #expect(refused.status == 93)
                    #expect(refused.output.isEmpty)
                    #expect(refused.errorText.contains("SecKeychainItemCopyContent: \(Self.damage)\n"))
                    #expect(refused.errorText.contains("labl \"\(label)\"") && refused.errorText.contains(path))
                }
            }
        }
        let dump = try run("dump-keychain -d")
        #expect(dump.outputText.components(separatedBy: "keychain: ").count == 3)
        for label in ["one", "two"] { #expect(dump.errorText.contains("labl \"\(label)\"")) }
        #expect(!dump.outputText.contains("first") && !dump.outputText.contains("second"))
    }

    @Test("an item whose attributes were altered makes a search that finds nothing else say so, and a dump")
    func alteredAttributes() throws {
        try change("UPDATE items_genp SET metadata = zeroblob(100) WHERE id = 2")
        for _ in 0..<2 {
            let refused = try run("find-generic-password -s s1 -w")
            #expect(refused.status == 93)
            #expect(refused.errorText.contains(Self.damage))
            #expect(try run("find-generic-password -s s1").status == 93)
            #expect(try run("find-generic-password -s s2 -w").outputText == "second\n")
        }
        #expect(try run("dump-keychain").errorText.contains(Self.damage))
    }

    @Test(
        "an item in another group, or marked as removed, makes a search that finds nothing else say that it is damaged",
        arguments: ["t_agrp = zeroblob(16)", "tombstone = 1"]
    )
    func hidden(_ hiding: String) throws {
        try change("UPDATE items_genp SET \(hiding) WHERE id = 2")
        for command in [
            "find-generic-password -s s1 -w", "find-generic-password -s s1", "delete-generic-password -s s1",
        ] {
            let refused = try run(command)
            #expect(refused.status == 93, "\(command)")
            #expect(refused.errorText.contains(Self.damage), "\(command)")
        }
        #expect(try run("find-generic-password -s s2 -w").outputText == "second\n")
        #expect(try run("dump-keychain").errorText.contains(Self.damage))
    }
}

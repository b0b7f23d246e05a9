// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainFiles

/// Items of a keychain file that somebody altered: never told as missing.
struct DamagedFileItemTests {
    private let folder: TemporaryFolder
    private let path: String
    private let password = SecretBytes(Array("correct horse".utf8))
    private let items: [KeychainFileItem]

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path(of: "test.keychain")
        let files = KeychainFiles.forTesting()
        try files.files.create(at: path, password: password)
        let access = ItemAccess(descriptor: "test", trustedApplications: nil)
        var items: [KeychainFileItem] = []
        for service in ["s1", "s2", "s3"] {
            let attributes: [String: PropertyValue] = ["acct": .string("a"), "svce": .string(service)]
            let secret = SecretBytes(Array(service.utf8))
            items.append(
                try files.files.add(.genericPassword, attributes: attributes, secret: secret, access: access, at: path)
            )
        }
        self.items = items
    }

    @Test("two whose secrets were exchanged are listed as they are, and their secrets are errSecDecode, however often")
    func exchangedSecrets() throws {
        let raw = try RawStore(path: path)
        try raw.execute(
            """
            CREATE TEMP TABLE kept AS SELECT id, secret FROM items_genp;
            UPDATE items_genp SET secret = (SELECT kept.secret FROM kept WHERE kept.id = 5 - items_genp.id)
            WHERE id IN (2, 3);
            """
        )
        let files = KeychainFiles.forTesting()
        try files.files.unlock(at: path, password: password)
        for _ in 0..<2 {
            #expect(try files.files.items(at: path) == items)
            for item in items.prefix(2) {
                #expect(thrownStatus { _ = try files.files.secret(of: item.identifier, at: path) } == .decode)
            }
            #expect(try files.files.secret(of: items[2].identifier, at: path) == SecretBytes(Array("s3".utf8)))
        }
    }

    /// Changes of an item's row after which no search finds it, or its attributes do not open.
    private static let hiding = [
        "metadata = zeroblob(100)", "t_agrp = zeroblob(16)", "t_agrp = (SELECT t_agrp FROM items_genp WHERE id = 1)",
        "t_sync = zeroblob(16)",
        "tombstone = 1", "damage = 1", "tombstone = 1, damage = 1",
    ]

    @Test(
        "one that no search finds, or whose attributes were altered, is listed without attributes, and is errSecDecode",
        arguments: hiding
    )
    func hidden(_ change: String) throws {
        try RawStore(path: path).execute("UPDATE items_genp SET \(change) WHERE id = 2")
        let files = KeychainFiles.forTesting()
        #expect(try files.files.items(at: path).filter(\.isUnreadable).map(\.identifier) == [items[0].identifier])
        try files.files.unlock(at: path, password: password)
        for _ in 0..<2 {
            let found = try files.files.items(at: path)
            #expect(found.prefix(2) == items[1...])
            #expect(found.count == 3 && found[2].isUnreadable && found[2].identifier == items[0].identifier)
            #expect(thrownStatus { _ = try files.files.secret(of: items[0].identifier, at: path) } == .decode)
        }
        try files.files.remove(items[0].identifier, at: path)
        #expect(try files.files.items(at: path) == Array(items[1...]))
        #expect(thrownStatus { try files.files.remove(items[0].identifier, at: path) } == .invalidItemReference)
    }

    @Test(
        "settings that are in no group are damaged, and not missing",
        arguments: ["t_agrp = zeroblob(16)", "tombstone = 1"]
    )
    func hiddenSettings(_ change: String) throws {
        try RawStore(path: path).execute("UPDATE items_genp SET \(change) WHERE id = 1")
        let files = KeychainFiles.forTesting()
        #expect(try files.files.items(at: path).filter(\.isUnreadable).count == 1)
        #expect(thrownStatus { try files.files.unlock(at: path, password: password) } == .decode)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainProtection
import KeychainTestSupport
import Testing

@testable import KeychainFiles

/// Keychain files made by each version of the format, kept for ever: every later version opens them all.
struct ReleasedKeychainFileTests {
    private let folder: TemporaryFolder
    private let path: String
    private let password = SecretBytes(Array("of the file".utf8))

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path(of: "test.keychain")
    }

    private func copy(_ name: String) throws {
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Released/\(name).keychain-db")
        try Data(contentsOf: source).write(to: URL(fileURLWithPath: path))
    }

    private func expectContents(_ files: KeychainFiles) throws {
        let found = try files.files.items(at: path)
        #expect(found.map { $0.attributes["acct"] } == ["account1", "account2", "account3", "ada"].map { .string($0) })
        let secrets = try found.map { try files.files.secret(of: $0.identifier, at: path).unprotectedCopy }
        #expect(secrets == ["secret1", "secret2", "secret3", "password"].map { Array($0.utf8) })
    }

    @Test("a keychain file of every version opens and holds what was put there", arguments: ["format-2", "format-3"])
    func opens(_ name: String) throws {
        try copy(name)
        let files = KeychainFiles.forTesting()
        #expect(try files.files.items(at: path).count == 4)
        try files.files.unlock(at: path, password: password)
        #expect(
            try files.files.status(at: path).settings == KeychainFileSettings(locksOnSleep: true, lockInterval: 600)
        )
        try expectContents(files)
    }

    @Test("a change writes it in this format, without a tag of a digest, and it opens again")
    func changes() throws {
        try copy("format-2")
        let tags = try RawStore(path: path).run("SELECT t_sha1 FROM items_genp").compactMap(\.self)
        #expect(tags.count == 4)
        let files = KeychainFiles.forTesting()
        try files.files.unlock(at: path, password: password)
        try files.files.setSettings(KeychainFileSettings(locksOnSleep: true, lockInterval: 600), at: path)
        let contents = try Data(contentsOf: URL(fileURLWithPath: path))
        for tag in tags { #expect(contents.range(of: Data(tag)) == nil) }
        let raw = try RawStore(path: path)
        #expect(try raw.integer("PRAGMA user_version") == Int(FileVersion.base.recorded))
        #expect(try raw.integer("SELECT count(*) FROM items_genp WHERE former IS NOT NULL") == 0)
        let other = KeychainFiles.forTesting()
        try other.files.unlock(at: path, password: password)
        try expectContents(other)
    }

    @Test("a keychain file with so many items that it has got indexes for searches is read again")
    func manyItems() throws {
        let files = KeychainFiles.forTesting()
        try files.files.create(at: path, password: password)
        let access = ItemAccess(descriptor: "test", trustedApplications: nil)
        for number in 0..<130 {
            let attributes: [String: PropertyValue] = ["acct": .string("\(number)")]
            _ = try files.files.add(
                .genericPassword,
                attributes: attributes,
                secret: SecretBytes(),
                access: access,
                at: path
            )
        }
        let other = KeychainFiles.forTesting()
        #expect(try other.files.items(at: path).count == 130)
        try other.files.unlock(at: path, password: password)
        try other.files.setSettings(KeychainFileSettings(), at: path)
        #expect(try KeychainFiles.forTesting().files.items(at: path).count == 130)
    }

    @Test("the attributes of an item, which everybody can read, do not tell whether its secret changed")
    func digest() throws {
        let files = KeychainFiles.forTesting()
        try files.files.create(at: path, password: password)
        let access = ItemAccess(descriptor: "test", trustedApplications: nil)
        let secret = SecretBytes([1])
        let item = try files.files.add(
            .genericPassword,
            attributes: ["acct": .string("a")],
            secret: secret,
            access: access,
            at: path
        )
        func digest() throws -> PropertyValue? {
            let image = try Array(Data(contentsOf: URL(fileURLWithPath: path)))
            var device = DeviceOptions()
            device.passwordWork = .testing
            let engine = EmbeddedKeychain.file(image: image, device: device)
            let query: PropertyDictionary = [
                PropertyKey.itemClass: .string("genp"), "acct": .string("a"),
                PropertyKey.returnAttributes: .boolean(true),
            ]
            let request = KeychainRequest(.copyMatching(query), client: Client(accessGroups: ["items"]))
            guard case .single(.dictionary(let entries)) = try engine.perform(request) else { return nil }
            return entries["sha1"]
        }
        let first = try #require(try digest())
        try files.files.update(item.identifier, .init(secret: SecretBytes([2])), at: path)
        #expect(try digest() == first)
    }
}

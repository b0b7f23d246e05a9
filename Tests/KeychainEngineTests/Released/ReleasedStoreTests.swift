// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainFiles
import KeychainTestSupport
import Testing

/// Stores made by each version of the format, kept for ever: every later version opens them all.
struct ReleasedStoreTests {
    @Test("a store of every version opens and holds what was put there", arguments: ["format-1"])
    func opensReleasedStores(_ name: String) throws {
        let folder = try TemporaryFolder()
        let home = folder.path(of: "keychain")
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(name)
        try FileManager.default.createDirectory(
            atPath: home,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        for file in ["keychain.db", "root.key"] {
            let contents = try Data(contentsOf: source.appendingPathComponent(file))
            try #require(
                FileManager.default.createFile(
                    atPath: "\(home)/\(file)",
                    contents: contents,
                    attributes: [.posixPermissions: 0o600]
                )
            )
        }
        try expectContents(of: EmbeddedKeychain(at: KeychainLocation(path: home)))
    }

    @Test("a store made now holds the same")
    func holdsTheSame() throws {
        let keychain = try TemporaryKeychain()
        try SampleItems.fill(keychain)
        try expectContents(of: keychain.keychain)
    }

    private func expectContents(of keychain: EmbeddedKeychain) throws {
        #expect(try keychain.check().isSound)
        #expect(try keychain.check().intactRows == SampleItems.all.count + 1)
        for item in SampleItems.all {
            var query = item
            query[PropertyKey.valueData] = nil
            query[PropertyKey.returnData] = .boolean(true)
            let request = KeychainRequest(.copyMatching(query), client: SampleItems.client)
            guard case .data(let secret)? = item[PropertyKey.valueData] else { continue }
            #expect(try keychain.perform(request) == .single(.data(secret)))
        }
        let deleted = KeychainRequest(.copyMatching(SampleItems.deleted), client: SampleItems.client)
        #expect { try keychain.perform(deleted) } throws: { ($0 as? KeychainError)?.status == .itemNotFound }
    }
}

/// One item of every class, with a value of every type, and a synchronizable one that was deleted.
private enum SampleItems {
    static let client = Client(accessGroups: ["TEAMID.com.example.app", "TEAMID.com.example.shared"])

    static let all: [PropertyDictionary] = [
        [
            PropertyKey.itemClass: .string("genp"), "acct": .string("ada"), "svce": .data(SecretBytes([0, 255])),
            "gena": .data(SecretBytes(Array("generic".utf8))), "crtr": .number(.integer(-7)), "labl": .string("é"),
            "pdmn": .string("ck"), PropertyKey.valueData: .data(SecretBytes(Array("s3cret".utf8))),
        ],
        [
            PropertyKey.itemClass: .string("genp"), "acct": .string("synchronizable"), "sync": .boolean(true),
            PropertyKey.valueData: .data(SecretBytes()),
        ],
        [
            PropertyKey.itemClass: .string("inet"), "srvr": .string("example.com"), "port": .string("0080"),
            "ptcl": .string("http"), "agrp": .string("TEAMID.com.example.shared"),
            "type": .number(.unsigned(.max)), "crtr": .number(.real(0.5)),
            PropertyKey.valueData: .data(SecretBytes(Array("password".utf8))),
        ],
        [
            PropertyKey.itemClass: .string("cert"), "subj": .data(SecretBytes([1, 2, 3])),
            PropertyKey.valueData: .data(SecretBytes([0x30, 0])),
        ],
        [
            PropertyKey.itemClass: .string("keys"), "klbl": .data(SecretBytes([9])), "kcls": .string("1"),
            "sdat": .date(Timestamp(secondsSinceReferenceDate: 1.5)),
            PropertyKey.valueData: .data(SecretBytes([4, 5, 6])),
        ],
    ]

    static let deleted: PropertyDictionary = [
        PropertyKey.itemClass: .string("genp"), "acct": .string("deleted"), "sync": .boolean(true),
    ]

    static func fill(_ keychain: some KeychainBackend) throws {
        for item in all { _ = try keychain.perform(KeychainRequest(.add(item), client: client)) }
        _ = try keychain.perform(KeychainRequest(.add(deleted), client: client))
        _ = try keychain.perform(KeychainRequest(.delete(deleted), client: client))
    }
}

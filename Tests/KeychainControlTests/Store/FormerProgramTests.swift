// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainStore
import KeychainTestSupport
import Testing

/// A program of format 3.0, with a table of columns of its own, on stores that this program has used: its features lock
/// it out only where they have to.
struct FormerProgramTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path(of: "keychain") }

    init() throws { folder = try TemporaryFolder() }

    private func keychain() -> EmbeddedKeychain { EmbeddedKeychain(at: KeychainLocation(path: path)) }

    private func former(_ words: String...) throws -> (status: Int32, output: String) {
        let (status, output) = try ControlProcess.run(["former-keychain", words[0], path] + words.dropFirst(), folder)
        return (status, output)
    }

    private static let group = "com.example.tool"

    private func add(_ account: String, _ secret: String) throws {
        let item: PropertyDictionary = [
            "class": .string("genp"), "acct": .string(account), "pdmn": .string("dku"),
            "v_Data": .data(SecretBytes(Array(secret.utf8))),
        ]
        _ = try keychain().perform(KeychainRequest(.add(item), client: Client(accessGroups: [Self.group])))
    }

    private func secret(_ account: String) throws -> String {
        let query: PropertyDictionary = [
            "class": .string("genp"), "acct": .string(account), PropertyKey.returnData: .boolean(true),
        ]
        let client = Client(accessGroups: [Self.group])
        guard
            case .single(.data(let secret)) = try keychain().perform(
                KeychainRequest(.copyMatching(query), client: client)
            )
        else { return "" }
        return String(decoding: secret.unprotectedCopy, as: UTF8.self)
    }

    /// The features of this program whose stores a program of format 3.0 may change.
    private static let features = StoreFeature.all.filter { $0.version.writerRevision == 0 }

    /// Has the store use every one of them.
    private func useFeatures() throws {
        let directory = try PrivateDirectory(KeychainLocation(path: path))
        let store = try Store.open(in: directory, options: StoreOptions()) { () throws(KeychainError) in [] }
        try store.write { (writer) throws(KeychainError) in
            for feature in Self.features { try writer.adopt(feature) }
        }
    }

    @Test("it reads, adds, changes and deletes on a store of a later revision, and the later program goes on")
    func works() throws {
        try add("ada", "first")
        try useFeatures()
        try add("bert", "second")
        #expect(try former("list") == (0, "ada first \(Self.group)\nbert second \(Self.group)\n"))
        #expect(try former("add", "carl", "third", Self.group) == (0, ""))
        #expect(try former("update", "ada", "changed") == (0, ""))
        #expect(try former("delete", "bert") == (0, ""))
        #expect(try secret("ada") == "changed" && secret("carl") == "third")
        #expect(throws: KeychainError.self) { try secret("bert") }
        let report = try keychain().check()
        #expect(report.isSound && report.intactRows == 2, "\(report)")
        let raw = try RawStore(path: "\(path)/keychain.db")
        let version = Self.features.reduce(FileVersion.base) { $0.including($1.version) }
        #expect(try raw.integer("PRAGMA user_version") == Int(version.recorded))
        // SQLite has kept the later program's index up to date.
        #expect(
            try raw.integer("SELECT count(*) FROM items_genp INDEXED BY items_genp_agrp WHERE t_agrp IS NOT NULL") == 2
        )
        #expect(try raw.run("PRAGMA integrity_check") == [Array("ok".utf8)])
        try add("dora", "fourth")
        #expect(try former("list").output.split(separator: "\n").count == 3)
    }

    @Test("it only reads where it would leave a feature wrong, and reads nothing where it would read wrong")
    func rights() throws {
        try add("ada", "first")
        let raw = try RawStore(path: "\(path)/keychain.db")
        try raw.execute("PRAGMA user_version = \(0x0001_0301)")
        #expect(try former("list").0 == 0)
        let refused = try former("add", "carl", "third", Self.group)
        #expect(refused.status == 1 && refused.output.contains("-25291"), "\(refused)")
        try raw.execute("PRAGMA user_version = \(0x0101_0301)")
        let unread = try former("list")
        #expect(unread.status == 1 && unread.output.contains("format 3.1, this program 3.0"), "\(unread)")
    }

    @Test("on a store with lookup attributes it reads every item, and changes none until the last of them is gone")
    func lookupAttributes() throws {
        try add("ada", "first")
        let client = Client(accessGroups: [Self.group])
        let contents = LookupContents(
            attributes: try LookupAttributes([LookupAttributes.Pair("service", "S")]),
            label: "label",
            secret: SecretBytes(Array("second".utf8)),
            contentType: "text/plain"
        )
        let store = LookupRequest(.store(contents, replacing: true), client: client)
        guard case .lookupStored(let stored) = try keychain().perform(.lookup(store)) else { return }
        let list = try former("list")
        #expect(list.status == 0 && list.output.contains("ada first") && list.output.contains("second"), "\(list)")
        let refused = try former("add", "carl", "third", Self.group)
        #expect(refused.status == 1 && refused.output.contains("-25291"), "\(refused)")
        let downgrade = try Control(keychain()).run(["store", "downgrade", "3.0"])
        #expect(downgrade.status == 1 && downgrade.output.contains("lookup attributes"), "\(downgrade)")
        _ = try keychain().perform(.lookup(LookupRequest(.delete(stored.identifier), client: client)))
        #expect(try former("add", "carl", "third", Self.group) == (0, ""))
        #expect(try keychain().check().isSound)
    }

    @Test("on a store with former values it reads what items have now, and changes none until these are removed")
    func formerValues() throws {
        try add("ada", "first")
        let client = Client(accessGroups: [Self.group])
        let history = KeychainHistory(keychain(), client: client)
        try history.keepForAll(3)
        let query: PropertyDictionary = ["class": .string("genp"), "acct": .string("ada")]
        let update = KeychainRequest.Operation.update(
            query,
            attributes: [PropertyKey.valueData: .data(SecretBytes(Array("second".utf8)))]
        )
        _ = try keychain().perform(KeychainRequest(update, client: client))
        #expect(try former("list") == (0, "ada second \(Self.group)\n"))
        let refused = try former("update", "ada", "third")
        #expect(refused.status == 1 && refused.output.contains("-25291"), "\(refused)")
        let downgrade = try Control(keychain()).run(["store", "downgrade", "3.0"])
        #expect(downgrade.status == 1 && downgrade.output.contains("history keep 0 --all"), "\(downgrade)")
        try history.keepForAll(0)
        #expect(try former("update", "ada", "third") == (0, ""))
        #expect(try secret("ada") == "third" && keychain().check().isSound)
    }

    @Test("a store that this program made and one that it brought back are the same to it")
    func downgraded() throws {
        try add("ada", "first")
        try useFeatures()
        let outcome = try Control(keychain()).run(["store", "downgrade", "3.0"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try former("update", "ada", "changed") == (0, ""))
        #expect(try secret("ada") == "changed")
    }
}

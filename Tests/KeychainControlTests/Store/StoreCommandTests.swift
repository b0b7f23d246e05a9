// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainStore
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// `keychainctl store` on a store that uses a feature of a later revision, and on one that does not.
struct StoreCommandTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path(of: "keychain") }

    init() throws { folder = try TemporaryFolder() }

    private func keychain() -> EmbeddedKeychain { EmbeddedKeychain(at: KeychainLocation(path: path)) }

    /// Makes a store, and has it use a feature, as a program does for a change that needs it.
    private func adopt(_ feature: StoreFeature = .groupIndex) throws {
        let item: PropertyDictionary = [
            "class": .string("genp"), "acct": .string("ada"), "v_Data": .data(SecretBytes([1])),
        ]
        _ = try keychain().perform(KeychainRequest(.add(item), client: .person))
        let directory = try PrivateDirectory(KeychainLocation(path: path))
        let store = try Store.open(in: directory, options: StoreOptions()) { () throws(KeychainError) in [] }
        try store.write { (writer) throws(KeychainError) in try writer.adopt(feature) }
    }

    private var recorded: Int {
        get throws { try RawStore(path: "\(path)/keychain.db").integer("PRAGMA user_version") }
    }

    @Test("without a keychain the status says so, and makes none")
    func nothing() throws {
        let outcome = try Control(keychain()).run(["store"])
        #expect(outcome.status == 0 && outcome.output.contains("there is no keychain yet"), "\(outcome)")
        let refused = try Control(keychain()).run(["store", "downgrade", "3.0"])
        #expect(refused.status == 1 && refused.error.contains("no keychain"), "\(refused)")
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("the status shows the versions of the file and of the program, and the features in use")
    func status() throws {
        try adopt()
        let control = Control(keychain())
        let text = try control.run(["store", "status"])
        #expect(
            text.output == """
                Format:           3.1
                Read since:       3.0
                Changed since:    3.0
                Program knows:    3.3
                Feature:          group-index, an index of access groups: since 3.1, read since 3.0, changed since 3.0
                """
        )
        let json = try control.run(["store", "status", "--json"])
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
        )
        #expect(object["format"] as? String == "3.1" && object["readers"] as? String == "3.0")
        #expect(object["writers"] as? String == "3.0" && object["program"] as? String == "3.3")
        let features = try #require(object["features"] as? [[String: Any]])
        #expect(features.map { $0["name"] as? String } == ["group-index"])
        #expect(features[0]["isRemovedAutomatically"] as? Bool == true)
        let device = try control.run(["device", "status"])
        #expect(
            device.output.contains("Store format:     3.1") && device.output.contains("a program that knows 3.3"),
            "\(device)"
        )
        let deviceJSON = try control.run(["device", "status", "--json"])
        #expect(deviceJSON.output.contains("\"storeFormat\" : \"3.1\""), "\(deviceJSON)")
    }

    @Test("a downgrade leaves out the features that cost nothing, and says which; a second one has nothing to do")
    func downgrade() throws {
        try adopt()
        let done = try Control(keychain()).run(["store", "downgrade", "3.0"])
        #expect(done.status == 0 && done.output.contains("format 3.0 now"), "\(done)")
        #expect(done.output.contains("an index of access groups"))
        #expect(try recorded == 0x0300)
        let again = try Control(keychain()).run(["store", "downgrade", "3.0", "--json"])
        #expect(again.status == 0 && again.output.contains("\"removed\": []"), "\(again)")
        #expect(try keychain().check().isSound)
        let status = try Control(keychain()).run(["store", "downgrade", "3.1"])
        #expect(status.status == 0 && status.output.contains("already"), "\(status)")
    }

    @Test(
        "where a feature in use is not in the revision, nothing is changed, the feature is listed, and the status is 1"
    )
    func obstacle() throws {
        try adopt()
        try RawStore(path: "\(path)/keychain.db").execute(
            "INSERT INTO features VALUES ('later', 7, 0, 1); PRAGMA user_version = \(0x0001_0307)"
        )
        let outcome = try Control(keychain()).run(["store", "downgrade", "3.0"])
        #expect(outcome.status == 1, "\(outcome)")
        #expect(outcome.output.contains("keeps format 3.7") && outcome.output.contains("later"), "\(outcome)")
        #expect(try recorded == 0x0001_0307)
        #expect(try RawStore(path: "\(path)/keychain.db").integer("SELECT count(*) FROM features") == 2)
    }

    @Test(
        "what is no revision of this format is a usage error",
        arguments: ["", "3", "2.0", "4.0", "3.", "3.4", "3.-1", "3.0.0", "3.300", "three", "3.０"]
    )
    func usage(_ version: String) throws {
        try adopt()
        let outcome = try Control(keychain()).run(["store", "downgrade", version])
        #expect(outcome.status == 2 && outcome.remarks.contains("is not a revision"), "\(outcome)")
        #expect(try recorded == 0x0301)
    }

    @Test("a keychain in memory has the first revision")
    func memory() throws {
        let outcome = try Control(EmbeddedKeychain.inMemory()).run(["store", "status", "--json"])
        #expect(outcome.output.contains("\"format\": \"3.0\""), "\(outcome)")
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainMacFrontEnd
import KeychainProtection
import KeychainTestSupport
import Testing

@testable import KeychainFiles

/// Passwords whose stored data fails verification, which an update with new data replaces (Semantics, "Functions of
/// the file-based keychain").
@Suite(.timeLimit(.minutes(10)))
struct UnverifiedPasswordTests {
    private let folder: TemporaryFolder
    private let path: String
    private let password = SecretBytes(Array("correct horse".utf8))
    private let keychains: FileBasedKeychain
    private let program = TrustedApplication(path: "/usr/bin/this")

    private var files: KeychainFileService { keychains.files }

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path(of: "test.keychain")
        keychains = FileBasedKeychain(
            KeychainFiles.forTesting(),
            KeychainPreferences(
                home: KeychainHome(path: folder.path(of: "home")),
                systemFolder: folder.path(of: "system")
            ),
            program: program,
            now: { SystemClock().now }
        )
        try files.create(at: path, password: password)
    }

    private static let access = ItemAccess(
        descriptor: "old",
        trustedApplications: [TrustedApplication(path: "/bin/other")],
        partitions: ["apple:"]
    )

    private func query(_ itemClass: ItemClass) -> PropertyDictionary {
        ["class": .string(itemClass.rawValue), "m_SearchList": .array([.keychain(path)])]
    }

    private func add(_ itemClass: ItemClass) throws {
        let attributes: [String: PropertyValue] = [
            "labl": .string("a label"), "icmt": .string("comment"), "cdat": .date(.referenceDate),
        ]
        let secret = SecretBytes(Array("old secret".utf8))
        _ = try files.add(itemClass, attributes: attributes, secret: secret, access: Self.access, at: path)
    }

    /// Changes an attribute in the file without the password's help.
    private func forge(_ itemClass: ItemClass) throws {
        var device = DeviceOptions()
        device.passwordWork = .testing
        let image = try Array(Data(contentsOf: URL(fileURLWithPath: path)))
        let engine = EmbeddedKeychain.file(image: image, device: device)
        try engine.device.unlock(passcode: password)
        let query = PropertyDictionary(["class": .string(itemClass.rawValue)])
        let change = PropertyDictionary(["labl": .string("forged")])
        let request = KeychainRequest(.update(query, attributes: change), client: Client(accessGroups: ["items"]))
        _ = try engine.perform(request)
        try Data(try engine.image()).write(to: URL(fileURLWithPath: path))
        try files.unlock(at: path, password: password)
    }

    private func status(_ operation: KeychainRequest.Operation) -> Status {
        do {
            _ = try keychains.perform(KeychainRequest(operation, client: Client(accessGroups: [])))
            return .success
        } catch {
            return error.status
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var itemClass = ItemClass.genericPassword
        var changes: PropertyDictionary
        var expected: Status
        var trusted: [String]?
    }

    private static let newData: PropertyValue = .data(SecretBytes(Array("new secret".utf8)))

    static let rows: [Row] = [
        Row(
            testDescription: "a password is replaced for the program that updates it",
            changes: ["v_Data": newData, "icmt": .string("new comment")],
            expected: .success,
            trusted: ["/usr/bin/this"]
        ),
        Row(
            testDescription: "an internet password, too, with the access that is given",
            itemClass: .internetPassword,
            changes: [
                "v_Data": newData, "icmt": .string("new comment"),
                "acls": .access(
                    ItemAccess(descriptor: "d", trustedApplications: [TrustedApplication(path: "/bin/given")])
                ),
            ],
            expected: .success,
            trusted: ["/bin/given"]
        ),
        Row(
            testDescription: "without new data there is nothing to make it of",
            changes: ["icmt": .string("new comment")],
            expected: .decode
        ),
        Row(
            testDescription: "a key is no password",
            itemClass: .key,
            changes: ["v_Data": newData],
            expected: .decode
        ),
    ]

    @Test("9.7: a password whose data fails verification is replaced", arguments: rows)
    func replaced(_ row: Row) throws {
        try add(row.itemClass)
        try forge(row.itemClass)
        let before = try #require(try files.items(at: path).first)
        #expect(before.attributes["labl"] == .string("forged"))
        #expect(status(.update(query(row.itemClass), attributes: row.changes)) == row.expected)
        let after = try files.items(at: path)
        #expect(after.count == 1)
        let item = try #require(after.first)
        guard row.expected == .success else {
            #expect(item == before, "nothing is lost")
            return
        }
        #expect(item.identifier != before.identifier)
        #expect(item.attributes["icmt"] == .string("new comment"))
        #expect(item.attributes["cdat"] != .date(.referenceDate), "it is a new item")
        #expect(try files.secret(of: item.identifier, at: path) == SecretBytes(Array("new secret".utf8)))
        let access = try files.access(of: item.identifier, at: path)
        #expect(access.trustedApplications?.map(\.path) == row.trusted)
        #expect(access.partitions.isEmpty, "of the old access nothing can be relied upon")
    }

    @Test("What cannot be replaced stays, also after another change")
    func duplicate() throws {
        try add(.genericPassword)
        try forge(.genericPassword)
        let damaged = try #require(try files.items(at: path).first)
        let secret = SecretBytes(Array("other secret".utf8))
        let other = try files.add(
            .genericPassword,
            attributes: ["acct": .string("b")],
            secret: secret,
            access: Self.access,
            at: path
        )
        var query = query(.genericPassword)
        query["labl"] = .string("forged")
        let changes: PropertyDictionary = ["v_Data": Self.newData, "acct": .string("b")]
        #expect(status(.update(query, attributes: changes)) == .duplicateItem)
        // The half change is forgotten, and the keychain is as unlocked as it was.
        #expect(try files.items(at: path) == [damaged, other])
        try files.remove(other.identifier, at: path)
        #expect(try files.items(at: path) == [damaged])
    }

    @Test("A password that verifies is changed in its place")
    func intact() throws {
        try add(.genericPassword)
        let before = try #require(try files.items(at: path).first)
        let changes: PropertyDictionary = ["v_Data": Self.newData]
        #expect(status(.update(query(.genericPassword), attributes: changes)) == .success)
        let item = try #require(try files.items(at: path).first)
        #expect(item.identifier == before.identifier)
        #expect(try files.access(of: item.identifier, at: path) == Self.access)
    }
}

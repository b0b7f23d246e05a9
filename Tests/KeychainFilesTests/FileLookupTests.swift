// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainProtection
import KeychainTestSupport
import Testing

@testable import KeychainFiles

/// Items of a keychain file by their lookup attributes, and as the item functions see them.
@Suite(.timeLimit(.minutes(5)))
struct FileLookupTests {
    private let folder: TemporaryFolder
    private let path: String
    private let files = KeychainFiles.forTesting()
    private let password = SecretBytes(Array("correct horse".utf8))

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path(of: "test.keychain")
        try files.files.create(at: path, password: password)
    }

    private static func secret(_ text: String) -> SecretBytes { SecretBytes(Array(text.utf8)) }

    private func store(
        _ attributes: LookupAttributes,
        _ secret: String,
        label: String = "a label",
        replacing: Bool = false
    ) throws -> LookupStored {
        let contents = LookupContents(
            attributes: attributes,
            label: label,
            secret: Self.secret(secret),
            contentType: "text/plain; charset=utf8"
        )
        let reply = try files.files.perform(.store(contents, replacing: replacing), at: path)
        guard case .lookupStored(let stored) = reply else { throw KeychainError.unexpectedReply }
        return stored
    }

    private func search(_ attributes: LookupAttributes) throws -> [LookupMatch] {
        let reply = try files.files.perform(.search(attributes), at: path)
        guard case .lookupMatches(let matches) = reply else { throw KeychainError.unexpectedReply }
        return matches
    }

    private func describe(_ item: ItemIdentifier) throws -> LookupItem? {
        guard case .lookupItems(let items) = try files.files.perform(.describe([item]), at: path) else { return nil }
        return items.first
    }

    private func secret(_ item: ItemIdentifier) throws -> LookupSecret? {
        guard case .lookupSecrets(let secrets) = try files.files.perform(.secrets([item]), at: path) else { return nil }
        return secrets.first
    }

    private func change(_ item: ItemIdentifier, _ change: LookupChange) throws {
        #expect(try files.files.perform(.change(item, change), at: path) == .done)
    }

    @Test("what is stored by lookup attributes is found by them and by its columns, also while the file is locked")
    func stored() throws {
        let item = try store(["service": "mail", "account": "anna", "more": "x"], "open sesame").identifier
        let found = try files.files.items(
            FileItemConditions(.genericPassword, ["svce": .string("mail"), .account: .string("anna")]),
            at: path
        )
        #expect(found.map(\.identifier) == [item])
        #expect(try files.files.secret(of: item, at: path) == Self.secret("open sesame"))
        #expect(try files.files.access(of: item, at: path).trustedApplications == nil)
        let secret = try #require(try secret(item))
        #expect(secret.secret == Self.secret("open sesame") && secret.contentType == "text/plain; charset=utf8")
        for isLocked in [false, true] {
            if isLocked { try files.files.lock(at: path) }
            #expect(try search(["more": "x"]) == [LookupMatch(item, isLocked: isLocked)])
            #expect(try search(["account": "anna", "service": "mail"]).count == 1)
            #expect(try search([:]).count == 1)
            #expect(try search(["more": "y"]).isEmpty)
            let described = try #require(try describe(item))
            #expect(described.label == "a label" && described.isLocked == isLocked && described.created != nil)
            #expect(described.attributes == ["service": "mail", "account": "anna", "more": "x"])
        }
        #expect(try self.secret(item) == nil)
        #expect(thrownStatus { _ = try store(["a": "b"], "s") } == .interactionNotAllowed)
        #expect(thrownStatus { try change(item, .label("x")) } == .interactionNotAllowed)
        #expect(thrownStatus { _ = try files.files.perform(.delete(item), at: path) } == .interactionNotAllowed)
    }

    @Test("an item of an item function is found by its columns, changed by its identifier, and read by both")
    func madeElsewhere() throws {
        let added = try files.files.add(
            .genericPassword,
            attributes: ["acct": .string("anna"), "svce": .string("mail"), "labl": .string("L")],
            secret: Self.secret("first"),
            access: ItemAccess(descriptor: "L", trustedApplications: [TrustedApplication(path: "/bin/true")]),
            at: path
        ).identifier
        #expect(try search(["service": "mail", "username": "anna"]).map(\.identifier) == [added])
        #expect(try secret(added)?.secret == Self.secret("first"))
        #expect(try secret(added)?.contentType == "text/plain")
        try change(added, .secret(Self.secret("second"), contentType: "a/b"))
        try change(added, .label("M"))
        #expect(try files.files.secret(of: added, at: path) == Self.secret("second"))
        // Who may delete it stays as it was.
        #expect(
            try files.files.access(of: added, at: path).trustedApplications == [TrustedApplication(path: "/bin/true")]
        )
        try change(added, .attributes(["service": "other", "more": "x"]))
        #expect(try search(["more": "x"]).map(\.identifier) == [added])
        #expect(try files.files.secret(of: added, at: path) == Self.secret("second"))
        #expect(try secret(added)?.secret == Self.secret("second"))
        try files.files.lock(at: path)
        #expect(try describe(added)?.label == "M")
    }

    @Test("a change by an item function changes the lookup attributes, and the secret stays bound to both")
    func changedElsewhere() throws {
        let item = try store(["service": "mail", "account": "anna", "more": "x"], "first").identifier
        try files.files.update(item, .init(attributes: ["acct": .string("bert")]), at: path)
        #expect(try describe(item)?.attributes == ["service": "mail", "account": "bert", "more": "x"])
        #expect(try secret(item)?.secret == Self.secret("first"))
        #expect(try files.files.secret(of: item, at: path) == Self.secret("first"))
        try files.files.update(item, .init(secret: Self.secret("second")), at: path)
        #expect(try secret(item)?.secret == Self.secret("second"))
        // As another process finds it.
        let other = KeychainFiles.forTesting()
        try other.files.unlock(at: path, password: password)
        #expect(try other.files.secret(of: item, at: path) == Self.secret("second"))
    }

    @Test("a replacement is of the item with the same attributes only, and one with other attributes stays beside it")
    func replacement() throws {
        let first = try store(["service": "mail", "account": "anna", "more": "x"], "first")
        let second = try store(["service": "mail", "account": "anna"], "second", replacing: true)
        #expect(first.isNew && second.isNew)
        let again = try store(["service": "mail", "account": "anna"], "third", label: "new", replacing: true)
        #expect(again == LookupStored(second.identifier, isNew: false))
        #expect(try search(["service": "mail"]).count == 2)
        #expect(try secret(first.identifier)?.secret == Self.secret("first"))
        #expect(try secret(second.identifier)?.secret == Self.secret("third"))
        #expect(try files.files.secret(of: second.identifier, at: path) == Self.secret("third"))
        #expect(try describe(second.identifier)?.label == "new")
    }

    /// What programs store: Chrome, Visual Studio Code, git and `keyring`, and attributes that no column has.
    private static let attributes: [LookupAttributes] = [
        [:], ["x": "1"], ["service": "a", "account": "b", "x": "y"], ["service": "a"],
        ["xdg:schema": "chrome_libsecret_os_crypt_password_v2", "application": "chrome"],
        ["xdg:schema": "org.freedesktop.Secret.Generic", "application": "vscode", "service": "v", "account": "a"],
        ["xdg:schema": "org.git.Password", "server": "h", "protocol": "https", "user": "u", "object": "p"],
        ["username": "u", "service": "s", "application": "Python keyring library"],
    ]

    @Test("what is stored again replaces what is there, whatever its attributes are", arguments: attributes)
    func replacementOfAny(_ attributes: LookupAttributes) throws {
        let other = try store(["other": "1"], "other")
        let first = try store(attributes, "1", replacing: true)
        #expect(first.isNew)
        for secret in ["2", "3"] {
            let again = try store(attributes, secret, label: secret, replacing: true)
            #expect(again == LookupStored(first.identifier, isNew: false))
            #expect(try self.secret(first.identifier)?.secret == Self.secret(secret))
            #expect(try describe(first.identifier)?.label == secret)
        }
        #expect(try search([:]).map(\.identifier) == [other.identifier, first.identifier])
        #expect(try secret(other.identifier)?.secret == Self.secret("other"))
    }

    @Test("of items with the same attributes, as earlier versions left them, the one that was changed last is first")
    func several() throws {
        let items = try ["1", "2", "3"].map { try store(["x": "1"], $0).identifier }
        #expect(try search(["x": "1"]).map(\.identifier) == items.reversed())
        try change(items[1], .secret(Self.secret("new"), contentType: "a/b"))
        #expect(try search(["x": "1"]).map(\.identifier) == [items[1], items[2], items[0]])
        let stored = try store(["x": "1"], "replaced", replacing: true)
        #expect(!stored.isNew)
        for isLocked in [false, true] {
            if isLocked { try files.files.lock(at: path) }
            #expect(try search(["x": "1"]).first?.identifier == stored.identifier)
        }
        #expect(try search([:]).map(\.identifier) == items)
    }

    @Test("a secret has as many bytes as elsewhere, besides what is sealed with it")
    func largest() throws {
        func contents(_ byteCount: Int) -> LookupContents {
            let secret = SecretBytes(count: byteCount) { $0.initializeMemory(as: UInt8.self, repeating: 7) }
            return LookupContents(attributes: ["x": "1"], label: "l", secret: secret, contentType: "")
        }
        let largest = contents(ItemLimits.secretByteCount)
        for isNew in [true, false] {
            let reply = try files.files.perform(.store(largest, replacing: true), at: path)
            guard case .lookupStored(let stored) = reply else { throw KeychainError.unexpectedReply }
            #expect(stored.isNew == isNew)
            #expect(try secret(stored.identifier)?.secret == largest.secret)
            #expect(try files.files.secret(of: stored.identifier, at: path) == largest.secret)
        }
        let larger = contents(ItemLimits.secretByteCount + 1)
        #expect(
            thrownStatus { _ = try files.files.perform(.store(larger, replacing: true), at: path) } == .dataTooLarge
        )
    }

    @Test("a secret is not given out for other lookup attributes than those that it was stored with")
    func altered() throws {
        var item = Item(itemClass: .genericPassword, identifier: .zero, attributes: [.accessGroup: .string("items")])
        item.attributes.lookupRecord = LookupRecord(["server": "bank"], contentType: "")
        item.secret = Self.secret("s")
        let form = FileSecretForm()
        item.secret = try form.form(ofNew: item)
        #expect(try form.secret(of: item) == Self.secret("s"))
        item.attributes.lookupRecord = LookupRecord(["server": "evil"], contentType: "")
        #expect(thrownStatus { _ = try form.secret(of: item) } == .decode)
        item.attributes.lookupRecord = nil
        #expect(thrownStatus { _ = try form.secret(of: item) } == .decode)
    }

    @Test("a file with lookup attributes says so in its version, which earlier programs refuse, until it has none")
    func version() throws {
        func version() throws -> Int { try RawStore(path: path).integer("PRAGMA user_version") }
        #expect(try version() == Int(FileVersion.base.recorded))
        let items = try [store(["a": "b"], "1"), store(["a": "c"], "2")].map(\.identifier)
        let version = FileVersion(recorded: Int64(try version()))
        #expect(version == FileVersion(revision: 2, readerRevision: 2, writerRevision: 2))
        #expect(!version.canBeRead(by: 0x0301))
        let other = KeychainFiles.forTesting()
        #expect(try other.files.items(at: path).count == 2)
        _ = try files.files.perform(.delete(items[0]), at: path)
        #expect(try RawStore(path: path).integer("PRAGMA user_version") == Int(version.recorded))
        _ = try files.files.perform(.delete(items[1]), at: path)
        #expect(try RawStore(path: path).integer("PRAGMA user_version") == Int(FileVersion.base.recorded))
        #expect(thrownStatus { _ = try files.files.perform(.delete(items[1]), at: path) } == .itemNotFound)
    }

    @Test("a keychain has a label of its own besides its file's name, which can be read while it is locked")
    func label() throws {
        let before = try files.files.details(at: path)
        #expect(before.label == nil && before.created != nil && !before.isLocked)
        try files.files.setLabel("Work é", at: path)
        try files.files.setSettings(KeychainFileSettings(locksOnSleep: false, lockInterval: 7), at: path)
        try files.files.lock(at: path)
        let after = try KeychainFiles.forTesting().files.details(at: path)
        #expect(after.label == "Work é" && after.isLocked && after.created == before.created)
        #expect(thrownStatus { try files.files.setLabel("x", at: path) } == .interactionNotAllowed)
        try files.files.unlock(at: path, password: password)
        #expect(try files.files.status(at: path).settings == .init(locksOnSleep: false, lockInterval: 7))
        try files.files.setLabel("", at: path)
        #expect(try files.files.details(at: path).label == nil)
        #expect(try files.files.items(at: path).isEmpty)
    }

    @Test("a label has at most 1,024 bytes, in which there is no room for too many combining marks")
    func longLabels() {
        func status(_ label: String) -> Status? {
            thrownStatus { try KeychainFileCommand.Action.setLabel(label).checkSizes() }
        }
        #expect(status(String(repeating: "x", count: 1_024)) == nil)
        #expect(status(String(repeating: "x", count: 1_025)) == .parameter)
        #expect(status(String(repeating: "\u{301}", count: 512)) == nil)
        #expect(status(String(repeating: "\u{301}", count: CombiningMarks.maximumConsecutive + 1)) == .parameter)
    }
}

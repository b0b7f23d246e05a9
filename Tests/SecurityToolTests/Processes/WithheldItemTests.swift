// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection
import KeychainServices
import KeychainTestSupport
import Security
import SecurityTranscripts
import Testing

/// Items that cannot be shown, and a store that cannot be used: nothing else suffers.
@Suite(.timeLimit(.minutes(30)))
struct WithheldItemTests {
    private let user: ToolUser

    init() throws { user = try ToolUser() }

    private static let refusal = "User interaction is not allowed."
    private static let damage = "Unable to decode the provided data."

    @Test("an item that asks for authentication is not shown")
    func guardedItem() throws {
        try addGuarded("alice")
        for words in ["find-generic-password -s svc -w", "find-generic-password -s svc -g"] {
            let result = try run(words)
            #expect(result == ToolProcess.Result(status: 36, output: [], errors: []))
        }
        for words in ["find-generic-password -s svc", "delete-generic-password -s svc"] {
            let result = try run(words)
            #expect(result.status == 36)
            #expect(result.errorText == "security: SecKeychainSearchCopyNext: \(Self.refusal)\n")
        }
        #expect(try run("find-generic-password -s other -w").status == 44)
    }

    @Test("an item that asks for authentication hides no other")
    func guardedItemHidesNothing() throws {
        try addGuarded("alice")
        #expect(try run("add-generic-password -a bob -s svc -w v").status == 0)
        #expect(try run("find-generic-password -s svc -w").outputText == "v\n")
        let dump = try run("dump-keychain -d")
        #expect(dump.status == 0)
        #expect(dump.outputText.components(separatedBy: "keychain: ").count == 2)
        #expect(dump.errorText == "security: SecKeychainItemCopyAttributesAndData: \(Self.refusal)\n")
        #expect(try run("delete-generic-password -s svc").status == 0)
        #expect(try run("delete-generic-password -s svc").status == 36)
    }

    @Test("an item that asks for authentication is a duplicate, and takes no update")
    func guardedDuplicate() throws {
        try addGuarded("alice", group: "swift-keychain.program.example")
        let duplicate =
            "security: SecKeychainItemCreateFromContent (<default>): The specified item already exists in the keychain.\n"
        let add = try run("add-generic-password -a alice -s svc -w v")
        #expect(add.status == 45)
        #expect(add.errorText == duplicate)
        let update = try run("add-generic-password -U -a alice -s svc -w v")
        #expect(update.status == 45)
        #expect(update.errorText == "security: SecKeychainItemModifyContent: \(Self.refusal)\n" + duplicate)
    }

    @Test("a locked keychain says how a command is run unlocked")
    func lockedKeychain() throws {
        let keychain = keychain()
        #expect(try run("add-generic-password -a alice -s svc -w v").status == 0)
        try keychain.device.setPasscode(SecretBytes(Array("1234".utf8)))
        let command = "keychainctl device unlock -- security ..."
        let hint = "security: the keychain is locked; to run a command unlocked: \(command)\n"
        let search = "security: SecKeychainSearchCopyNext: \(Self.refusal)\n"
        let find = try run("find-generic-password -s svc -w")
        #expect(find.status == 36 && find.output.isEmpty && find.errorText.hasSuffix(hint))
        #expect(try run("delete-generic-password -s svc").errorText == search + hint)
        #expect(try run("add-generic-password -a bob -s svc -w v").errorText.hasSuffix(hint))
        #expect(try run("find-generic-password -s other").status == 44)
        for command in ["dump-keychain", "dump-keychain -d"] {
            let parts = try run(command).errorText.components(separatedBy: hint)
            #expect(parts.count == 2 && parts.last == "" && parts.first?.contains(Self.refusal) == true, "\(parts)")
        }
    }

    @Test("a damaged item hides no other", arguments: ["metadata", "secret"])
    func damagedItem(_ column: String) throws {
        try addThreeAndDamageFirst(column)
        #expect(try run("find-generic-password -s svc -w").outputText == "bob\n")
        #expect(try run("find-generic-password -s svc -g").errorText == "password: \"bob\"\n")
        #expect(try run("dump-keychain").outputText.components(separatedBy: "keychain: ").count == 3)
        let damaged = try run("find-generic-password -a alice -w")
        #expect(damaged.status == 93)
        #expect(damaged.errorText == "security: SecKeychainSearchCopyNext: \(Self.damage)\n")
    }

    @Test("a dump continues after a damaged item", arguments: ["metadata", "secret"])
    func damagedDump(_ column: String) throws {
        try addThreeAndDamageFirst(column)
        let dump = try run("dump-keychain -d")
        #expect(dump.status == 0)
        #expect(dump.errorText == "security: SecKeychainItemCopyAttributesAndData: \(Self.damage)\n")
        #expect(dump.outputText.contains("data:\n\"bob\"\n") && dump.outputText.contains("data:\n\"carol\"\n"))
        #expect(!dump.outputText.contains("\"alice\""))
        let heads = dump.outputText.components(separatedBy: "attributes:\n").count - 1
        #expect(heads == (column == "secret" ? 3 : 2), "the head of an item with a damaged secret is shown")
    }

    @Test("a damaged item makes way for a new one")
    func damagedDuplicate() throws {
        try addThreeAndDamageFirst("metadata")
        #expect(try run("add-generic-password -a alice -s svc -w new").status == 0)
        #expect(try run("find-generic-password -a alice -w").outputText == "new\n")
    }

    @Test("a store without its root key says so")
    func missingRootKey() throws {
        #expect(try run("add-generic-password -a alice -s svc -w hunter2").status == 0)
        try FileManager.default.removeItem(atPath: user.keychainPath + "/root.key")
        let text = "No keychain is available. You may need to restart your computer.\nsecurity: the root key "
        let cases = [
            ("find-generic-password -s svc -w", "SecKeychainSearchCopyNext"),
            ("delete-generic-password -s svc", "SecKeychainSearchCopyNext"),
            ("dump-keychain", "SecKeychainSearchCopyNext"),
            ("add-generic-password -a bob -s svc -w hunter2", "SecKeychainItemCreateFromContent (<default>)"),
            ("add-internet-password -a bob -s svc -w hunter2", "SecKeychainAddInternetPassword <NULL>"),
        ]
        for (words, function) in cases {
            let result = try run(words)
            #expect(result.status == (words == "dump-keychain" ? 1 : 53), "\(words)")
            #expect(result.output.isEmpty, "\(words)")
            #expect(result.errorText.hasPrefix("security: \(function): \(text)"), "\(words): \(result.errorText)")
            #expect(!result.errorText.contains("hunter2"))
        }
    }

    private func run(_ line: String) throws -> ToolProcess.Result {
        try user.run(line.split(separator: " ").map(String.init))
    }

    /// Adds an item that its owner has to authenticate for, on a device whose passcode is removed then, so that the
    /// command is not kept from everything else.
    private func addGuarded(_ account: String, group: String = Client.commonGroup) throws {
        let access = try #require(
            SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, .userPresence, nil)
        )
        let attributes: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "svc", kSecAttrAccount: account,
            kSecAttrAccessControl: access, kSecValueData: Data("guarded".utf8),
        ]
        let passcode = SecretBytes(Array("1234".utf8))
        let keychain = keychain()
        try keychain.device.setPasscode(passcode)
        let context = KeychainContext(backend: keychain, client: Client(accessGroups: [group]))
        #expect(KeychainContext.$current.withValue(context) { Items.add(attributes) } == errSecSuccess)
        try keychain.device.removePasscode(passcode)
    }

    private func keychain() -> EmbeddedKeychain {
        var options = DeviceOptions()
        options.passwordWork = .minimumInFiles
        return EmbeddedKeychain(at: KeychainLocation(path: user.keychainPath), device: options)
    }

    private func addThreeAndDamageFirst(_ column: String) throws {
        for account in ["alice", "bob", "carol"] {
            #expect(try run("add-generic-password -a \(account) -s svc -w \(account)").status == 0)
        }
        let store = try RawStore(path: user.keychainPath + "/keychain.db")
        try store.execute("UPDATE items_genp SET \(column) = randomblob(64) WHERE id = 1")
    }
}

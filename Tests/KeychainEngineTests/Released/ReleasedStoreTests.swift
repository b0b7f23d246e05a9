// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainAuthenticators
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection
import KeychainTestSupport
import Testing

/// Stores made by each version of the format, kept for ever: every later version opens them all.
struct ReleasedStoreTests {
    @Test("a store of every version opens and holds what was put there", arguments: ["format-2", "format-3"])
    func opensReleasedStores(_ name: String) throws {
        let folder = try TemporaryFolder()
        let home = try Self.copy(name, into: folder)
        try expectContents(of: EmbeddedKeychain(at: KeychainLocation(path: home)))
    }

    @Test(
        "a store of every version with a passcode opens with it, and its items with what they ask for",
        arguments: ["format-2-passcode", "format-3-passcode"]
    )
    func opensReleasedDevices(_ name: String) throws {
        let folder = try TemporaryFolder()
        let home = try Self.copy(name, into: folder)
        let owner = GuardedItems.owner()
        let keychain = EmbeddedKeychain(
            at: KeychainLocation(path: home),
            device: DeviceOptions(authenticator: owner)
        )
        try GuardedItems.expectLocked(keychain)
        try keychain.device.unlock(passcode: GuardedItems.passcode)
        try GuardedItems.expectContents(of: keychain)
    }

    @Test("former values of every version are listed, read and restored", arguments: ["format-3.3-history"])
    func opensReleasedHistories(_ name: String) throws {
        let folder = try TemporaryFolder()
        let keychain = EmbeddedKeychain(at: KeychainLocation(path: try Self.copy(name, into: folder)))
        let client = Client(accessGroups: [Client.commonGroup])
        let history = KeychainHistory(keychain, client: client)
        #expect(try history.numberForAll() == 2 && keychain.check().isSound)
        for (itemClass, account, isOwn, former) in [
            ("genp", "ada", true, ["two", "one"]), ("genp", "bob", false, ["tre", "due"]),
            ("inet", "eve", false, ["first"]),
        ] {
            let query: PropertyDictionary = [
                "class": .string(itemClass), "acct": .string(account), "r_PersistentRef": .boolean(true),
            ]
            let answer = try keychain.perform(KeychainRequest(.copyMatching(query), client: client))
            guard case .single(.data(let reference)) = answer else { throw KeychainError.unexpectedReply }
            let identifier = try #require(ItemIdentifier(persistentReference: reference))
            let item = HistoryRequest.Subject(try #require(ItemClass(rawValue: itemClass)), identifier)
            let values = try history.values(of: item)
            #expect(values.isOwn == isOwn && values.values.allSatisfy { $0.group == Client.commonGroup })
            let found = try values.values.map {
                String(decoding: try history.secret($0, of: item).unprotectedCopy, as: UTF8.self)
            }
            #expect(found == former)
            try history.restore(try #require(values.values.last), of: item)
        }
    }

    @Test("a backup of every version is restored and holds what was put there", arguments: ["format-2", "format-3"])
    func restoresReleasedBackups(_ name: String) throws {
        let folder = try TemporaryFolder()
        let backup = Self.source(name).appendingPathComponent("keychain.backup").path
        let location = KeychainLocation(path: folder.path(of: "keychain"))
        let secret = SecretBytes(Array("of the backup".utf8))
        let report = try EmbeddedKeychain.restoreBackup(from: backup, secret: secret, to: location)
        #expect(report == BackupReport(items: SampleItems.all.count, leftOut: [:], damaged: 0))
        try expectContents(of: EmbeddedKeychain(at: location))
    }

    @Test(
        "a store of format 1, which was never released, is refused and stays as it is, byte for byte",
        arguments: ["unreleased-1", "unreleased-2"],
        [false, true]
    )
    func refusesUnreleased(_ name: String, _ hasLog: Bool) throws {
        let folder = try TemporaryFolder()
        let home = try Self.copy(name, into: folder)
        for companion in ["keychain.db-wal", "keychain.db-shm"] where hasLog {
            let contents = Data(repeating: 7, count: 100)
            let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
            try #require(
                FileManager.default.createFile(
                    atPath: "\(home)/\(companion)",
                    contents: contents,
                    attributes: attributes
                )
            )
        }
        let before = try Self.files(in: home)
        let keychain = EmbeddedKeychain(at: KeychainLocation(path: home))
        let query: PropertyDictionary = [PropertyKey.itemClass: .string("genp")]
        let calls: [(EmbeddedKeychain) throws -> Void] = [
            { _ = try $0.perform(KeychainRequest(.copyMatching(query), client: SampleItems.client)) },
            { _ = try $0.perform(KeychainRequest(.add(SampleItems.deleted), client: SampleItems.client)) },
            { _ = try $0.perform(KeychainRequest(.delete(query), client: SampleItems.client)) },
            { try $0.device.setPasscode(GuardedItems.passcode) },
            { _ = try $0.check() }, { _ = try $0.recover() },
            { _ = try $0.createBackup(at: folder.path(of: "backup"), secret: GuardedItems.passcode) },
        ]
        for call in calls {
            let failure = #expect(throws: KeychainError.self) { try call(keychain) }
            #expect(failure?.status == .notAvailable)
            #expect(failure?.reason.contains("format 1, which was never released") ?? false)
            #expect(failure?.reason.contains("left as it is") ?? false)
        }
        let isUnchanged = try Self.files(in: home) == before
        #expect(isUnchanged)
    }

    @Test("a device made now holds the same")
    func holdsTheSameGuarded() throws {
        let folder = try TemporaryFolder()
        let keychain = try GuardedItems.make(in: folder.path(of: "keychain"))
        try GuardedItems.expectContents(of: keychain)
        try keychain.device.lock()
        try GuardedItems.expectLocked(keychain)
    }

    /// A copy of a released store; the original is never opened.
    static func copy(_ name: String, into folder: TemporaryFolder) throws -> String {
        let home = folder.path(of: "keychain")
        let source = Self.source(name)
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
        return home
    }

    static func source(_ name: String) -> URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(name)
    }

    private static func files(in folder: String) throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        return try Dictionary(
            uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\($0)"))) }
        )
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
enum SampleItems {
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

/// An item of each level and of each kind of access control, on a device with a passcode.
enum GuardedItems {
    static let passcode = SecretBytes(Array("1234".utf8))
    static let client = SampleItems.client

    static let passwordBytes = Array("of the application".utf8)
    private static let access: [(String, AccessControlFlags)] = [
        ("userPresence", .userPresence), ("biometryCurrentSet", .biometryCurrentSet),
        ("either", [.biometryAny, .devicePasscode, .or]), ("both", [.biometryAny, .devicePasscode, .and]),
        ("applicationPassword", .applicationPassword),
    ]

    /// An owner who is recognized and types what is right.
    static func owner() -> ScriptedAuthenticator {
        ScriptedAuthenticator(biometry: .releasedSet) { prompt in
            prompt.kind == .biometry ? .recognized : .secret(passcode)
        }
    }

    /// A device of that owner.
    static var options: DeviceOptions {
        var options = DeviceOptions(authenticator: owner())
        options.passwordWork = .minimumInFiles
        return options
    }

    static func make(in path: String) throws -> EmbeddedKeychain {
        let keychain = EmbeddedKeychain(at: KeychainLocation(path: path), device: options)
        try keychain.device.setPasscode(passcode)
        for level in Accessibility.stored { try add("\(level.rawValue)", .level(level), to: keychain) }
        for (name, flags) in access { try add(name, .access(flags) + .context(context()), to: keychain) }
        return keychain
    }

    static func expectContents(of keychain: EmbeddedKeychain) throws {
        #expect(try keychain.check().isSound)
        for name in Accessibility.stored.map(\.rawValue) + access.map(\.0) {
            #expect(try keychain.perform(read(name)) == .single(.data(SecretBytes(Array(name.utf8)))), "\(name)")
        }
    }

    static func expectLocked(_ keychain: EmbeddedKeychain) throws {
        let name = Accessibility.whenUnlocked.rawValue
        #expect { _ = try keychain.perform(read(name)) } throws: {
            ($0 as? KeychainError)?.status == .interactionNotAllowed
        }
    }

    static func context() -> AuthenticationContext {
        AuthenticationContext(applicationPassword: SecretBytes(passwordBytes))
    }

    private static func query(_ name: String) -> PropertyDictionary {
        [PropertyKey.itemClass: .string("genp"), "acct": .string(name)]
    }

    private static func read(_ name: String) -> KeychainRequest {
        var query = query(name)
        query[PropertyKey.returnData] = .boolean(true)
        query[PropertyKey.useAuthenticationContext] = .authenticationContext(context())
        return KeychainRequest(.copyMatching(query), client: client)
    }

    private static func add(
        _ name: String,
        _ entries: [String: PropertyValue],
        to keychain: EmbeddedKeychain
    ) throws {
        var item = query(name)
        for (key, value) in entries { item[key] = value }
        item[PropertyKey.valueData] = .data(SecretBytes(Array(name.utf8)))
        _ = try keychain.perform(KeychainRequest(.add(item), client: client))
    }
}

extension Biometry {
    /// The fingers that were enrolled when the stores were made: the same in every run.
    static let releasedSet = Biometry(.touchID, enrolledSet: Bytes16([UInt8](repeating: 1, count: Bytes16.count)))
}

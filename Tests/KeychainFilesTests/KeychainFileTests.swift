// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainEngine
import KeychainProtection
import KeychainTestSupport
import Testing

@testable import KeychainFiles

/// One keychain file: its password, its items, what becomes of damage.
@Suite(.timeLimit(.minutes(10)))
struct KeychainFileTests {
    private let folder: TemporaryFolder
    private let path: String
    private let files = KeychainFiles.forTesting()
    private let password = SecretBytes(Array("correct horse".utf8))
    private let access = ItemAccess(descriptor: "test", trustedApplications: [TrustedApplication(path: "/bin/true")])

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path(of: "test.keychain")
    }

    @Test("A new keychain is a file of its own, unlocked, and found by another process")
    func create() throws {
        try files.files.create(at: path, password: password)
        #expect(access(path, F_OK) == 0)
        #expect(try files.files.status(at: path) == KeychainFileStatus(isLocked: false, settings: .init()))
        #expect(thrownStatus { try files.files.create(at: path, password: password) } == .duplicateKeychain)
        let other = KeychainFiles.forTesting()
        #expect(try other.files.status(at: path).isLocked)
        #expect(thrownStatus { try other.files.unlock(at: path, password: SecretBytes.wrong) } == .authenticationFailed)
        try other.files.unlock(at: path, password: password)
        #expect(try !other.files.status(at: path).isLocked)
    }

    @Test("An empty password is one")
    func emptyPassword() throws {
        try files.files.create(at: path, password: SecretBytes())
        try files.files.lock(at: path)
        #expect(thrownStatus { try files.files.unlock(at: path, password: password) } == .authenticationFailed)
        try files.files.unlock(at: path, password: SecretBytes())
        try files.files.changePassword(at: path, from: SecretBytes(), to: password)
        try files.files.changePassword(at: path, from: password, to: SecretBytes())
    }

    @Test("Items are found by their attributes, also in a locked keychain")
    func find() throws {
        try files.files.create(at: path, password: password)
        for account in ["a", "b"] {
            let attributes: [String: PropertyValue] = ["acct": .string(account), "srvr": .string("example.org")]
            _ = try files.files.add(
                .internetPassword,
                attributes: attributes,
                secret: .secret,
                access: access,
                at: path
            )
        }
        try files.files.lock(at: path)
        let all = try files.files.items(at: path)
        #expect(try files.files.items(FileItemConditions(.internetPassword), at: path) == all)
        let second = FileItemConditions(.internetPassword, [.account: .string("b"), "port": .number(.integer(0))])
        #expect(try files.files.items(second, at: path) == [all[1]])
        for conditions in [
            FileItemConditions(.internetPassword, [.account: .string("c")]), FileItemConditions(.genericPassword),
            FileItemConditions(.identity),
        ] {
            #expect(try files.files.items(conditions, at: path).isEmpty)
        }
        #expect(thrownStatus { _ = try files.files.items(second, at: path + "x") } == .noSuchKeychain)
    }

    @Test("Attributes of a locked keychain can be read, secrets and access cannot", arguments: ItemClass.stored)
    func locked(_ itemClass: ItemClass) throws {
        try files.files.create(at: path, password: password)
        let attributes: [String: PropertyValue] = [
            "labl": .string("a label"), "agrp": .string("none"), "no such attribute": .boolean(true),
        ]
        let secret = SecretBytes.secret
        let added = try files.files.add(itemClass, attributes: attributes, secret: secret, access: access, at: path)
        #expect(added.attributes["labl"] == .string("a label"))
        #expect(added.attributes["agrp"] == nil)
        #expect(try files.files.secret(of: added.identifier, at: path) == secret)
        #expect(try files.files.access(of: added.identifier, at: path) == access)
        #expect(
            thrownStatus {
                _ = try files.files.add(itemClass, attributes: attributes, secret: secret, access: access, at: path)
            }
                == .duplicateItem
        )
        try files.files.lock(at: path)
        #expect(try files.files.items(at: path) == [added])
        // Certificates are public.
        let refusal: Status? = itemClass == .certificate ? nil : .interactionNotAllowed
        #expect(thrownStatus { _ = try files.files.secret(of: added.identifier, at: path) } == refusal)
        #expect(thrownStatus { _ = try files.files.access(of: added.identifier, at: path) } == refusal)
        #expect(
            thrownStatus {
                _ = try files.files.add(itemClass, attributes: [:], secret: secret, access: access, at: path)
            }
                == .interactionNotAllowed
        )
        #expect(
            thrownStatus { try files.files.setSettings(KeychainFileSettings(), at: path) } == .interactionNotAllowed
        )
        try files.files.unlock(at: path, password: password)
        #expect(try files.files.secret(of: added.identifier, at: path) == secret)
    }

    @Test("What was changed is in the file when the call returns")
    func changes() throws {
        try files.files.create(at: path, password: password)
        let attributes: [String: PropertyValue] = ["acct": .string("a"), "svce": .string("s")]
        let item = try files.files.add(
            .genericPassword,
            attributes: attributes,
            secret: SecretBytes.wrong,
            access: access,
            at: path
        )
        try files.files.update(
            item.identifier,
            KeychainFileItem.Changes(attributes: ["icmt": .string("c")], secret: SecretBytes.secret),
            at: path
        )
        try files.files.setPartitions(["apple:"], of: item.identifier, password: password, at: path)
        #expect(
            thrownStatus {
                try files.files.setPartitions([], of: item.identifier, password: SecretBytes.wrong, at: path)
            } == .authenticationFailed
        )
        let settings = KeychainFileSettings(locksOnSleep: false, lockInterval: nil)
        try files.files.setSettings(settings, at: path)
        let other = KeychainFiles.forTesting()
        try other.files.unlock(at: path, password: password)
        #expect(try other.files.items(at: path).map { $0.attributes["icmt"] } == [.string("c")])
        #expect(try other.files.secret(of: item.identifier, at: path) == SecretBytes.secret)
        #expect(try other.files.access(of: item.identifier, at: path).partitions == ["apple:"])
        #expect(try other.files.status(at: path).settings == settings)
        try other.files.remove(item.identifier, at: path)
        #expect(thrownStatus { _ = try other.files.secret(of: item.identifier, at: path) } == .invalidItemReference)
        // The first one notices that the file is another one, and has to be unlocked for it.
        #expect(try files.files.status(at: path).isLocked)
        #expect(try files.files.items(at: path).isEmpty)
    }

    @Test("Only what locks on sleep does; all are locked at once")
    func sleep() throws {
        let staying = folder.path(of: "staying.keychain")
        for path in [path, staying] { try files.files.create(at: path, password: password) }
        try files.files.setSettings(KeychainFileSettings(locksOnSleep: false, lockInterval: nil), at: staying)
        files.hostWillSleep()
        #expect(try files.files.status(at: path).isLocked)
        #expect(try !files.files.status(at: staying).isLocked)
        #expect(files.holdsUnlockedKeys)
        try files.files.lockAll()
        #expect(try files.files.status(at: staying).isLocked)
        #expect(!files.holdsUnlockedKeys)
    }

    @Test("No byte of a file makes anything but an error", arguments: ["", "SQLite format 3", "no keychain at all"])
    func damaged(_ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        #expect(thrownStatus { _ = try files.files.status(at: path) } == .invalidKeychain)
        #expect(thrownStatus { try files.files.delete(at: path) } == .invalidKeychain)
        #expect(access(path, F_OK) == 0)
        #expect(thrownStatus { _ = try files.files.items(at: folder.path) } == .invalidKeychain)
        #expect(thrownStatus { _ = try files.files.items(at: path + ".none") } == .noSuchKeychain)
    }

    @Test("A secret is not given out under attributes that were changed without the password")
    func alteredAttributes() throws {
        try files.files.create(at: path, password: password)
        let attributes: [String: PropertyValue] = ["acct": .string("a"), "svce": .string("bank")]
        let item = try files.files.add(
            .genericPassword,
            attributes: attributes,
            secret: .secret,
            access: access,
            at: path
        )
        let image = try Array(Data(contentsOf: URL(fileURLWithPath: path)))
        let engine = EmbeddedKeychain.file(image: image, device: device)
        try engine.device.unlock(passcode: password)
        let query = PropertyDictionary(["class": .string("genp")])
        let change = PropertyDictionary(["icmt": .string("forged")])
        let request = KeychainRequest(.update(query, attributes: change), client: Client(accessGroups: ["items"]))
        _ = try engine.perform(request)
        try Data(try engine.image()).write(to: URL(fileURLWithPath: path))
        try files.files.unlock(at: path, password: password)
        #expect(try files.files.items(at: path).first?.attributes["icmt"] == .string("forged"))
        #expect(thrownStatus { _ = try files.files.secret(of: item.identifier, at: path) } == .decode)
        #expect(thrownStatus { _ = try files.files.access(of: item.identifier, at: path) } == .decode)
        #expect(thrownStatus { try files.files.update(item.identifier, .init(secret: .wrong), at: path) } == .decode)
    }

    private var device: DeviceOptions {
        var device = DeviceOptions()
        device.passwordWork = .testing
        return device
    }

    @Test("A lock takes the keys also while the file is elsewhere")
    func movedFile() throws {
        try files.files.create(at: path, password: password)
        let elsewhere = folder.path(of: "elsewhere")
        try FileManager.default.moveItem(atPath: path, toPath: elsewhere)
        #expect(thrownStatus { try files.files.lock(at: path) } == .noSuchKeychain)
        try FileManager.default.moveItem(atPath: elsewhere, toPath: path)
        #expect(try files.files.status(at: path).isLocked)
    }

    @Test("Nothing is changed in a locked keychain, and only its password changes a partition list")
    func refusedChanges() throws {
        try files.files.create(at: path, password: password)
        let item = try files.files.add(
            .certificate,
            attributes: ["labl": .string("c")],
            secret: .secret,
            access: access,
            at: path
        )
        try files.files.setPartitions(["apple:"], of: item.identifier, password: password, at: path)
        var other = access
        other.partitions = ["unsigned:"]
        let refusal = thrownStatus { try files.files.update(item.identifier, .init(access: other), at: path) }
        #expect(refusal == .interactionNotAllowed)
        try files.files.update(item.identifier, .init(access: access), at: path)
        #expect(try files.files.access(of: item.identifier, at: path).partitions == ["apple:"])
        #expect(
            thrownStatus { try files.files.setSettings(.init(locksOnSleep: true, lockInterval: 0), at: path) }
                == .parameter
        )
        try files.files.lock(at: path)
        #expect(thrownStatus { try files.files.remove(item.identifier, at: path) } == .interactionNotAllowed)
        #expect(thrownStatus { try files.files.update(item.identifier, .init(), at: path) } == .interactionNotAllowed)
    }

    @Test("All paths that lead to a file are one keychain, and a link stays one")
    func links() throws {
        try files.files.create(at: path, password: password)
        let link = folder.path(of: "link.keychain")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        _ = try files.files.add(.genericPassword, attributes: [:], secret: password, access: access, at: link)
        #expect(try files.files.items(at: "\(folder.path)/./test.keychain").count == 1)
        #expect(try !files.files.status(at: path).isLocked)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
    }

    @Test("A file with bytes after its last page is damaged, as one that lacks some")
    func otherSize() throws {
        try files.files.create(at: path, password: password)
        try files.files.lock(at: path)
        let size = try Data(contentsOf: URL(fileURLWithPath: path)).count
        for other in [size + 4_096, 64 << 20, size - 4_096] {
            try #require(truncate(path, off_t(other)) == 0)
            #expect(thrownStatus { _ = try files.files.status(at: path) } == .invalidKeychain, "\(other)")
        }
    }

    @Test("A large keychain is in memory while it is unlocked, and a small one also afterwards")
    func memory() throws {
        var device = DeviceOptions()
        device.passwordWork = .testing
        let file = KeychainFile(at: path, device, SystemClock())
        _ = try file.perform(.create(password: password))
        _ = try file.perform(.lock)
        _ = try file.perform(.items)
        #expect(file.keptByteCount > 0)
        _ = try file.perform(.unlock(password: password))
        let secret = SecretBytes(count: 2 << 20) { $0.initializeMemory(as: UInt8.self, repeating: 1) }
        let item = KeychainFileItem(
            identifier: .zero,
            itemClass: .genericPassword,
            attributes: ["acct": .string("a")]
        )
        _ = try file.perform(.add(item, secret: secret, access))
        #expect(file.keptByteCount > 2 << 20)
        _ = try file.perform(.lock)
        #expect(try file.perform(.items) != .fileItems([]))
        #expect(file.keptByteCount == 0)
        // A keychain that has locked by itself.
        _ = try file.perform(.unlock(password: password))
        _ = try file.perform(.setSettings(KeychainFileSettings(lockInterval: 1)))
        #expect(file.keptByteCount > 2 << 20)
        #expect(eventually("it has locked, and its contents are discarded") { !file.holdsKeys })
        #expect(file.keptByteCount == 0)
    }

    @Test("A change that cannot be written changes nothing, and the keychain stays as unlocked as it was")
    func unwritable() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let path = folder.path(of: "test.keychain")
            let files = KeychainFiles.forTesting().files
            let access = ItemAccess(descriptor: "test", trustedApplications: nil)
            let settings = KeychainFileSettings(locksOnSleep: false, lockInterval: 600)
            try files.create(at: path, password: .secret)
            try files.setSettings(settings, at: path)
            func add(_ account: String) throws -> KeychainFileItem {
                let attributes: [String: PropertyValue] = ["acct": .string(account)]
                return try files.add(
                    .genericPassword,
                    attributes: attributes,
                    secret: .secret,
                    access: access,
                    at: path
                )
            }
            let item = try add("a")
            let changes: [() throws -> Void] = [
                { _ = try add("b") },
                {
                    try files.update(
                        item.identifier,
                        .init(attributes: ["icmt": .string("c")], secret: .wrong),
                        at: path
                    )
                },
                { try files.setPartitions(["apple:"], of: item.identifier, password: .secret, at: path) },
                { try files.remove(item.identifier, at: path) },
                { try files.setLabel("x", at: path) },
                { try files.setSettings(.init(locksOnSleep: true, lockInterval: 1), at: path) },
                { try files.changePassword(at: path, from: .secret, to: .wrong) },
            ]
            try #require(ChildProcess.limitFileSize(to: 1 << 10))
            for change in changes {
                let failure = thrownStatus(change)
                #expect(failure != nil && failure != .interactionNotAllowed)
                #expect(try files.status(at: path) == KeychainFileStatus(isLocked: false, settings: settings))
                #expect(try files.items(at: path) == [item])
                #expect(try files.secret(of: item.identifier, at: path) == .secret)
            }
            try #require(ChildProcess.limitFileSize(to: .max))
            _ = try add("b")
            try files.lock(at: path)
            #expect(try files.status(at: path).isLocked)
            let failure = thrownStatus { _ = try add("c") }
            #expect(failure == .interactionNotAllowed)
            let other = KeychainFiles.forTesting().files
            try other.unlock(at: path, password: .secret)
            #expect(try other.items(at: path).count == 2)
        }
    }

    @Test("A secret of an item function has at most 16 MiB, besides its access list")
    func largestSecret() throws {
        let itemClass = ItemClass.genericPassword
        func secret(_ byteCount: Int) -> SecretBytes {
            SecretBytes(count: byteCount) { $0.initializeMemory(as: UInt8.self, repeating: 7) }
        }
        let (largest, larger) = (secret(ItemLimits.secretByteCount), secret(ItemLimits.secretByteCount + 1))
        try files.files.create(at: path, password: password)
        let item = try files.files.add(itemClass, attributes: [:], secret: largest, access: access, at: path)
        #expect(try files.files.secret(of: item.identifier, at: path) == largest)
        try files.files.update(item.identifier, .init(secret: largest), at: path)
        for status in [
            thrownStatus { try files.files.update(item.identifier, .init(secret: larger), at: path) },
            thrownStatus {
                let attributes: [String: PropertyValue] = ["labl": .string("b")]
                _ = try files.files.add(itemClass, attributes: attributes, secret: larger, access: access, at: path)
            },
        ] {
            #expect(status == .dataTooLarge)
        }
        let other = KeychainFiles.forTesting()
        try other.files.unlock(at: path, password: password)
        #expect(try other.files.secret(of: item.identifier, at: path) == largest)
    }

    @Test("A keychain is deleted with its file")
    func delete() throws {
        try files.files.create(at: path, password: password)
        try files.files.delete(at: path)
        #expect(access(path, F_OK) != 0)
        #expect(thrownStatus { try files.files.delete(at: path) } == .noSuchKeychain)
        #expect(thrownStatus { try files.files.lock(at: path) } == .noSuchKeychain)
    }

    private func access(_ path: String, _ mode: Int32) -> Int32 { Glibc.access(path, mode) }
}

extension SecretBytes {
    fileprivate static let wrong = SecretBytes(Array("wrong".utf8))
    fileprivate static let secret = SecretBytes(Array("secret".utf8))
}

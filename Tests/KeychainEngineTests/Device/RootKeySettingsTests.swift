// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainStore
import KeychainTestSupport
import Testing

@testable import KeychainEngine

/// The settings beside a store choose the source of its root key, and its keybag is authenticated with them.
struct RootKeySettingsTests {
    private static let name = RootKeySettings.fileName
    private static let passcode = SecretBytes(Array("1234".utf8))
    private static let passcodes: [SecretBytes?] = [nil, passcode]

    private let store: TestStore
    private let chip: Chip

    init() throws {
        store = try TestStore()
        chip = try Chip()
    }

    // MARK: New stores

    @Test("settings that are there before the store choose the source of its root key, and stay as they are")
    func chosenForNewStore() throws {
        let settings = try RootKeySettings(.tpm, chip.newParameters())
        let store = try TestStore.of([Self.name: settings.bytes])
        let sources = RootKeySources(RootKeyFile(), chip)
        #expect(open(sources, at: store).add("anna", "secret") == .done)
        #expect(try rootKeyFiles(of: store) == [Self.name])
        #expect(try store.bytes(of: Self.name) == settings.bytes)
        #expect(open(RootKeySources(chip), at: store).secret("anna") == .secret("secret"))
    }

    @Test("no store is made by settings that lead to no root key here, and no other settings either")
    func noNewStore() throws {
        let parameters = chip.newParameters()
        let files = [
            try RootKeySettings(.systemdCredential, parameters).bytes, try RootKeySettings(.tpm, []).bytes,
            Array("version = 2\nkind = tpm\n".utf8), Array("version = 1\nkind = file\n".utf8), [],
        ]
        for bytes in files {
            let store = try TestStore.of([Self.name: bytes])
            let keychain = open(RootKeySources(RootKeyFile(), chip), at: store)
            #expect(keychain.add("anna", "secret") == .failed(.notAvailable))
            let reason = keychain.failureOfAdding()?.reason ?? ""
            #expect(reason.contains(store.file(Self.name)), "\(reason)")
            #expect(try store.bytes(of: Self.name) == bytes)
            #expect(try rootKeyFiles(of: store) == [Self.name])
            #expect(access(store.file(Store.fileName), F_OK) != 0)
        }
    }

    @Test("a program that knows root keys in files alone makes no store beside settings, and opens none")
    func otherProgram() throws {
        #expect(open(RootKeySources(chip)).add("anna", "secret") == .done)
        #expect(store.open().failure()?.kind == .keys(.unsupportedRootKey))
        let moved = try TestStore.of([Self.name: try store.bytes(of: Self.name)])
        #expect(moved.open().add("bert", "secret") == .failed(.notAvailable))
        #expect(try rootKeyFiles(of: moved) == [Self.name])
    }

    @Test("a store under a root key in a file has no settings, and none beside it count")
    func withoutSettings() throws {
        #expect(store.open().add("anna", "secret") == .done)
        #expect(try rootKeyFiles(of: store) == [RootKeyFile.name])
        try store.write(Array("anything".utf8), to: Self.name)
        #expect(store.open().secret("anna") == .secret("secret"))
        #expect(open(RootKeySources(chip, RootKeyFile())).secret("anna") == .secret("secret"))
        // They are not this store's, which had no other root key before.
        try store.open().maintenance.replaceRootKey(passcode: nil)
        #expect(try rootKeyFiles(of: store) == [Self.name, RootKeyFile.name].sorted())
    }

    // MARK: Changed settings

    /// What happened to the settings.
    enum Loss: CaseIterable {
        case gone, empty, truncated, longer, oversized, anotherStores, ofOtherKind, exposed, symbolicLink, folder, pipe
        case foreign

        func inflict(on store: TestStore, _ chip: Chip) throws {
            let (path, bytes) = (store.file(name), try store.bytes(of: name))
            let lines = chip.newParameters()
            switch self {
            case .gone: #expect(unlink(path) == 0)
            case .empty: try store.write([], to: name)
            case .truncated: try store.write(bytes.dropLast(), to: name)
            case .longer: try store.write(bytes + Array("more = 1\n".utf8), to: name)
            case .oversized:
                try store.write(bytes + Array(repeating: 0x0A, count: RootKeySettings.byteLimit), to: name)
            case .anotherStores: try store.write(try RootKeySettings(.tpm, lines).bytes, to: name)
            case .ofOtherKind: try store.write(try RootKeySettings(.systemdCredential, lines).bytes, to: name)
            case .exposed: #expect(chmod(path, 0o644) == 0)
            case .symbolicLink:
                let moved = store.folder.path(of: "moved.settings")
                #expect(rename(path, moved) == 0 && symlink(moved, path) == 0)
            case .folder: #expect(unlink(path) == 0 && mkdir(path, 0o700) == 0)
            case .pipe: #expect(unlink(path) == 0 && mkfifo(path, 0o600) == 0)
            case .foreign: #expect(chown(path, 65_534, 65_534) == 0)
            }
        }

        private var name: String { RootKeySettings.fileName }
    }

    @Test(
        "settings that are missing, or not those of the store, are an error that names them, and nothing is made",
        arguments: Loss.allCases.filter { $0 != .foreign }
    )
    func loss(_ loss: Loss) throws { try check(loss) }

    @Test("settings of another user are refused", .enabled(if: geteuid() == 0, "only root can give a file away"))
    func foreignOwner() throws { try check(.foreign) }

    private func check(_ loss: Loss) throws {
        let sources = RootKeySources(chip, RootKeyFile(), try Chip(.systemdCredential))
        #expect(open(sources).add("anna", "secret") == .done)
        let settings = try store.bytes(of: Self.name)
        try loss.inflict(on: store, chip)
        let before = try files()

        try expectRefusal(sources)
        #expect(throws: KeychainError.self) { try open(sources).maintenance.replaceRootKey(.software, passcode: nil) }
        #expect(try files() == before)

        #expect(rmdir(store.file(Self.name)) == 0 || unlink(store.file(Self.name)) == 0 || loss == .gone)
        try store.write(settings, to: Self.name)
        #expect(open(sources).secret("anna") == .secret("secret"))
    }

    @Test("a store does not open after any one byte of its settings was changed, and does when that is put back")
    func changedByte() throws {
        let sources = RootKeySources(chip)
        #expect(open(sources).add("anna", "secret") == .done)
        let settings = try store.bytes(of: Self.name)
        for index in settings.indices {
            var changed = settings
            changed[index] ^= 1
            try store.write(changed, to: Self.name)
            let failure = open(sources).failure()
            #expect(failure?.status == .notAvailable, "byte \(index)")
            #expect(failure?.reason.contains(store.file(Self.name)) ?? false, "byte \(index)")
        }
        try store.write(settings, to: Self.name)
        #expect(open(sources).secret("anna") == .secret("secret"))
    }

    @Test("every keybag that follows is authenticated with the settings as well")
    func laterKeybags() throws {
        let (here, there) = (open(RootKeySources(chip)), open(RootKeySources(chip)))
        #expect(here.add("anna", "secret", with: ["pdmn": .string("dku")]) == .done)
        #expect(there.secret("anna") == .secret("secret"))
        try here.device.setPasscode(Self.passcode)
        #expect(there.secret("anna") == .secret("secret"))
        try here.device.changePasscode(from: Self.passcode, to: SecretBytes([9]))
        try there.device.unlock(passcode: SecretBytes([9]))
        try there.device.removePasscode(SecretBytes([9]))
        #expect(open(RootKeySources(chip)).secret("anna") == .secret("secret"))
        let other = try RootKeySettings(.tpm, chip.newParameters())
        try store.write(other.bytes, to: Self.name)
        try expectRefusal(RootKeySources(chip))
    }

    // MARK: Replacements

    @Test("a store gets settings with a root key that has some, and loses them with it", arguments: passcodes)
    func replacements(_ passcode: SecretBytes?) throws {
        let other = try Chip(.systemdCredential)
        let sources = RootKeySources(RootKeyFile(), chip, other)
        let (here, there) = (open(sources), open(sources))
        #expect(here.add("anna", "secret") == .done)
        if let passcode { try here.device.setPasscode(passcode) }
        var settings: Set<[UInt8]> = []
        let kinds: [RootKeyKind] = [.tpm, .software, .tpm, .systemdCredential, .software, .systemdCredential, .tpm]
        for kind in kinds {
            try here.maintenance.replaceRootKey(kind, passcode: passcode)
            #expect(try rootKeyFiles(of: store) == [kind == .software ? RootKeyFile.name : Self.name])
            #expect(try !here.maintenance.rootKeyStatus().isUnsettled)
            if kind != .software {
                let isOther = settings.insert(try store.bytes(of: Self.name)).inserted
                #expect(isOther)
            }
            for keychain in [here, there, open(sources)] {
                if let passcode { try keychain.device.unlock(passcode: passcode) }
                #expect(keychain.secret("anna") == .secret("secret"), "\(kind)")
                #expect(try keychain.check().isSound)
            }
        }
    }

    @Test("an open keychain follows its store to settings that it has after it had none")
    func followed() throws {
        let sources = RootKeySources(RootKeyFile(), chip)
        let (here, there) = (open(sources), open(sources))
        #expect(here.add("anna", "secret") == .done)
        try here.maintenance.replaceRootKey(.tpm, passcode: nil)
        #expect(there.secret("anna") == .secret("secret"))
        // The chip has one key, so that the other settings alone tell the two keybags apart.
        try here.maintenance.replaceRootKey(.software, passcode: nil)
        try here.maintenance.replaceRootKey(.tpm, passcode: nil)
        #expect(there.secret("anna") == .secret("secret"))
    }

    @Test("next settings count for the keybag that was made with them, and are put in place by the next opening")
    func unsettled() throws {
        let sources = RootKeySources(RootKeyFile(), chip)
        #expect(open(sources).add("anna", "secret") == .done)
        let rootKey = try store.bytes(of: RootKeyFile.name)
        try open(sources).maintenance.replaceRootKey(.tpm, passcode: nil)
        let settings = try store.bytes(of: Self.name)
        let next = "\(Self.name).\(RandomName.make())"
        let foreign = try RootKeySettings(.tpm, chip.newParameters()).bytes
        // As a process leaves it that was killed after the keybag was replaced, with what others left before.
        #expect(rename(store.file(Self.name), store.file(next)) == 0)
        try store.write(foreign, to: "\(Self.name).\(RandomName.make())")
        try store.write(Array("version".utf8), to: "\(Self.name).\(RandomName.make()).new")
        try store.write(rootKey, to: RootKeyFile.name)
        let location = KeychainLocation(path: store.path)
        #expect(try EmbeddedKeychain.hasRemains(at: location))
        #expect(open(sources).secret("anna") == .secret("secret"))
        #expect(try store.bytes(of: next) == settings, "without the mark of a replacement, the files stay as they are")
        try store.write([RootKeyKind.software.rawValue], to: ReplacementMark.fileName)
        #expect(open(sources).secret("anna") == .secret("secret"))
        #expect(try rootKeyFiles(of: store) == [Self.name])
        #expect(try store.bytes(of: Self.name) == settings)
        #expect(try !EmbeddedKeychain.hasRemains(at: location))
    }

    @Test("settings of a root key that the store did not get are removed, and the key in place stays")
    func abandoned() throws {
        let sources = RootKeySources(RootKeyFile(), chip)
        #expect(open(sources).add("anna", "secret") == .done)
        let rootKey = try store.bytes(of: RootKeyFile.name)
        try store.write(
            try RootKeySettings(.tpm, chip.newParameters()).bytes,
            to: "\(Self.name).\(RandomName.make())"
        )
        try store.write([RootKeyKind.software.rawValue], to: ReplacementMark.fileName)
        // Also by a program that cannot use them.
        #expect(store.open().secret("anna") == .secret("secret"))
        #expect(try rootKeyFiles(of: store) == [RootKeyFile.name])
        #expect(try store.bytes(of: RootKeyFile.name) == rootKey)
    }

    @Test("without room for settings the store keeps the root key that it has")
    func fullDisk() async {
        await #expect(processExitsWith: .success) {
            let store = try TestStore()
            #expect(store.open().add("anna", "secret") == .done)
            var device = DeviceOptions()
            device.rootKeys = RootKeySources(RootKeyFile(), try Chip())
            let keychain = EmbeddedKeychain(at: KeychainLocation(path: store.path), device: device)
            #expect(keychain.secret("anna") == .secret("secret"))
            #expect(ChildProcess.limitFileSize(to: 16))
            let refusal = #expect(throws: KeychainError.self) {
                try keychain.maintenance.replaceRootKey(.tpm, passcode: nil)
            }
            #expect(refusal?.status == .diskFull)
            let names = try store.contents().keys.filter { $0.hasPrefix("root") || $0.hasPrefix("replacement") }
            #expect(names == [RootKeyFile.name])
        }
    }

    // MARK: Keychains

    private func open(_ sources: RootKeySources, at store: TestStore? = nil) -> EmbeddedKeychain {
        var device = DeviceOptions()
        device.passwordWork = .minimum
        device.rootKeys = sources
        return EmbeddedKeychain(at: KeychainLocation(path: (store ?? self.store).path), device: device)
    }

    private func expectRefusal(
        _ sources: RootKeySources,
        _ sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let keychain = open(sources)
        let failure = try #require(keychain.failure())
        #expect(failure.status == .notAvailable, sourceLocation: sourceLocation)
        #expect(failure.reason.contains(store.file(Self.name)), "\(failure.reason)", sourceLocation: sourceLocation)
        #expect(keychain.secret("anna") == .failed(.notAvailable), sourceLocation: sourceLocation)
        #expect(keychain.add("bert", "secret") == .failed(.notAvailable), sourceLocation: sourceLocation)
    }

    /// The files of the folder, and what it has instead of the settings.
    private func files() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: store.path) where !name.hasSuffix("-shm") {
            files[name] = name == Self.name ? Data() : (try? Data(contentsOf: URL(fileURLWithPath: store.file(name))))
        }
        // For whoever tries to replace the root key.
        files["attempt.lock"] = nil
        return files
    }

    private func rootKeyFiles(of store: TestStore) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: store.path)
            .filter { $0.hasPrefix("root") || $0.hasPrefix("replacement") }.sorted()
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainStore
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainEngine

/// A store gets another root key, wherever that and the former one are kept: the states that a replacement can be in.
struct RootKeyReplacementTests: RootKeyReplacementScene {
    let store: TestStore

    init() throws { store = try TestStore() }

    @Test("a store gets another root key of its kind, and keeps all else that it has", arguments: passcodes)
    func rotation(_ passcode: SecretBytes?) throws {
        let keychain = open()
        try fill(keychain, passcode)
        let key = try keychain.enclave.makeKey(.p256, accessControl: .of(.whenUnlocked, .privateKeyUsage), context: nil)
        try keychain.device.setPolicy(DevicePolicy(autoLockAfterSeconds: 600, eraseAfterFailedAttempts: 7))
        let former = try store.bytes(of: "root.key")
        let keybag = try keychain.movedDevice().keybag
        for _ in 0..<3 {
            let present = try store.bytes(of: "root.key")
            try keychain.maintenance.replaceRootKey(passcode: passcode)
            #expect(try store.bytes(of: "root.key") != present)
            #expect(try fileNames == ["root.key"])
            for keychain in [keychain, open()] {
                if let passcode { try keychain.device.unlock(passcode: passcode) }
                #expect(keychain.secret("anna") == .secret("secret of anna"))
                #expect(try keychain.check().isSound)
                #expect(throws: Never.self) { try keychain.enclave.sign(key) }
                #expect(try keychain.device.status().policy.eraseAfterFailedAttempts == 7)
            }
        }
        var status = stat()
        #expect(stat(store.file("root.key"), &status) == 0 && status.st_mode & 0o777 == 0o600)
        // Neither in the store nor in its log.
        let code = Data(keybag.suffix(32))
        #expect(try !store.contents().values.contains { $0.range(of: code) != nil })
        try store.write(former, to: "root.key")
        #expect(open().failure()?.kind == .keys(.wrongRootKey))
    }

    @Test("without a passcode in the way the keychain is usable at once, and with one it is unlocked here alone")
    func lockStates() throws {
        let (here, there) = (open(), open())
        try fill(here, Self.passcode)
        try there.device.unlock(passcode: Self.passcode)
        #expect(there.secret("anna") == .secret("secret of anna"))
        let mark = try store.bytes(of: LockMark.fileName)
        try here.maintenance.replaceRootKey(passcode: Self.passcode)
        #expect(try store.bytes(of: LockMark.fileName) != mark)
        #expect(here.secret("anna") == .secret("secret of anna"))
        #expect(there.secret("anna") == .failed(.interactionNotAllowed))
        #expect(there.secret("always") == .secret("secret of always"))
        try there.device.unlock(passcode: Self.passcode)
        #expect(there.secret("anna") == .secret("secret of anna"))
    }

    @Test("the passcode is right in a program that was open before another one replaced the root key")
    func passcodeOfOthers() throws {
        let (here, there) = (open(), open())
        try fill(here, Self.passcode)
        try here.device.setPolicy(DevicePolicy(eraseAfterFailedAttempts: 1))
        // It reads before, and makes no other call than the unlock afterwards.
        #expect(there.secret("always") == .secret("secret of always"))
        try here.maintenance.replaceRootKey(passcode: Self.passcode)
        try there.device.unlock(passcode: Self.passcode)
        #expect(there.secret("anna") == .secret("secret of anna"))
        #expect(try there.device.status().failedAttempts == 0)
    }

    @Test("what a root key is replaced by depends on the one that the store has now, not on the one it was opened with")
    func presentKind() throws {
        let sources = RootKeySources(RootKeyFile(), try Chip())
        let (here, there) = (open(sources), open(sources))
        try fill(here, nil)
        #expect(try there.maintenance.rootKeyStatus().kind == .software)
        try here.maintenance.replaceRootKey(.tpm, passcode: nil)
        #expect(try there.maintenance.rootKeyStatus().kind == .tpm)
        // A chip has no other key for the store.
        #expect(throws: KeychainError.self) { try there.maintenance.replaceRootKey(passcode: nil) }
        #expect(try here.maintenance.rootKeyStatus().kind == .tpm)
    }

    @Test("a store gets a root key of another kind and one of the former kind again", arguments: passcodes)
    func otherKinds(_ passcode: SecretBytes?) throws {
        let chip = try Chip()
        let sources = RootKeySources(RootKeyFile(), chip)
        let keychain = open(sources)
        try fill(keychain, passcode)
        let former = try store.bytes(of: "root.key")
        #expect(try keychain.maintenance.rootKeyStatus().replacements == [.software, .tpm])
        try keychain.maintenance.replaceRootKey(.tpm, passcode: passcode)
        #expect(try fileNames == [RootKeySettings.fileName])
        let status = try keychain.maintenance.rootKeyStatus()
        // A chip has one key for whatever store.
        #expect(status == RootKeyStatus(kind: .tpm, replacements: [.software]))
        #expect(open().failure()?.kind == .keys(.unsupportedRootKey))
        #expect(open(RootKeySources(try Chip(), RootKeyFile())).failure()?.kind == .keys(.wrongRootKey))
        try expectWhole(open(RootKeySources(chip)), passcode)

        let refusal = #expect(throws: KeychainError.self) {
            try keychain.maintenance.replaceRootKey(passcode: passcode)
        }
        #expect(refusal?.kind == .keys(.unsupportedRootKey))
        try keychain.maintenance.replaceRootKey(.software, passcode: passcode)
        #expect(try fileNames == ["root.key"])
        #expect(try store.bytes(of: "root.key") != former)
        try expectWhole(open(), passcode)
    }

    @Test(
        "keys of a source that keeps none in files are replaced, and the former one is destroyed",
        arguments: passcodes
    )
    func otherSource(_ passcode: SecretBytes?) throws {
        let (safe, chip) = (Safe(), try Chip())
        let keychain = open(RootKeySources(safe, chip))
        try fill(keychain, passcode)
        let first = safe.keys.withLock(\.self)
        try keychain.maintenance.replaceRootKey(passcode: passcode)
        let second = safe.keys.withLock(\.self)
        #expect(second.keys.sorted() == [Safe.inPlace] && second != first)
        try expectWhole(open(RootKeySources(safe)), passcode)
        #expect(try keychain.maintenance.rootKeyStatus().path == nil)
        try keychain.maintenance.replaceRootKey(.tpm, passcode: passcode)
        let left = safe.keys.withLock(\.self)
        #expect(left.isEmpty)
        try expectWhole(open(RootKeySources(chip)), passcode)
        #expect(try fileNames == [RootKeySettings.fileName])
    }

    @Test("a wrong passcode, none, and one too many change nothing; a wrong one is counted")
    func wrongPasscodes() throws {
        let keychain = open()
        try fill(keychain, nil)
        let former = try store.bytes(of: "root.key")
        func refusal(_ passcode: SecretBytes?) -> KeychainError? {
            #expect(throws: KeychainError.self) { try keychain.maintenance.replaceRootKey(passcode: passcode) }
        }
        #expect(refusal(Self.passcode)?.kind == .device(.noPasscode))
        try keychain.device.setPasscode(Self.passcode)
        #expect(keychain.add("with passcode", "secret", with: ["pdmn": .string("akpu")]) == .done)
        #expect(refusal(nil)?.status == .authenticationFailed)
        #expect(try keychain.device.status().failedAttempts == 0)
        #expect(refusal(SecretBytes([9]))?.status == .authenticationFailed)
        #expect(try keychain.device.status().failedAttempts == 1)
        #expect(try store.bytes(of: "root.key") == former)
        #expect(try fileNames == ["root.key"])
        try keychain.maintenance.replaceRootKey(passcode: Self.passcode)
        #expect(try keychain.device.status().failedAttempts == 0)
        try expectWhole(open(), Self.passcode)
    }

    @Test("a kind that no source keeps, a keychain in memory and one that is not there yet are refused")
    func refused() throws {
        let missing = #expect(throws: KeychainError.self) {
            try open().maintenance.replaceRootKey(passcode: nil)
        }
        #expect(missing?.status == .notAvailable)
        #expect(try open().maintenance.rootKeyStatus() == RootKeyStatus())
        #expect(access(store.path, F_OK) != 0)
        let memory = EmbeddedKeychain.inMemory()
        #expect(memory.add("anna", "secret") == .done)
        #expect(throws: KeychainError.self) { try memory.maintenance.replaceRootKey(passcode: nil) }
        #expect(try memory.maintenance.rootKeyStatus() == RootKeyStatus())

        let keychain = open()
        try fill(keychain, nil)
        let before = try contents
        for kind in [.tpm, .systemdCredential, .published, RootKeyKind(rawValue: 99)] as [RootKeyKind] {
            let refusal = #expect(throws: KeychainError.self) {
                try keychain.maintenance.replaceRootKey(kind, passcode: nil)
            }
            #expect(refusal?.status == .notAvailable && refusal?.kind == .keys(.unsupportedRootKey))
        }
        #expect(try contents == before)
        #expect(
            try keychain.maintenance.rootKeyStatus()
                == RootKeyStatus(kind: .software, path: store.file("root.key"), replacements: [.software])
        )
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// `keychainctl backup`.
struct BackupCommandTests {
    private static let report = BackupReport(
        items: 12,
        leftOut: [.whenPasscodeSetThisDeviceOnly: 1, .whenUnlockedThisDeviceOnly: 3, .alwaysThisDeviceOnly: 0],
        damaged: 2
    )

    private func secret(_ text: String) -> SecretBytes { SecretBytes(Array(text.utf8)) }

    @Test("what stayed behind is reported by Apple's names of the levels")
    func create() throws {
        let keychain = BackupKeychain(device: FakeDevice(passcode: "1234"), report: Self.report)
        var control = Control(keychain)
        control.answers = [.typed("1234"), .typed("of the backup")]
        let outcome = try control.run(["backup", "create", "/tmp/file"])
        #expect(
            outcome
                == Control.Outcome(
                    status: 0,
                    output: """
                        Wrote 12 items to /tmp/file.
                        Not in the backup, because they must not leave their device:
                            kSecAttrAccessibleWhenUnlockedThisDeviceOnly: 3 items
                            kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: 1 item
                        Not in the backup, because of damage: 2 items
                        """,
                    prompts: [.passcode, .newApplicationPassword]
                )
        )
        #expect(keychain.backups == [.init(path: "/tmp/file", secret: secret("of the backup"))])
    }

    @Test("without a passcode only the secret is asked for, and a whole backup is one line")
    func whole() throws {
        var control = Control(
            BackupKeychain(device: FakeDevice(), report: BackupReport(items: 1, leftOut: [:], damaged: 0))
        )
        control.answers = [.typed("secret")]
        let created = try control.run(["backup", "create", "file"])
        #expect(created.output == "Wrote 1 item to file.")
        #expect(created.prompts == [.newApplicationPassword])
    }

    @Test("a restore asks for the secret alone, and says that no passcode is set")
    func restored() throws {
        let scene = try BackupScene()
        try scene.add("anna", "of anna")
        _ = try scene.create()
        var control = try scene.other("target").control
        control.answers = [.typed(BackupScene.secret)]
        let restored = try control.run(["backup", "restore", scene.backup])
        #expect(restored.output == "Restored 1 item from \(scene.backup). No passcode is set.")
        #expect(restored.prompts == [.applicationPassword])
    }

    @Test("a relative path is one of the current folder")
    func path() throws {
        let keychain = BackupKeychain(device: FakeDevice())
        var control = Control(keychain)
        control.answers = [.typed("secret")]
        _ = try control.run(["backup", "create", "file"])
        #expect(keychain.backups.map(\.path) == ["\(FileManager.default.currentDirectoryPath)/file"])
    }

    @Test("passcode and secret may be lines of standard input, in this order")
    func lines() throws {
        let keychain = BackupKeychain(device: FakeDevice(passcode: "1234"))
        var control = Control(keychain)
        control.input = "1234\nof the backup\n"
        let outcome = try control.run(["backup", "create", "/f", "--passcode-stdin", "--secret-stdin"])
        #expect(outcome.status == 0)
        #expect(keychain.backups.map(\.secret) == [secret("of the backup")])
    }

    @Test("a wrong passcode writes nothing, and asks for no secret")
    func wrongPasscode() throws {
        let keychain = BackupKeychain(device: FakeDevice(passcode: "1234"))
        var control = Control(keychain)
        control.answers = [.typed("0000"), .typed("secret")]
        let outcome = try control.run(["backup", "create", "/f"])
        #expect(outcome.status == 1)
        #expect(outcome.prompts == [.passcode])
        #expect(keychain.backups.isEmpty)
    }

    @Test("what fails is exit status 1 and its reason")
    func failure() throws {
        let error = KeychainError(.notAvailable, "a file is there already")
        var control = Control(BackupKeychain(device: FakeDevice(), backupError: error))
        control.answers = [.typed("secret")]
        let outcome = try control.run(["backup", "create", "/f"])
        #expect(outcome.status == 1)
        #expect(outcome.error.contains("a file is there already"))
    }
}

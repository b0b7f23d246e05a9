// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainMacFrontEnd
import KeychainRouting
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// `keychainctl check` and `keychainctl repair`, on a keychain in a folder.
struct DamageCommandTests {
    private let folder: TemporaryFolder
    private let location: KeychainLocation

    init() throws {
        folder = try TemporaryFolder()
        location = KeychainLocation(path: folder.path(of: "keychain"))
    }

    private func add(_ accounts: [String]) throws {
        let keychain = EmbeddedKeychain(at: location)
        for account in accounts {
            let item: PropertyDictionary = [
                "class": .string("genp"), "acct": .string(account), "v_Data": .data(SecretBytes([1, 2, 3])),
            ]
            _ = try keychain.perform(KeychainRequest(.add(item), client: Client(accessGroups: ["group"])))
        }
    }

    private func damage(_ sql: String) throws {
        let raw = try RawStore(path: "\(location.path)/keychain.db")
        try raw.execute(sql)
        try raw.checkpoint()
    }

    private var control: Control {
        get throws {
            let parts = ProcessKeychain.Parts(storeAt: location, authenticator: NoAuthenticator())
            var control = Control(RoutedKeychain(parts))
            control.service = KeychainService(parts, manager: nil)
            return control
        }
    }

    @Test("a sound keychain is 0, as text and as JSON")
    func sound() throws {
        try add(["anna", "bert"])
        let outcome = try control.run(["check"])
        #expect(outcome.status == 0 && outcome.output == "\(location.path): sound, 2 items", "\(outcome)")
        let json = try control.run(["check", "--json"]).output
        #expect(json.contains("\"verdict\" : \"sound\"") && json.contains("\"intactRows\" : 2"))
        let repair = try control.run(["repair", "--yes"])
        #expect(repair.status == 0 && repair.output == "nothing to repair: 2 items")
    }

    @Test("damage is 1 and says what can be had back; a repair says where the former keychain is, and how to go back")
    func damaged() throws {
        try add(["anna", "bert", "carl"])
        try damage(
            "UPDATE items_genp SET damage = 1 WHERE id = 1; UPDATE items_genp SET secret = randomblob(60) WHERE id = 2"
        )
        let check = try control.run(["check"])
        #expect(check.status == 1)
        #expect(check.output.contains("lost: genp acct=\"bert\""), "\(check.output)")
        #expect(check.output.contains("can be had back: genp"))
        #expect(check.output.contains("'keychainctl repair --dry-run'") && check.output.contains("backup list"))
        let plan = try control.run(["repair", "--dry-run"])
        #expect(plan.status == 1 && plan.output.hasSuffix("nothing was changed"))
        var refusing = try control
        refusing.confirmation = false
        let refused = try refusing.run(["repair"])
        #expect(
            refused.status == 1 && refused.remarks.contains("bert") && refused.output.contains("nothing was changed")
        )
        let repair = try control.run(["repair", "--yes"])
        #expect(repair.status == 0, "\(repair)")
        let kept = try #require(repair.output.firstMatch(of: /\/keychain\.db\.damaged-[0-9TZ]+/)).output
        #expect(FileManager.default.fileExists(atPath: "\(location.path)\(kept)"))
        #expect(repair.output.contains("    mv \(location.path)\(kept) \(location.path)/keychain.db"))
        let after = try control.run(["check"])
        #expect(after.status == 0 && after.output.contains("sound, 2 items"), "\(after.output)")
    }

    @Test("a lost root key and a folder without a keychain are 4, and wrong usage is 2")
    func statuses() throws {
        for command in ["check", "repair"] {
            #expect(try control.run([command]).status == 4)
            #expect(try control.run([command, "--none"]).status == 2)
        }
        #expect(!FileManager.default.fileExists(atPath: location.path))
        try add(["anna"])
        unlink("\(location.path)/root.key")
        for command in ["check", "repair"] {
            let outcome = try control.run([command])
            #expect(outcome.status == 4 && outcome.output.contains("keychainctl recovery-key use"), "\(outcome)")
        }
    }

    @Test(
        "a FIFO in the place of a file is named by the commands, which do not wait for it",
        .timeLimit(.minutes(2)),
        arguments: ["keychain.db", "keychain.db-wal", "keychain.db-shm"]
    )
    func noFile(_ name: String) throws {
        try add(["anna"])
        unlink("\(location.path)/\(name)")
        #expect(mkfifo("\(location.path)/\(name)", 0o600) == 0)
        let check = try control.run(["check"])
        #expect(check.status == 4 && check.output.contains("\(name) is not a file"), "\(check)")
        for words in [["repair", "--dry-run"], ["repair", "--yes"]] {
            let repair = try control.run(words)
            #expect(repair.status == 4 && repair.remarks.contains("\(name) is not a file"), "\(repair)")
        }
    }

    @Test("a lock file that is a link is damage, and is named")
    func linkedLock() throws {
        try add(["anna"])
        let path = "\(location.path)/setup.lock"
        unlink(path)
        #expect(symlink(folder.path(of: "elsewhere"), path) == 0)
        let check = try control.run(["check"])
        #expect(check.status == 1 && check.output.contains("damage: \(path) is not a file"), "\(check)")
        let repair = try control.run(["repair", "--yes"])
        #expect(repair.status == 4 && repair.remarks.contains("setup.lock is not a file"), "\(repair)")
    }

    @Test("items behind a passcode are looked at on request, and the passcode is asked for only then")
    func locked() throws {
        try add(["anna"])
        try EmbeddedKeychain(at: location).device.setPasscode(SecretBytes(Array("1234".utf8)))
        var control = try control
        control.answers = [.typed("1234")]
        let locked = try control.run(["check"])
        #expect(locked.status == 0 && locked.prompts.isEmpty)
        #expect(locked.output.contains("1 item behind the passcode could not be looked at"))
        let unlocked = try control.run(["check", "--unlock"])
        #expect(unlocked.status == 0 && unlocked.prompts == [.passcode])
        #expect(unlocked.output.hasSuffix("sound, 1 item"))
    }

    @Test("keychain files of the search list are checked by their structure")
    func keychainFiles() throws {
        try add(["anna"])
        let (sound, damaged) = (folder.path(of: "sound.keychain"), folder.path(of: "damaged.keychain"))
        let image = try EmbeddedKeychain.newFile(password: SecretBytes([1]), device: DeviceOptions()).image()
        try Data(image).write(to: URL(fileURLWithPath: sound))
        try Data(image.dropLast(4_096)).write(to: URL(fileURLWithPath: damaged))
        var control = try control
        control.searchList = [sound]
        #expect(try control.run(["check"]).status == 0)
        control.searchList = [sound, damaged, folder.path(of: "none.keychain")]
        let outcome = try control.run(["check"])
        #expect(outcome.status == 1 && outcome.output.contains("damage: keychain file \(damaged)"))
        #expect(outcome.output.contains("none.keychain of the search list is not there"))
    }

    @Test("the login keychain of a stored search list is not missed without a file: its items are the keychain's")
    func loginKeychain() throws {
        try add(["anna"])
        let home = KeychainHome(path: folder.path)
        let preferences = KeychainPreferences(home: home).withDataProtection
        try preferences.setSearchList([home.loginKeychainPath, folder.path(of: "none.keychain")])
        let (status, output) = try ControlProcess.run(["keychainctl", "check"], folder)
        #expect(status == 0 && output.contains("none.keychain of the search list is not there"), "\(output)")
        #expect(!output.contains(home.loginKeychainPath), "\(output)")
    }

    @Test("a repair that is killed leaves a keychain with all of its items")
    func killed() throws {
        let accounts = (0..<20).map { "account \($0)" }
        try add(accounts)
        for round in 1...12 {
            try damage("DROP INDEX IF EXISTS items_genp_acct; UPDATE items_genp SET damage = 1 WHERE id = 5")
            let words = [
                "timeout", "-s", "KILL", "0.\(round < 10 ? "0" : "")\(round)", "keychainctl", "repair", "--yes",
            ]
            _ = try ControlProcess.run(words, folder)
            let report = try StoreCheck(at: location).run()
            #expect(report.obstacle == nil && !report.findings.contains { $0.part == .log }, "\(report.findings)")
            #expect(report.intactRows + report.damagedItems.count { $0.fate == .opens } == accounts.count)
        }
        let (status, output) = try ControlProcess.run(["keychainctl", "repair", "--yes"], folder)
        #expect(status == 0, "\(output)")
        #expect(try StoreCheck(at: location).run().intactRows == accounts.count)
    }

    @Test("control characters of attributes do not reach a terminal")
    func controlCharacters() throws {
        try add(["\u{1B}]0;title\u{7}anna"])
        try damage("UPDATE items_genp SET secret = randomblob(60)")
        let outcome = try control.run(["check"])
        #expect(outcome.output.contains("title") && !outcome.output.unicodeScalars.contains("\u{1B}"))
    }
}

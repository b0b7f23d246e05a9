// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainAuthenticators
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// Exports of what cannot be read now, and to where it cannot be written.
struct ExportObstacleTests {
    private var scene: ItemScene

    init() throws { scene = try ItemScene() }

    /// A keychain with a passcode, and a password under an access control beside an ordinary one.
    private func guarded(_ authenticator: ScriptedAuthenticator) throws -> ItemScene {
        var (device, scene) = (DeviceOptions.withNegligibleWork, scene)
        device.authenticator = authenticator
        scene.control = Control(EmbeddedKeychain.inMemory(device: device))
        try scene.control.keychain.device.setPasscode(SecretBytes(Array("1234".utf8)))
        let constraints = try #require(AccessConstraints(.userPresence))
        let control = AccessControl(protection: .whenUnlocked, constraints: constraints)
        try scene.add(
            .genericPassword,
            ["svce": .string("guarded"), "acct": .string("ada"), "accc": .accessControl(control)],
            secret: "hidden"
        )
        try scene.add(.genericPassword, ["svce": .string("open"), "acct": .string("ada")], secret: "open")
        return scene
    }

    @Test("a password under an access control asks, and of all is left out and named where nobody can be asked")
    func accessControl() throws {
        let authenticator = ScriptedAuthenticator { _ in .unavailable }
        let scene = try guarded(authenticator)
        let path = scene.folder.path(of: "all.json")
        let left = try scene.run("export", "--all", "--output", path)
        #expect(left.status == 1 && left.remarks.contains("guarded/ada: 'guarded/ada' is read with"), "\(left)")
        #expect(left.remarks.contains("Exported 1 password."))
        let text = String(decoding: try #require(FileManager.default.contents(atPath: path)), as: UTF8.self)
        #expect(text.contains("\"open\"") && !text.contains("hidden"))
        // One that is named is not left out.
        let named = try scene.run("export", "guarded/ada", "--output", scene.folder.path(of: "one.json"))
        #expect(named.status == 5 && access(scene.folder.path(of: "one.json"), F_OK) != 0, "\(named)")

        authenticator.setAnswer { _ in .secret(SecretBytes(Array("1234".utf8))) }
        #expect(try scene.run("export", "--all", "--replace", "--output", path).status == 0)
        let other = try guarded(authenticator)
        for name in ["guarded/ada", "open/ada"] { #expect(try other.run("delete", "--yes", name).status == 0) }
        let imported = try other.run("import", path)
        #expect(imported.status == 0 && imported.output.contains("Added 2 passwords"), "\(imported)")
        #expect(try other.run("show", "guarded/ada").output.contains("Read with:        the passcode or biometry"))
        #expect(try other.run("get", "guarded/ada").text == "hidden")
    }

    @Test("what is damaged is said, also where it was set aside before, and the others are exported")
    func damaged() throws {
        var scene = scene
        let location = KeychainLocation(path: scene.folder.path(of: "keychain"))
        scene.control.keychain = EmbeddedKeychain(at: location, device: .withNegligibleWork)
        for name in ["anna", "bert", "carl"] { #expect(try scene.run("set", "svc/\(name)", input: name).status == 0) }
        let raw = try RawStore(path: "\(location.path)/keychain.db")
        try raw.execute("UPDATE items_genp SET secret = zeroblob(length(secret)) WHERE id = 1")
        try raw.execute("UPDATE items_genp SET metadata = randomblob(length(metadata)) WHERE id = 2")
        for round in 1...2 {
            let path = scene.folder.path(of: "file\(round)")
            let outcome = try scene.run("export", "--all", "--output", path)
            #expect(outcome.status == 1 && outcome.remarks.contains("Exported 1 password."), "\(outcome)")
            #expect(outcome.remarks.contains(round == 1 ? "1 password: damaged" : "2 passwords: damaged"), "\(outcome)")
            if round == 1 { #expect(outcome.remarks.contains("svc/anna: "), "\(outcome)") }
            let text = String(decoding: try #require(FileManager.default.contents(atPath: path)), as: UTF8.self)
            #expect(text.contains("\"carl\"") && !text.contains("anna"))
        }
    }

    @Test("a locked keychain is status 5, and nothing is written, also where a part of it could be read")
    func locked() throws {
        try scene.add(.genericPassword, ["svce": .string("svc"), "acct": .string("ada"), "pdmn": .string("ak")])
        try scene.add(.genericPassword, ["svce": .string("first"), "acct": .string("ada"), "pdmn": .string("ck")])
        try scene.lock()
        let path = scene.folder.path(of: "file")
        for words in [["export", "--all"], ["export", "svc/ada"]] {
            let outcome = try scene.run(words + ["--output", path])
            #expect(outcome.status == 5 && outcome.error.contains("device unlock"), "\(outcome)")
            #expect(access(path, F_OK) != 0)
        }
    }

    @Test("a full disk, a limit of a file's size and a folder that is not there leave no part of a file")
    func noRoom() throws {
        let folder = scene.folder
        let (stored, said) = try ControlProcess.run(
            ["keychainctl", "set", "svc/ada"],
            folder,
            input: String(repeating: "x", count: 100_000)
        )
        #expect(stored == 0, "\(said)")
        func export(_ shell: String) throws -> (Int32, String) {
            try ControlProcess.run(["sh", "-c", shell, "sh", folder.path], folder)
        }
        let before = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        let (limited, limit) = try export("ulimit -f 100; exec keychainctl export --all --output \"$1/file\"")
        #expect(limited == 1 && limit.contains("cannot be written"), "\(limit)")
        let (full, reason) = try export("exec keychainctl export --all > /dev/full")
        #expect(full == 1 && reason.contains("standard output cannot be written: No space left"), "\(reason)")
        let (missing, text) = try export("exec keychainctl export --all --output \"$1/none/file\"")
        #expect(missing == 1 && text.contains("none"), "\(text)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == before)
        // Who reads no further is no reason to hang, or to leave anything.
        let (status, rest) = try export("keychainctl export --all | head -c 10")
        #expect(status == 0 && !rest.contains("Fatal"), "\(rest)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == before)
    }

    @Test(
        "a file is sealed for a recipient and opened again by age, and by nobody without the identity",
        .enabled(if: access("/usr/bin/age", X_OK) == 0)
    )
    func recipients() throws {
        let folder = scene.folder
        func shell(_ script: String) throws -> (Int32, String) {
            try ControlProcess.run(["sh", "-c", script, "sh", folder.path], folder)
        }
        let (made, log) = try shell("age-keygen -o \"$1/identity\" 2>&1 && age-keygen -o \"$1/other\" 2>&1")
        #expect(made == 0, "\(log)")
        let (stored, _) = try ControlProcess.run(["keychainctl", "set", "svc/ada"], folder, input: "hunter2")
        #expect(stored == 0)
        let (sealed, said) = try shell(
            "keychainctl export --all --age-recipient \"$(age-keygen -y \"$1/identity\")\" --output \"$1/file.age\""
        )
        #expect(sealed == 0 && said.contains("Exported 1 password."), "\(said)")
        let contents = try #require(FileManager.default.contents(atPath: folder.path(of: "file.age")))
        #expect(contents.starts(with: Data("age-encryption.org/v1\n-> X25519 ".utf8)))
        #expect(contents.firstRange(of: Data("hunter2".utf8)) == nil)
        let (deleted, _) = try ControlProcess.run(["keychainctl", "delete", "--yes", "svc/ada"], folder)
        #expect(deleted == 0)
        let (wrong, reason) = try shell("keychainctl import \"$1/file.age\" --age-identity \"$1/other\"")
        #expect(wrong == 1 && reason.contains("'age' failed"), "\(reason)")
        let (without, hint) = try shell("keychainctl import \"$1/file.age\"")
        #expect(without == 1 && hint.contains("--age-identity"), "\(hint)")
        let (opened, output) = try shell("keychainctl import \"$1/file.age\" --age-identity \"$1/identity\"")
        #expect(opened == 0 && output.contains("Added 1 password"), "\(output)")
        let (got, secret) = try ControlProcess.run(["keychainctl", "get", "svc/ada"], folder)
        #expect(got == 0 && secret == "hunter2")
    }

    @Test(
        "age opens what a passphrase seals here, and gpg what is written for pass",
        .enabled(if: access("/usr/bin/gpg", X_OK) == 0)
    )
    func pass() throws {
        let folder = scene.folder
        func shell(_ script: String) throws -> (Int32, String) {
            let home = "GNUPGHOME=\"$1/gnupg\"; export GNUPGHOME; "
            return try ControlProcess.run(["sh", "-c", home + script, "sh", folder.path], folder)
        }
        defer { _ = try? shell("gpgconf --kill gpg-agent") }
        let (made, log) = try shell(
            "mkdir -m 700 \"$GNUPGHOME\" && "
                + "gpg --batch --quiet --passphrase '' --quick-generate-key ada default default never"
        )
        #expect(made == 0, "\(log)")
        let (stored, _) = try ControlProcess.run(
            ["keychainctl", "set", "web/ada", "--comment", "PIN 1"],
            folder,
            input: "hunter2"
        )
        #expect(stored == 0)
        let (unknown, why) = try shell(
            "keychainctl export --all --format pass --gpg-recipient nobody --output \"$1/none\""
        )
        #expect(unknown == 1 && why.contains("'gpg' failed"), "\(why)")
        let (written, said) = try shell(
            "keychainctl export --all --format pass --gpg-recipient ada --output \"$1/store\""
        )
        #expect(written == 0, "\(said)")
        let (read, text) = try shell("gpg --batch --quiet --decrypt \"$1/store/web/ada.gpg\"")
        #expect(read == 0 && text.contains("hunter2\nPIN 1\n"), "\(text)")
        let (imported, output) = try shell("keychainctl import \"$1/store\"")
        #expect(imported == 1 && output.contains("web/ada (web/ada): label"), "\(output)")
        let (kept, again) = try shell("keychainctl delete --yes web/ada && keychainctl import \"$1/store\"")
        #expect(kept == 0 && again.contains("Added 1 password (pass)"), "\(again)")
    }
}

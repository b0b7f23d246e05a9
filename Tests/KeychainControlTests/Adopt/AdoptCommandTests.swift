// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainEngine
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// What `keychainctl adopt` leaves alone, replaces and brings back.
struct AdoptCommandTests {
    private let netrc = "machine a.example login ada password s3cr3t-1\n"

    private func set(_ scene: AdoptScene, _ secret: String) throws {
        var control = scene.helpers.control
        control.input = secret
        let words = ["set", "--class", "internet", "--protocol", "https", "a.example/ada"]
        let outcome = try control.run(words)
        try #require(outcome.status == 0, "\(outcome.error)")
    }

    private func value(_ scene: AdoptScene) throws -> [String] {
        try scene.secrets(.internetPassword, ["srvr": .string("a.example")])
    }

    @Test("without a terminal and without --yes, it shows what is there, and changes nothing")
    func noTerminal() throws {
        let scene = try AdoptScene()
        try scene.helpers.write(".netrc", netrc)
        let outcome = try scene.run("netrc")
        #expect(outcome.status == 1 && outcome.error.contains("--yes") && outcome.output.contains("ada at a.example"))
        #expect(try scene.helpers.text(".netrc") == netrc && scene.count() == 0)
    }

    @Test("no to the question changes nothing")
    func refusedQuestion() throws {
        var scene = try AdoptScene()
        scene.helpers.control.confirmation = false
        try scene.helpers.write(".netrc", netrc)
        #expect(try scene.run("netrc").status == 1)
        #expect(try scene.helpers.text(".netrc") == netrc && scene.count() == 0)
    }

    @Test("another value in the keychain stays unless --replace, and comes back with --undo")
    func replace() throws {
        let scene = try AdoptScene()
        try scene.helpers.write(".netrc", netrc)
        try set(scene, "former")
        let refused = try scene.run("--yes", "netrc")
        #expect(refused.status == 1 && refused.output.contains("--replace"))
        #expect(try scene.helpers.text(".netrc") == netrc && value(scene) == ["former"])
        let replaced = try scene.run("--yes", "--replace", "netrc")
        #expect(replaced.status == 0)
        #expect(try value(scene) == ["s3cr3t-1"])
        #expect(try scene.run("--undo").status == 0)
        #expect(try scene.helpers.text(".netrc") == netrc && value(scene) == ["former"])
    }

    @Test("an item that was there with the same value stays after --undo")
    func present() throws {
        let scene = try AdoptScene()
        try scene.helpers.write(".netrc", netrc)
        try set(scene, "s3cr3t-1")
        #expect(try scene.run("--yes", "netrc").status == 0)
        #expect(try scene.run("--undo").status == 0)
        #expect(try value(scene) == ["s3cr3t-1"])
    }

    @Test("an item that somebody changed since keeps its value")
    func changedItem() throws {
        let scene = try AdoptScene()
        try scene.helpers.write(".netrc", netrc)
        #expect(try scene.run("--yes", "netrc").status == 0)
        try set(scene, "newer")
        #expect(try scene.run("--undo").status == 0)
        #expect(try scene.helpers.text(".netrc") == netrc && value(scene) == ["newer"])
    }

    @Test("a file that was changed since is left, and the difference has no secret")
    func changedFile() throws {
        let scene = try AdoptScene()
        try scene.helpers.write(".netrc", "\(netrc)machine b.example login u account z\n")
        #expect(try scene.run("--yes", "netrc").status == 0)
        let changed = "machine b.example login u account z\nmachine c.example login u password s3cr3t-2\ns3cr3t-3 x\n"
        try scene.helpers.write(".netrc", changed)
        let outcome = try scene.run("--undo")
        #expect(outcome.status == 1 && outcome.remarks.contains("+ line 2: machine (hidden, 43 bytes)"))
        #expect(!outcome.remarks.contains("s3cr3t"))
        #expect(try scene.helpers.text(".netrc") == changed && value(scene) == ["s3cr3t-1"])
        try scene.helpers.write(".netrc", "machine b.example login u account z\n")
        #expect(try scene.run("--undo").status == 0)
        #expect(try value(scene).isEmpty)
    }

    @Test("files of one name have a copy each, and an item of both stays until the last one is undone")
    func sharedItem() throws {
        let scene = try AdoptScene()
        for name in ["one/.netrc", "two/.netrc"] { try scene.helpers.write(name, netrc + "# \(name)\n") }
        #expect(try scene.run("--yes", scene.path("one/.netrc"), scene.path("two/.netrc")).status == 0)
        #expect(try scene.run("--list").output.contains("one/.netrc"))
        #expect(try scene.run("--undo", scene.path("one/.netrc")).status == 0)
        #expect(try value(scene) == ["s3cr3t-1"])
        #expect(
            scene.helpers.text("one/.netrc") == netrc + "# one/.netrc\n"
                && scene.helpers.text("two/.netrc") == "# two/.netrc\n"
        )
        #expect(try scene.run("--undo", scene.path("two/.netrc")).status == 0)
        #expect(try scene.helpers.text("two/.netrc") == netrc + "# two/.netrc\n" && scene.count() == 0)
    }

    @Test("what a program wrote again is moved again, and both moves are undone one after the other")
    func twice() throws {
        let scene = try AdoptScene()
        let first = "# x\n//a.example/:_authToken=s3cr3t-1\n"
        try scene.helpers.write(".npmrc", first)
        #expect(try scene.run("--yes", "npm").status == 0)
        let second = (scene.helpers.text(".npmrc") ?? "") + "//b.example/:_authToken=s3cr3t-2\n"
        try scene.helpers.write(".npmrc", second)
        #expect(try scene.run("--yes", "npm").status == 0)
        let undone = try scene.run("--undo")
        #expect(undone.status == 0 && undone.remarks.contains("changed between"))
        #expect(scene.helpers.text(".npmrc") == second)
        #expect(try scene.secrets(.genericPassword, ["svce": .string("npm://a.example/")]) == ["s3cr3t-1"])
    }

    @Test("a configuration that was changed since loses the lines of the helper only")
    func changedConfiguration() throws {
        let scene = try AdoptScene()
        try scene.helpers.write(".git-credentials", "https://ada:s3cr3t-1@a.example\n")
        try scene.helpers.write(".gitconfig", "[user]\n\tname = A\n")
        #expect(try scene.run("--yes", "git").status == 0)
        try scene.helpers.write(".gitconfig", (scene.helpers.text(".gitconfig") ?? "") + "[core]\n\tpager = cat\n")
        #expect(try scene.run("--undo", "git").status == 0)
        #expect(scene.helpers.text(".gitconfig") == "[user]\n\tname = A\n[core]\n\tpager = cat\n")
        #expect(try scene.helpers.text(".git-credentials") == "https://ada:s3cr3t-1@a.example\n" && scene.count() == 0)
    }

    @Test("a locked keychain is told before anything is changed")
    func locked() throws {
        let scene = try AdoptScene()
        try scene.helpers.write(".netrc", netrc)
        let device = scene.helpers.control.keychain.device
        try device.setPasscode(SecretBytes(Array("1234".utf8)))
        try device.lock()
        let outcome = try scene.run("--yes", "netrc")
        #expect(outcome.status == 5 && scene.helpers.text(".netrc") == netrc)
    }

    @Test(
        "links, second names, pipes and large files are left alone, and said",
        arguments: ["link", "second", "pipe", "large"]
    )
    func leftAlone(_ kind: String) throws {
        let scene = try AdoptScene()
        try scene.helpers.write("file", kind == "large" ? String(repeating: netrc, count: 30_000) : netrc)
        let made =
            switch kind {
            case "link": symlink(scene.path("file"), scene.path(".netrc"))
            case "pipe": mkfifo(scene.path(".netrc"), 0o600)
            case "large": rename(scene.path("file"), scene.path(".netrc"))
            default: link(scene.path("file"), scene.path(".netrc"))
            }
        try #require(made == 0)
        let outcome = try scene.run("--yes", scene.path(".netrc"))
        #expect(outcome.status == 1 && outcome.remarks.contains("Left alone"))
        #expect(try scene.count() == 0)
    }

    @Test("where the helper is not installed, nothing is moved to it")
    func noHelper() throws {
        var scene = try AdoptScene()
        scene.helpers.control.helperFolder = "/nonexistent"
        try scene.helpers.write(".git-credentials", "https://ada:s3cr3t-1@a.example\n")
        let outcome = try scene.run("--yes", "git")
        #expect(outcome.remarks.contains("Left alone"))
        #expect(try scene.helpers.text(".git-credentials")?.contains("s3cr3t-1") == true && scene.count() == 0)
    }

    @Test("one of two passwords for a place that has another value keeps all of git's file")
    func whole() throws {
        let scene = try AdoptScene()
        let text = "https://ada:s3cr3t-1@a.example\nhttps://bob:s3cr3t-2@b.example\n"
        try scene.helpers.write(".git-credentials", text)
        try set(scene, "former")
        #expect(try scene.run("--yes", "git").status == 1)
        #expect(scene.helpers.text(".git-credentials") == text)
    }

    @Test("what was stored by a run that was ended is not taken for what was there before")
    func ended() throws {
        let scene = try AdoptScene()
        try scene.helpers.write(".netrc", netrc)
        let before = scene.state(".netrc")
        #expect(try scene.run("--yes", "netrc").status == 0)
        // As if it had ended before the file was replaced.
        try scene.helpers.write(".netrc", netrc)
        #expect(try scene.run("--yes", "netrc").status == 0)
        #expect(scene.helpers.text(".netrc")?.isEmpty == true)
        #expect(try scene.run("--undo").status == 0)
        #expect(try scene.state(".netrc").bytes == before.bytes && scene.count() == 0)
    }

    @Test("a file that another program changes meanwhile is left, and nothing is kept for it")
    func changedMeanwhile() throws {
        let scene = try AdoptScene()
        try scene.helpers.write(".netrc", netrc)
        let other = "\(netrc)machine b.example login u password s3cr3t-2\n"
        var control = scene.helpers.control
        control.keychain = ChangingKeychain(control.keychain) { try scene.helpers.write(".netrc", other) }
        let outcome = try control.run(["adopt", "--yes", "netrc"])
        #expect(outcome.status == 1 && outcome.error.contains("changed by another program"))
        #expect(try scene.helpers.text(".netrc") == other && scene.count() == 0)
    }

    /// A keychain in which something is done before an internet password is added.
    private final class ChangingKeychain: KeychainBackend {
        private let keychain: any KeychainBackend
        private let change: @Sendable () throws -> Void
        let families = CommandFamily.all

        init(_ keychain: any KeychainBackend, _ change: @escaping @Sendable () throws -> Void) {
            (self.keychain, self.change) = (keychain, change)
        }

        func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
            if case .items(let request) = command, case .add(let item) = request.operation,
                item[PropertyKey.itemClass] == .string(ItemClass.internetPassword.rawValue)
            {
                do { try change() } catch { throw KeychainError(.notAvailable, "the test cannot write") }
            }
            return try keychain.carryOut(command)
        }
    }

    @Test(
        "root in the home of another user changes nothing there",
        .enabled(if: geteuid() == 0, "only root changes what others have"),
        arguments: ["home", "file"]
    )
    func root(_ foreign: String) throws {
        let scene = try AdoptScene()
        try scene.helpers.write(".netrc", netrc)
        try #require(chown(foreign == "home" ? scene.home : scene.path(".netrc"), 65_534, 65_534) == 0)
        let outcome = try scene.run("--yes", scene.path(".netrc"))
        #expect(outcome.status == 1 && outcome.remarks.contains("belongs to another user"), "\(outcome)")
        #expect(try scene.helpers.text(".netrc") == netrc && scene.count() == 0)
        let named = try scene.run("--yes", "netrc")
        #expect(named.remarks.contains("belongs to another user"), "\(named)")
        #expect(try scene.helpers.text(".netrc") == netrc && scene.count() == 0)
    }

    @Test("JSON has the same, without secrets")
    func json() throws {
        let scene = try AdoptScene()
        try scene.helpers.write(".netrc", netrc)
        let outcome = try scene.run("--json", "--dry-run", "netrc")
        let value = try JSONParser.parse(Array(outcome.output.utf8))
        let file = try #require(value["files"].elements?.first)
        #expect(file["kind"].string == "netrc" && file["secrets"].elements?.first?["state"].string == "new")
        #expect(!outcome.output.contains("s3cr3t"))
    }

    @Test("what is neither a kind nor a file of a known name is wrong usage")
    func unknown() throws {
        let scene = try AdoptScene()
        #expect(try scene.run("--yes", "/etc/hostname").status == 2)
        #expect(try scene.run("--undo", "--list").status == 64 || scene.run("--undo", "--list").status == 2)
        #expect(try scene.run("--undo", scene.path(".netrc")).status == 3)
    }
}

// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import Foundation
import Glibc
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// `keychainctl helper`: the configuration of other programs.
struct HelperCommandTests {
    private let scene: HelperScene

    init() throws { scene = try HelperScene() }

    /// A program with its options, its file, and what is in it before.
    private static let files: [(String, String, String, String)] = [
        ("git", ".gitconfig", "[user]\n\tname = A\n[credential]\n\thelper = store\n", "git-credential-keychain\n"),
        ("git", ".gitconfig", "[user]\r\n\tname = A\r\n", "git-credential-keychain\n"),
        ("pip", ".config/pip/pip.conf", "[global]\r\ntimeout = 5\r\n", "keyring-provider = subprocess\n"),
        ("git", ".gitconfig", "[user]\n\tname = A", "git-credential-keychain\n"),
        ("docker", ".docker/config.json", "{\n  \"credsStore\": \"desktop\",\n  \"n\": 1.5\n}\n", "\"keychain\""),
        ("docker", ".docker/config.json", "{}\n", "\"keychain\""),
        ("docker", ".docker/config.json", "{ }\n", "\"keychain\""),
        ("docker", ".docker/config.json", "{\r\n\t\"a\" : [1.0, {}] ,\"b\":\"\\u0041\\\"}\"}\n", "\"keychain\""),
        (
            "docker", ".docker/config.json", "{\"n\":1.0,\"credsStore\" :\"x\" , \"big\": 10000000000000000000000}\n",
            "\"keychain\""
        ),
        ("cargo", ".cargo/config.toml", "[build]\njobs = 2\n", "cargo-credential-keychain\"]\n"),
        (
            "cargo", ".cargo/config.toml",
            "[registry] # ours\nglobal-credential-providers = [\"cargo:token\"]\ndefault = \"x\"\n[net]\n",
            "cargo-credential-keychain\"]\n"
        ),
        (
            "aws --profile work", ".aws/config",
            "[default]\nregion = a\n[profile  work]\ncredential_process=old\nregion = b\n\n[profile worker]\n",
            "keychain-aws work\n"
        ),
        ("aws --profile default", ".aws/config", "[profile work]\nregion = b\n", "keychain-aws default\n"),
        ("pip", ".config/pip/pip.conf", "[global]\ntimeout = 5\n", "keyring-provider = subprocess\n"),
    ]

    @Test("what is installed can be taken out again, and the file is as it was", arguments: files)
    func roundTrip(_ program: String, file: String, before: String, line: String) throws {
        try scene.write(file, before)
        let name = program.split(separator: " ")[0]
        #expect(try scene.run("status \(name)").output == "\(name): does not use the keychain")
        let installed = try scene.run("install \(program)")
        #expect(installed.status == 0 && installed.error.isEmpty)
        let after = try #require(scene.text(file))
        #expect(after.contains(line) && after != before)
        #expect(try scene.run("status \(name)").output == "\(name): uses the keychain")
        #expect(scene.text("\(file).before-keychainctl") == before)
        for path in [file, "\(file).before-keychainctl"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: scene.home.path(of: path))
            #expect(attributes[.posixPermissions] as? Int == 0o640)
        }
        #expect(try scene.run("install \(program)").output == "\(name): nothing to change.")
        #expect(scene.text(file) == after)
        #expect(try scene.run("install \(program) --undo").status == 0)
        #expect(scene.text(file) == before)
        #expect(try scene.run("install \(program) --undo").output == "\(name): nothing to change.")
    }

    @Test("a file that is not there is made, for its owner alone", arguments: ["git", "docker", "cargo", "pip", "ssh"])
    func newFile(_ program: String) throws {
        #expect(try scene.run("install \(program)").status == 0)
        #expect(try scene.run("status \(program)").output == "\(program): uses the keychain")
        let files = try FileManager.default.subpathsOfDirectory(atPath: scene.home.path).filter { name in
            !name.hasPrefix("programs")
                && (try? FileManager.default.contentsOfDirectory(atPath: scene.home.path(of: name))) == nil
        }
        let made = try #require(files.first { !$0.hasSuffix("/keyring") })
        let attributes = try FileManager.default.attributesOfItem(atPath: scene.home.path(of: made))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try scene.run("install \(program) --undo").status == 0)
        #expect(try scene.run("status \(program)").output == "\(program): does not use the keychain")
    }

    @Test("a dry run shows the lines and changes nothing")
    func dryRun() throws {
        try scene.write(".gitconfig", "[user]\n")
        let outcome = try scene.run("install git --dry-run")
        #expect(outcome.output.contains("  + \thelper = \(scene.home.path)/programs/git-credential-keychain"))
        #expect(outcome.output.hasSuffix("Nothing was changed."))
        #expect(scene.text(".gitconfig") == "[user]\n" && scene.text(".gitconfig.before-keychainctl") == nil)
        #expect(try scene.run("install pip ssh --dry-run").status == 0)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: scene.home.path).sorted() == [".gitconfig", "programs"]
        )
    }

    @Test(
        "a file that is a link, has another name, or is none, is left alone",
        arguments: ["symbolic", "hard", "folder"]
    )
    func links(_ kind: String) throws {
        try scene.write("elsewhere", "[user]\n")
        let path = scene.home.path(of: ".gitconfig")
        switch kind {
        case "symbolic": #expect(symlink("elsewhere", path) == 0)
        case "hard": #expect(link(scene.home.path(of: "elsewhere"), path) == 0)
        default: #expect(mkdir(path, 0o700) == 0)
        }
        let outcome = try scene.run("install git")
        #expect(outcome.status == 1 && outcome.error.contains("is a link, or not a file"))
        #expect(scene.text("elsewhere") == "[user]\n")
    }

    @Test("a file of another user is left alone", .enabled(if: geteuid() == 0))
    func foreign() throws {
        try scene.write(".gitconfig", "[user]\n")
        #expect(chown(scene.home.path(of: ".gitconfig"), 12_345, 12_345) == 0)
        let outcome = try scene.run("install git")
        #expect(outcome.status == 1 && outcome.error.contains("belongs to another user"))
        #expect(scene.text(".gitconfig") == "[user]\n")
    }

    @Test("a block that is there twice is taken out twice")
    func twoBlocks() throws {
        try scene.write(".gitconfig", "[user]\n")
        #expect(try scene.run("install git").status == 0)
        let installed = try #require(scene.text(".gitconfig"))
        try scene.write(".gitconfig", installed + installed)
        #expect(try scene.run("install git --undo").status == 0)
        #expect(scene.text(".gitconfig") == "[user]\n[user]\n")
    }

    @Test("a file whose program changes it at the moment is left alone", arguments: [".gitconfig", ".kube/config"])
    func lockFile(_ file: String) throws {
        let words = file == ".gitconfig" ? ["git"] : ["kubectl", "--profile", "admin"]
        let control = scene.fakeKubectl()
        let contents: [String?] = file == ".gitconfig" ? ["[user]\n", nil] : ["users: []\n"]
        for before in contents {
            unlink(scene.home.path(of: file))
            if let before { try scene.write(file, before) }
            try scene.write("\(file).lock", "")
            let outcome = try control.run(["helper", "install"] + words)
            #expect(outcome.status == 1 && outcome.error.contains("another program changes"), "\(outcome)")
            #expect(scene.text(file) == before && scene.text("\(file).lock")?.isEmpty == true)
            #expect(unlink(scene.home.path(of: "\(file).lock")) == 0)
            #expect(try control.run(["helper", "install"] + words).status == 0)
            #expect(scene.text(file) != before && scene.text("\(file).lock") == nil)
        }
    }

    @Test(
        "the superuser is refused the folders of another user, and where such a user's links lead",
        .enabled(if: geteuid() == 0)
    )
    func foreignHome() throws {
        let programs = ["git", "docker", "cargo", "aws --profile a", "pip", "ssh"]
        let own = scene.home.path(of: "programs")
        for name in [".docker", ".cargo", ".aws", ".config", ".local"] {
            #expect(symlink(own, scene.home.path(of: name)) == 0)
            #expect(lchown(scene.home.path(of: name), 12_345, 12_345) == 0)
        }
        let before = try FileManager.default.subpathsOfDirectory(atPath: scene.home.path).sorted()
        for isHome in [false, true] {
            if isHome { #expect(chown(scene.home.path, 12_345, 12_345) == 0) }
            for program in programs where isHome || program != "git" {
                let outcome = try scene.run("install \(program)")
                #expect(
                    outcome.status == 1 && outcome.error.contains("belongs to another user"),
                    "\(program) \(outcome)"
                )
            }
            #expect(try FileManager.default.subpathsOfDirectory(atPath: scene.home.path).sorted() == before)
        }
        #expect(chown(scene.home.path, 0, 0) == 0)
        #expect(try scene.run("install git").status == 0)
    }

    /// A program, its file and what is in it before, what another program writes there after a line of ours, and what
    /// is left in the end.
    private static let written: [(String, String, String, String, String)] = [
        (
            "git", ".gitconfig", "[user]\n", "\tuseHttpPath = true\n\tusername = ada",
            "[user]\n[credential]\n\tuseHttpPath = true\n\tusername = ada\n"
        ),
        (
            "git", ".gitconfig", "[user]\n", "\thelper = store", "[user]\n[credential]\n\thelper = store\n"
        ),
        (
            "pip", ".config/pip/pip.conf", "[global]\ntimeout = 5\n", "index-url = https://x",
            "[global]\nindex-url = https://x\ntimeout = 5\n"
        ),
        (
            "cargo", ".cargo/config.toml", "", "default = \"x\"", "[registry]\ndefault = \"x\"\n"
        ),
    ]

    @Test("what another program writes between the added lines stays, and hides nothing", arguments: written)
    func othersLines(_ program: String, file: String, before: String, other: String, left: String) throws {
        let end = "\n# keychainctl helper: end\n"
        for afterwards in ["\n\(other)\(end)", "\(end)\(other)\n"] {
            try scene.write(file, before)
            #expect(try scene.run("install \(program)").status == 0)
            let installed = try #require(scene.text(file))
            try scene.write(file, installed.replacingOccurrences(of: end, with: afterwards))
            // Another helper behind ours is named as well.
            #expect(try scene.run("status \(program)").output.hasPrefix("\(program): uses the keychain"))
            #expect(try scene.run("install \(program)").output == "\(program): nothing to change.")
            #expect(try scene.run("install \(program) --undo").status == 0)
            #expect(scene.text(file) == left)
            #expect(try scene.run("status \(program)").output == "\(program): does not use the keychain")
        }
    }

    @Test("lines whose comments another program dropped are told of, and left", arguments: ["git", "cargo", "pip"])
    func droppedComments(_ program: String) throws {
        #expect(try scene.run("install \(program)").status == 0)
        let file = try #require(
            [".gitconfig", ".cargo/config.toml", ".config/pip/pip.conf"].first { scene.text($0) != nil }
        )
        let dropped = try #require(scene.text(file)).split(separator: "\n").filter { !$0.hasPrefix("#") }
        try scene.write(file, dropped.joined(separator: "\n"))
        #expect(try scene.run("status \(program)").output == "\(program): uses the keychain")
        #expect(try scene.run("install \(program)").output == "\(program): nothing to change.")
        let undone = try scene.run("install \(program) --undo")
        #expect(undone.status == 0)
        #expect(undone.remarks.contains("\(scene.home.path(of: file)) still has '"), "\(undone)")
        #expect(undone.remarks.contains("take it out by hand"))
        #expect(scene.text(file) == dropped.joined(separator: "\n"))
    }

    @Test("what a process left that was killed while it made a file goes with the next one")
    func killedDraft() throws {
        let draft = ".swift-keychain.\(String(repeating: "0f", count: 16)).new"
        try scene.write(draft, "[credential]\n")
        #expect(try scene.run("install git").status == 0)
        #expect(try scene.names() == [".gitconfig", "programs"])
    }

    @Test("a helper that is not there, or whose path a shell would change, is not installed")
    func missing() throws {
        var control = scene.control
        control.helperFolder = scene.home.path(of: "none")
        let missing = try control.run(["helper", "install", "git"])
        #expect(
            missing.status == 1 && missing.error.contains("there is no \(scene.home.path)/none/git-credential-keychain")
        )
        #expect(rename(scene.home.path(of: "programs"), scene.home.path(of: "a b")) == 0)
        control.helperFolder = scene.home.path(of: "a b")
        let odd = try control.run(["helper", "install", "git"])
        #expect(odd.status == 1 && odd.error.contains("has characters"))
        #expect(scene.text(".gitconfig") == nil)
    }

    @Test(
        "a profile is needed where there are some, and is a plain name",
        arguments: [
            ("install aws", "--profile is needed"), ("install git --profile x", "git has no profiles"),
            ("install aws --profile=a]b", "letters, digits"), ("install aws --profile=-x", "letters, digits"),
            ("install kubectl", "--profile is needed"),
        ]
    )
    func profiles(_ line: String, _ reason: String) throws {
        let outcome = try scene.run(line)
        #expect(outcome.status == 1 && outcome.error.contains(reason))
    }

    @Test("pip finds the helper by a name of its own, which replaces no other program's")
    func keyringLink() throws {
        #expect(try scene.run("install pip").status == 0)
        let link = scene.home.path(of: ".local/bin/keyring")
        let target = try FileManager.default.destinationOfSymbolicLink(atPath: link)
        #expect(target == "\(scene.home.path)/programs/keychain-keyring")
        #expect(try scene.run("install pip --undo").status == 0)
        #expect(access(link, F_OK) != 0)
        try scene.write(".local/bin/keyring", "#!/bin/sh\n")
        let refused = try scene.run("install pip")
        #expect(refused.status == 1 && refused.error.contains("there is another"))
        #expect(scene.text(".local/bin/keyring") == "#!/bin/sh\n")
    }
}

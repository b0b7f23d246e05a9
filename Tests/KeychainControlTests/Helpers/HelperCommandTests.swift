// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import Foundation
import Glibc
import KeychainCore
import KeychainEngine
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// `keychainctl helper`: the configuration of other programs.
struct HelperCommandTests {
    private let home: TemporaryFolder
    private var control: Control

    init() throws {
        home = try TemporaryFolder()
        control = Control(EmbeddedKeychain.inMemory())
        control.environment = ["HOME": home.path, "PATH": "\(home.path)/programs"]
        control.helperFolder = "\(home.path)/programs"
        try FileManager.default.createDirectory(atPath: "\(home.path)/programs", withIntermediateDirectories: false)
        for name in HelperName.allCases {
            let made = FileManager.default.createFile(
                atPath: "\(home.path)/programs/\(name.rawValue)",
                contents: nil,
                attributes: [.posixPermissions: 0o755]
            )
            try #require(made)
        }
    }

    private func run(_ line: String) throws -> Control.Outcome {
        try control.run(["helper"] + line.split(separator: " ").map(String.init))
    }

    private func write(_ name: String, _ text: String, mode: Int = 0o640) throws {
        let path = home.path(of: name)
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let made = FileManager.default.createFile(
            atPath: path,
            contents: Data(text.utf8),
            attributes: [.posixPermissions: mode]
        )
        try #require(made)
    }

    private func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: home.path(of: name)).map { String(decoding: $0, as: UTF8.self) }
    }

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
        try write(file, before)
        let name = program.split(separator: " ")[0]
        #expect(try run("status \(name)").output == "\(name): does not use the keychain")
        let installed = try run("install \(program)")
        #expect(installed.status == 0 && installed.error.isEmpty)
        let after = try #require(text(file))
        #expect(after.contains(line) && after != before)
        #expect(try run("status \(name)").output == "\(name): uses the keychain")
        #expect(text("\(file).before-keychainctl") == before)
        for path in [file, "\(file).before-keychainctl"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: home.path(of: path))
            #expect(attributes[.posixPermissions] as? Int == 0o640)
        }
        #expect(try run("install \(program)").output == "\(name): nothing to change.")
        #expect(text(file) == after)
        #expect(try run("install \(program) --undo").status == 0)
        #expect(text(file) == (before.utf8.last == 0x0A ? before : before + "\n"))
        #expect(try run("install \(program) --undo").output == "\(name): nothing to change.")
    }

    @Test("a file that is not there is made, for its owner alone", arguments: ["git", "docker", "cargo", "pip", "ssh"])
    func newFile(_ program: String) throws {
        #expect(try run("install \(program)").status == 0)
        #expect(try run("status \(program)").output == "\(program): uses the keychain")
        let files = try FileManager.default.subpathsOfDirectory(atPath: home.path).filter { name in
            !name.hasPrefix("programs")
                && (try? FileManager.default.contentsOfDirectory(atPath: home.path(of: name))) == nil
        }
        let made = try #require(files.first { !$0.hasSuffix("/keyring") })
        let attributes = try FileManager.default.attributesOfItem(atPath: home.path(of: made))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try run("install \(program) --undo").status == 0)
        #expect(try run("status \(program)").output == "\(program): does not use the keychain")
    }

    @Test("a dry run shows the lines and changes nothing")
    func dryRun() throws {
        try write(".gitconfig", "[user]\n")
        let outcome = try run("install git --dry-run")
        #expect(outcome.output.contains("  + \thelper = \(home.path)/programs/git-credential-keychain"))
        #expect(outcome.output.hasSuffix("Nothing was changed."))
        #expect(text(".gitconfig") == "[user]\n" && text(".gitconfig.before-keychainctl") == nil)
        #expect(try run("install pip ssh --dry-run").status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.path).sorted() == [".gitconfig", "programs"])
    }

    @Test(
        "a file that is a link, has another name, or is none, is left alone",
        arguments: ["symbolic", "hard", "folder"]
    )
    func links(_ kind: String) throws {
        try write("elsewhere", "[user]\n")
        let path = home.path(of: ".gitconfig")
        switch kind {
        case "symbolic": #expect(symlink("elsewhere", path) == 0)
        case "hard": #expect(link(home.path(of: "elsewhere"), path) == 0)
        default: #expect(mkdir(path, 0o700) == 0)
        }
        let outcome = try run("install git")
        #expect(outcome.status == 1 && outcome.error.contains("is a link, or not a file"))
        #expect(text("elsewhere") == "[user]\n")
    }

    @Test("a file of another user is left alone", .enabled(if: geteuid() == 0))
    func foreign() throws {
        try write(".gitconfig", "[user]\n")
        #expect(chown(home.path(of: ".gitconfig"), 12_345, 12_345) == 0)
        let outcome = try run("install git")
        #expect(outcome.status == 1 && outcome.error.contains("belongs to another user"))
        #expect(text(".gitconfig") == "[user]\n")
    }

    /// A program, its file, what is in it, and why it is left alone.
    private static let refused: [(String, String, String, String)] = [
        (
            "cargo", ".cargo/config.toml", "[registry]\nglobal-credential-providers = [\n  \"a\",\n]\n",
            "over several lines"
        ),
        ("cargo", ".cargo/config.toml", "registry.default = \"x\"\n", "outside of a section"),
        ("cargo", ".cargo/config.toml", "registry = { default = \"x\" }\n", "outside of a section"),
        ("cargo", ".cargo/config.toml", "[net]\nx = \"\"\"\n[registry]\n\"\"\"\n", "texts of several lines"),
        ("cargo", ".cargo/config.toml", "[net]\nx = '''\n[registry]\n'''\n", "texts of several lines"),
        ("cargo", ".cargo/config.toml", "[\"registry\"]\ndefault = \"x\"\n", "in another way"),
        ("cargo", ".cargo/config.toml", "[registry]\n\"global-credential-providers\" = [\"z\"]\n", "in another way"),
        ("aws --profile work", ".aws/config", "[profile \"work\"]\nregion = x\n", "in another way"),
        ("aws --profile work", ".aws/config", "[profile work]\nCredential_Process = a\n", "in another way"),
        ("pip", ".config/pip/pip.conf", "[global]\nkeyring-provider: auto\n", "in another way"),
        ("pip", ".config/pip/pip.conf", "[global]\nkeyring-provider =\n  auto\n", "over several lines"),
        ("docker", ".docker/config.json", "{", "not JSON"),
        ("docker", ".docker/config.json", "[]", "not an object"),
        ("docker", ".docker/config.json", "{\"CredsStore\": \"x\"}", "in another way"),
        ("docker", ".docker/config.json", "{\"credsStore\": 1}", "not a text"),
        ("docker", ".docker/config.json", "{\"a\": 1, \"a\": 2}", "names twice"),
        ("git", ".gitconfig", "[user]\n\tname = \u{0}\n", "not text in UTF-8"),
        ("git", ".gitconfig", "# keychainctl helper: begin\n[user]\n", "is missing"),
        ("git", ".gitconfig", "[broken\n", "line 1 is not understood"),
        ("git", ".gitconfig", "[user]\n\tname = \"x\n", "line 2 is not understood"),
        ("git", ".gitconfig", "[user]\n\tname = x \\", "line 2 is not understood"),
        ("git", ".gitconfig", "[user]\n\tname = x \\\n", "line 2 is not understood"),
        ("git", ".gitconfig", "[user]\n\tname = \\d\n", "line 2 is not understood"),
        ("git", ".gitconfig", "[user \"a]\n", "line 1 is not understood"),
        ("git", ".gitconfig", "name_x = 1\n", "line 1 is not understood"),
        ("cargo", ".cargo/config.toml", "[[registry]]\n", "in another way"),
        ("cargo", ".cargo/config.toml", "[net]\n[broken", "line 2 is not understood"),
        (
            "cargo", ".cargo/config.toml", "[registry]\n\"global\\u002dcredential-providers\" = [\"a\"]\n",
            "line 2 is not understood"
        ),
        ("cargo", ".cargo/config.toml", "[net]\na = \"x\n", "line 2 is not understood"),
        ("cargo", ".cargo/config.toml", "[net]\na = [\n[1],\n]\n", "line 3 is not understood"),
        ("cargo", ".cargo/config.toml", "[net]\na = [\n", "line 3 is not understood"),
        ("cargo", ".cargo/config.toml", "[net]\na\n", "line 2 is not understood"),
        ("cargo", ".cargo/config.toml", "[registry]\n[net]\n[registry]\n", "is there twice"),
        ("aws --profile work", ".aws/config", "[profile work\nregion = x\n", "line 1 is not understood"),
        ("aws --profile work", ".aws/config", "[profile work]\n[profile work]\n", "is there twice"),
        ("aws --profile work", ".aws/config", "region = x\n", "line 1 is not understood"),
        ("pip", ".config/pip/pip.conf", "[global]\nkeyring_provider = import\n", "in another way"),
        ("pip", ".config/pip/pip.conf", "[global]\ntimeout\n", "line 2 is not understood"),
        (
            "git", ".gitconfig",
            "# keychainctl helper: begin\n[credential]\n\thelper =\n[user]\n\tname = x\n# keychainctl helper: end\n",
            "have been changed"
        ),
        (
            "git", ".gitconfig",
            "# keychainctl helper: begin\n# keychainctl helper: begin\n[credential]\n# keychainctl helper: end\n",
            "have been changed"
        ),
    ]

    @Test("a block that is there twice is taken out twice")
    func twoBlocks() throws {
        try write(".gitconfig", "[user]\n")
        #expect(try run("install git").status == 0)
        let installed = try #require(text(".gitconfig"))
        try write(".gitconfig", installed + installed)
        #expect(try run("install git --undo").status == 0)
        #expect(text(".gitconfig") == "[user]\n[user]\n")
    }

    @Test("what is not understood is left to its owner", arguments: refused)
    func refusals(_ program: String, file: String, before: String, reason: String) throws {
        try write(file, before)
        let outcome = try run("install \(program)")
        #expect(outcome.status == 1 && outcome.error.contains(reason), "\(outcome)")
        #expect(text(file) == before)
    }

    /// A program, its file, and something in it that it understands and that resembles what is refused.
    private static let understood: [(String, String, String)] = [
        ("git", ".gitconfig", "\u{FEFF}[user \"a \\\" ] b\"]\n\tname = \"a # b\" \\\n  c ; d\n\tflag\n[a.b-1] x=1\n"),
        ("git", ".gitconfig", "# \"\\\n[alias]\r\n\tx = \"!f() { \\\r\n\\\"[broken\\n; }; f\"\r\n"),
        (
            "cargo", ".cargo/config.toml",
            "a.\"b c\" = 1 # \"\n[[x.'y']] # z\nd = [ \"]\", # [\n  'a\\', { b = 1.5e-3, c = 2020-01-01 },\n]\n"
        ),
        (
            "pip", ".config/pip/pip.conf",
            "; c\n[global]\nindex-url: https://x\n  https://y\n\n[install]\nfind-links =\n  a\n"
        ),
    ]

    @Test("what is understood is changed, whatever form it has", arguments: understood)
    func forms(_ program: String, file: String, before: String) throws {
        try write(file, before)
        #expect(try run("install \(program)").status == 0)
        #expect(try run("status \(program)").output == "\(program): uses the keychain")
        #expect(try run("install \(program) --undo").status == 0)
        #expect(text(file) == before)
    }

    @Test("a file that its program does not read is neither told to use the keychain nor changed by --undo")
    func broken() throws {
        for (program, file) in [("git", ".gitconfig"), ("cargo", ".cargo/config.toml")] {
            #expect(try run("install \(program)").status == 0)
            let broken = try #require(text(file)) + "[broken\n"
            try write(file, broken)
            #expect(try run("status \(program)").output.contains("is not understood"))
            let outcome = try run("install \(program) --undo")
            #expect(outcome.status == 1 && outcome.error.contains("is not understood"))
            #expect(text(file) == broken)
        }
    }

    /// A program, its file, what is set in it after the helper is installed, and what the status says of it.
    private static let diverted: [(String, String, String, String?)] = [
        ("pip", ".config/pip/pip.conf", "[install]\nkeyring-provider = disabled\n", "[install] keyring-provider"),
        ("pip", ".config/pip/pip.conf", "Keyring_Provider = import\n", "[global] Keyring_Provider"),
        ("pip", ".config/pip/pip.conf", "[install]\ntimeout = 5\n# keyring-provider = a\n", nil),
        (
            "git", ".gitconfig", "[credential \"https://a\"]\n\thelper = !f hunter2\n",
            "[credential \"https://a\"] helper"
        ),
        ("git", ".gitconfig", "[credential] helper = store\n", "[credential] helper"),
        ("git", ".gitconfig", "[core]\n\thelper = store\n", nil),
        (
            "cargo", ".cargo/config.toml", "[registries.my]\ncredential-provider = \"hunter2\"\n",
            "[registries.my] credential-provider"
        ),
        ("cargo", ".cargo/config.toml", "[net]\ncredential-provider = \"x\"\n", nil),
    ]

    @Test("the status names what a program takes beside the keychain or in its place", arguments: diverted)
    func diversions(_ program: String, file: String, other: String, shown: String?) throws {
        #expect(try run("install \(program)").status == 0)
        try write(file, try #require(text(file)) + other)
        let expected = "\(program): uses the keychain" + (shown.map { ", but this is set as well: \($0)" } ?? "")
        #expect(try run("status \(program)").output == expected)
    }

    @Test("the status names registries with a helper of their own, and variables")
    func otherDiversions() throws {
        try write(".docker/config.json", #"{"credHelpers":{"b":"pass","a":"x","c":"keychain"}}"#)
        #expect(try run("install docker pip").status == 0)
        let docker = "docker: uses the keychain, but this is set as well: credHelpers a, credHelpers b"
        #expect(try run("status docker").output == docker)
        var control = control
        control.environment["PIP_KEYRING_PROVIDER"] = "disabled"
        let pip = "pip: uses the keychain, but this is set as well: PIP_KEYRING_PROVIDER"
        #expect(try control.run(["helper", "status", "pip"]).output == pip)
    }

    @Test("a file whose program changes it at the moment is left alone", arguments: [".gitconfig", ".kube/config"])
    func lockFile(_ file: String) throws {
        let words = file == ".gitconfig" ? ["git"] : ["kubectl", "--profile", "admin"]
        let control = fakeKubectl()
        let contents: [String?] = file == ".gitconfig" ? ["[user]\n", nil] : ["users: []\n"]
        for before in contents {
            unlink(home.path(of: file))
            if let before { try write(file, before) }
            try write("\(file).lock", "")
            let outcome = try control.run(["helper", "install"] + words)
            #expect(outcome.status == 1 && outcome.error.contains("another program changes"), "\(outcome)")
            #expect(text(file) == before && text("\(file).lock")?.isEmpty == true)
            #expect(unlink(home.path(of: "\(file).lock")) == 0)
            #expect(try control.run(["helper", "install"] + words).status == 0)
            #expect(text(file) != before && text("\(file).lock") == nil)
        }
    }

    @Test(
        "the superuser is refused the folders of another user, and where such a user's links lead",
        .enabled(if: geteuid() == 0)
    )
    func foreignHome() throws {
        let programs = ["git", "docker", "cargo", "aws --profile a", "pip", "ssh"]
        let own = home.path(of: "programs")
        for name in [".docker", ".cargo", ".aws", ".config", ".local"] {
            #expect(symlink(own, home.path(of: name)) == 0)
            #expect(lchown(home.path(of: name), 12_345, 12_345) == 0)
        }
        let before = try FileManager.default.subpathsOfDirectory(atPath: home.path).sorted()
        for isHome in [false, true] {
            if isHome { #expect(chown(home.path, 12_345, 12_345) == 0) }
            for program in programs where isHome || program != "git" {
                let outcome = try run("install \(program)")
                #expect(
                    outcome.status == 1 && outcome.error.contains("belongs to another user"),
                    "\(program) \(outcome)"
                )
            }
            #expect(try FileManager.default.subpathsOfDirectory(atPath: home.path).sorted() == before)
        }
        #expect(chown(home.path, 0, 0) == 0)
        #expect(try run("install git").status == 0)
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
            try write(file, before)
            #expect(try run("install \(program)").status == 0)
            let installed = try #require(text(file))
            try write(file, installed.replacingOccurrences(of: end, with: afterwards))
            // Another helper behind ours is named as well.
            #expect(try run("status \(program)").output.hasPrefix("\(program): uses the keychain"))
            #expect(try run("install \(program)").output == "\(program): nothing to change.")
            #expect(try run("install \(program) --undo").status == 0)
            #expect(text(file) == left)
            #expect(try run("status \(program)").output == "\(program): does not use the keychain")
        }
    }

    @Test("lines whose comments another program dropped are told of, and left", arguments: ["git", "cargo", "pip"])
    func droppedComments(_ program: String) throws {
        #expect(try run("install \(program)").status == 0)
        let file = try #require([".gitconfig", ".cargo/config.toml", ".config/pip/pip.conf"].first { text($0) != nil })
        let dropped = try #require(text(file)).split(separator: "\n").filter { !$0.hasPrefix("#") }
        try write(file, dropped.joined(separator: "\n"))
        #expect(try run("status \(program)").output == "\(program): uses the keychain")
        #expect(try run("install \(program)").output == "\(program): nothing to change.")
        let undone = try run("install \(program) --undo")
        #expect(undone.status == 0)
        #expect(undone.remarks.contains("\(home.path(of: file)) still has '"), "\(undone)")
        #expect(undone.remarks.contains("take it out by hand"))
        #expect(text(file) == dropped.joined(separator: "\n"))
    }

    @Test("credentials in Docker's file are told of, not shown and not lost")
    func plainCredentials() throws {
        try write(".docker/config.json", #"{"auths":{"r":{"auth":"c2VjcmV0"},"s":{}}}"#)
        let outcome = try run("install docker")
        #expect(outcome.status == 0 && outcome.remarks.contains("1 credential in"))
        #expect(!outcome.output.contains("c2VjcmV0") && !outcome.remarks.contains("c2VjcmV0"))
        #expect(try #require(text(".docker/config.json")).contains("c2VjcmV0"))
    }

    @Test(
        "every byte of Docker's file that is no helper's stays: the forms of numbers, the order, the blanks",
        arguments: [
            (
                "{\"n\": 1.0,\t\"big\":10000000000000000000000}",
                "{\"credsStore\": \"keychain\",\"n\": 1.0,\t\"big\":10000000000000000000000}"
            ),
            (
                "{\n\t\"z\": 1E2,\n\t\"a\": -0.0\n}\n",
                "{\n\t\"credsStore\": \"keychain\",\n\t\"z\": 1E2,\n\t\"a\": -0.0\n}\n"
            ),
            ("{\"b\": {\"credsStore\": 1}}", "{\"credsStore\": \"keychain\",\"b\": {\"credsStore\": 1}}"),
            ("{\"creds\\u0053tore\": null, \"n\":1.50}", "{\"creds\\u0053tore\": \"keychain\", \"n\":1.50}"),
            ("", "{\n  \"credsStore\": \"keychain\"\n}\n"),
        ]
    )
    func dockerBytes(_ before: String, _ after: String) throws {
        try write(".docker/config.json", before)
        #expect(try run("install docker").status == 0)
        #expect(text(".docker/config.json") == after)
    }

    @Test(
        "the helper is taken out of Docker's file wherever Docker has put it",
        arguments: [
            ("{\n\t\"auths\": {},\n\t\"credsStore\": \"keychain\"\n}", "{\n\t\"auths\": {}\n}"),
            ("{\"a\":1.0, \"credsStore\": \"keychain\" , \"b\": 2.0}", "{\"a\":1.0, \"b\": 2.0}"),
            ("{\n\t\"credsStore\": \"keychain\"\n}\n", "{}\n"),
        ]
    )
    func dockerRemoval(_ before: String, _ after: String) throws {
        try write(".docker/config.json", before)
        #expect(try run("install docker --undo").status == 0)
        #expect(text(".docker/config.json") == after)
    }

    /// A kubectl that writes the file anew, without its comments, if it changes anything.
    private func fakeKubectl() -> Control {
        var control = control
        control.output = { words throws(Refusal) in
            let copy = words.first { $0.hasPrefix("KUBECONFIG=") }?.dropFirst("KUBECONFIG=".count)
            guard let copy, let before = FileManager.default.contents(atPath: String(copy)) else {
                throw Refusal("none")
            }
            let lines = String(decoding: before, as: UTF8.self).split(separator: "\n").map(String.init)
            let user = words[5].split(separator: ".").dropFirst(words[4] == "unset" ? 1 : 0).first ?? ""
            let line = "exec: \(user)"
            var after = lines.filter { $0 != line }
            if words[4] == "set-credentials" { after.append(line) }
            guard after.count != lines.count else { return "" }
            let text = after.filter { !$0.hasPrefix("#") }.sorted().joined(separator: "\n") + "\n"
            let isWritten = FileManager.default.createFile(atPath: String(copy), contents: Data(text.utf8))
            if !isWritten { throw Refusal("the copy is gone") }
            return ""
        }
        return control
    }

    @Test("what kubectl writes anew is brought back byte for byte, in whatever order users are taken out")
    func kubectlUndo() throws {
        let before = "users: []\n# ask Eve before use\ncontexts: []\n"
        let control = fakeKubectl()
        for order in [["admin"], ["admin", "other"], ["other", "admin"]] {
            try write(".kube/config", before)
            for user in ["admin", "other"] where order.contains(user) {
                #expect(try control.run(["helper", "install", "kubectl", "--profile", user]).status == 0)
                let again = try control.run(["helper", "install", "kubectl", "--profile", user])
                #expect(again.output == "kubectl: nothing to change.")
            }
            #expect(
                text(".kube/config") == "contexts: []\n" + order.sorted().map { "exec: \($0)\n" }.joined()
                    + "users: []\n"
            )
            for user in order {
                let undone = try control.run(["helper", "install", "kubectl", "--profile", user, "--undo"])
                #expect(undone.status == 0, "\(undone)")
            }
            #expect(text(".kube/config") == before, "\(order)")
            #expect(text(".kube/config.before-keychainctl") == before)
        }
    }

    @Test("if a kubeconfig was changed since, what it was is kept and named")
    func changedKubeconfig() throws {
        let before = "users: []\n# ask Eve before use\n"
        try write(".kube/config", before)
        let control = fakeKubectl()
        #expect(try control.run(["helper", "install", "kubectl", "--profile", "admin"]).status == 0)
        try write(".kube/config", "exec: admin\nusers: [a]\n# later\n")
        let undone = try control.run(["helper", "install", "kubectl", "--profile", "admin", "--undo"])
        #expect(undone.status == 0 && undone.remarks.contains("config.before-keychainctl"), "\(undone)")
        #expect(text(".kube/config") == "users: [a]\n")
        #expect(text(".kube/config.before-keychainctl") == before)
        #expect(text(".kube/config.before-keychainctl.2") == "exec: admin\nusers: [a]\n# later\n")
    }

    @Test("no copy takes the place of another one, or of a file of the user's", arguments: ["file", "link", "folder"])
    func copies(_ kind: String) throws {
        let copy = home.path(of: ".docker/config.json.before-keychainctl")
        try write(".docker/config.json", #"{"credsStore": "pass"}"#)
        switch kind {
        case "file": try write(".docker/config.json.before-keychainctl", "precious")
        case "link":
            try write("elsewhere", "precious")
            #expect(symlink("../elsewhere", copy) == 0)
        default: #expect(mkdir(copy, 0o700) == 0)
        }
        func isThere() -> Bool {
            switch kind {
            case "file": text(".docker/config.json.before-keychainctl") == "precious"
            case "link": text("elsewhere") == "precious"
            default: rmdir(copy) == 0 && mkdir(copy, 0o700) == 0
            }
        }
        for store in ["pass", "desktop"] {
            try write(".docker/config.json", "{\"credsStore\": \"\(store)\"}")
            #expect(try run("install docker").status == 0)
            #expect(isThere())
            #expect(try run("install docker --undo").status == 0)
            #expect(text(".docker/config.json") == "{\"credsStore\": \"\(store)\"}")
        }
        #expect(isThere())
        #expect(text(".docker/config.json.before-keychainctl.2") == #"{"credsStore": "pass"}"#)
        #expect(text(".docker/config.json.before-keychainctl.3") == #"{"credsStore": "desktop"}"#)
        for number in 4...20 { try write(".docker/config.json.before-keychainctl.\(number)", "") }
        let full = try run("install docker")
        #expect(full.status == 1 && full.error.contains("too many copies"), "\(full)")
        #expect(text(".docker/config.json") == #"{"credsStore": "desktop"}"#)
    }

    private func names(in folder: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: home.path(of: folder)).sorted()
    }

    @Test("the copy for kubectl goes, also that of a process that was killed, and none that is in use")
    func killedCopy() throws {
        try write(".kube/config", "users: []\n")
        let left = ".kube/.swift-keychain.\(String(repeating: "0f", count: 16)).copy"
        let others = [".swift-keychain.copy", ".swift-keychain.0f.copy", "config.XXXXXX"]
        let draft = ".swift-keychain.\(String(repeating: "a", count: 32)).new"
        for name in ["config", "config.lock", draft] { try write("\(left)/\(name)", "token: secret\n") }
        for name in others { try write(".kube/\(name)/config", "of somebody else\n") }
        let home = home
        var control = control
        let inner = control
        control.output = { words throws(Refusal) in
            guard let copy = words.first(where: { $0.hasPrefix("KUBECONFIG=") })?.dropFirst("KUBECONFIG=".count) else {
                throw Refusal("no copy")
            }
            // Another one meanwhile, which fails and removes its own copy.
            var other = inner
            other.output = { _ throws(Refusal) in throw Refusal("killed") }
            let outcome = try? other.run(["helper", "install", "kubectl", "--profile", "admin"])
            guard outcome?.error.contains("killed") == true, access(home.path(of: left), F_OK) != 0 else {
                throw Refusal("\(String(describing: outcome))")
            }
            let isWritten = FileManager.default.createFile(atPath: String(copy), contents: Data("users: [a]\n".utf8))
            if !isWritten { throw Refusal("the copy is gone") }
            return ""
        }
        let outcome = try control.run(["helper", "install", "kubectl", "--profile", "admin"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(text(".kube/config") == "users: [a]\n")
        #expect(try names(in: ".kube") == (others + ["config", "config.before-keychainctl"]).sorted())
    }

    @Test("what a process left that was killed while it made a file goes with the next one")
    func killedDraft() throws {
        let draft = ".swift-keychain.\(String(repeating: "0f", count: 16)).new"
        try write(draft, "[credential]\n")
        #expect(try run("install git").status == 0)
        #expect(try names() == [".gitconfig", "programs"])
    }

    @Test("a helper that is not there, or whose path a shell would change, is not installed")
    func missing() throws {
        var control = control
        control.helperFolder = home.path(of: "none")
        let missing = try control.run(["helper", "install", "git"])
        #expect(missing.status == 1 && missing.error.contains("there is no \(home.path)/none/git-credential-keychain"))
        #expect(rename(home.path(of: "programs"), home.path(of: "a b")) == 0)
        control.helperFolder = home.path(of: "a b")
        let odd = try control.run(["helper", "install", "git"])
        #expect(odd.status == 1 && odd.error.contains("has characters"))
        #expect(text(".gitconfig") == nil)
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
        let outcome = try run(line)
        #expect(outcome.status == 1 && outcome.error.contains(reason))
    }

    @Test("pip finds the helper by a name of its own, which replaces no other program's")
    func keyringLink() throws {
        #expect(try run("install pip").status == 0)
        let link = home.path(of: ".local/bin/keyring")
        let target = try FileManager.default.destinationOfSymbolicLink(atPath: link)
        #expect(target == "\(home.path)/programs/keychain-keyring")
        #expect(try run("install pip --undo").status == 0)
        #expect(access(link, F_OK) != 0)
        try write(".local/bin/keyring", "#!/bin/sh\n")
        let refused = try run("install pip")
        #expect(refused.status == 1 && refused.error.contains("there is another"))
        #expect(text(".local/bin/keyring") == "#!/bin/sh\n")
    }
}

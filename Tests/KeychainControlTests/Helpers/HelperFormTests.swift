// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import KeychainControl

/// What `keychainctl helper` understands of the configuration of other programs.
struct HelperFormTests {
    private let scene: HelperScene

    init() throws { scene = try HelperScene() }

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

    @Test("what is not understood is left to its owner", arguments: refused)
    func refusals(_ program: String, file: String, before: String, reason: String) throws {
        try scene.write(file, before)
        let outcome = try scene.run("install \(program)")
        #expect(outcome.status == 1 && outcome.error.contains(reason), "\(outcome)")
        #expect(scene.text(file) == before)
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
        try scene.write(file, before)
        #expect(try scene.run("install \(program)").status == 0)
        #expect(try scene.run("status \(program)").output == "\(program): uses the keychain")
        #expect(try scene.run("install \(program) --undo").status == 0)
        #expect(scene.text(file) == before)
    }

    @Test("a file that its program does not read is neither told to use the keychain nor changed by --undo")
    func broken() throws {
        for (program, file) in [("git", ".gitconfig"), ("cargo", ".cargo/config.toml")] {
            #expect(try scene.run("install \(program)").status == 0)
            let broken = try #require(scene.text(file)) + "[broken\n"
            try scene.write(file, broken)
            #expect(try scene.run("status \(program)").output.contains("is not understood"))
            let outcome = try scene.run("install \(program) --undo")
            #expect(outcome.status == 1 && outcome.error.contains("is not understood"))
            #expect(scene.text(file) == broken)
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
        #expect(try scene.run("install \(program)").status == 0)
        try scene.write(file, try #require(scene.text(file)) + other)
        let expected = "\(program): uses the keychain" + (shown.map { ", but this is set as well: \($0)" } ?? "")
        #expect(try scene.run("status \(program)").output == expected)
    }

    @Test("the status names registries with a helper of their own, and variables")
    func otherDiversions() throws {
        try scene.write(".docker/config.json", #"{"credHelpers":{"b":"pass","a":"x","c":"keychain"}}"#)
        #expect(try scene.run("install docker pip").status == 0)
        let docker = "docker: uses the keychain, but this is set as well: credHelpers a, credHelpers b"
        #expect(try scene.run("status docker").output == docker)
        var control = scene.control
        control.environment["PIP_KEYRING_PROVIDER"] = "disabled"
        let pip = "pip: uses the keychain, but this is set as well: PIP_KEYRING_PROVIDER"
        #expect(try control.run(["helper", "status", "pip"]).output == pip)
    }

    @Test("credentials in Docker's file are told of, not shown and not lost")
    func plainCredentials() throws {
        try scene.write(".docker/config.json", #"{"auths":{"r":{"auth":"c2VjcmV0"},"s":{}}}"#)
        let outcome = try scene.run("install docker")
        #expect(outcome.status == 0 && outcome.remarks.contains("1 credential in"))
        #expect(!outcome.output.contains("c2VjcmV0") && !outcome.remarks.contains("c2VjcmV0"))
        #expect(try #require(scene.text(".docker/config.json")).contains("c2VjcmV0"))
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
        try scene.write(".docker/config.json", before)
        #expect(try scene.run("install docker").status == 0)
        #expect(scene.text(".docker/config.json") == after)
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
        try scene.write(".docker/config.json", before)
        #expect(try scene.run("install docker --undo").status == 0)
        #expect(scene.text(".docker/config.json") == after)
    }
}

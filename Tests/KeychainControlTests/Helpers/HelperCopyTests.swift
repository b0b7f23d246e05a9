// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// The copies of the configuration of other programs, with which `keychainctl helper` brings it back.
struct HelperCopyTests {
    private let scene: HelperScene

    init() throws { scene = try HelperScene() }

    @Test("what kubectl writes anew is brought back byte for byte, in whatever order users are taken out")
    func kubectlUndo() throws {
        let before = "users: []\n# ask Eve before use\ncontexts: []\n"
        let control = scene.fakeKubectl()
        for order in [["admin"], ["admin", "other"], ["other", "admin"]] {
            try scene.write(".kube/config", before)
            for user in ["admin", "other"] where order.contains(user) {
                #expect(try control.run(["helper", "install", "kubectl", "--profile", user]).status == 0)
                let again = try control.run(["helper", "install", "kubectl", "--profile", user])
                #expect(again.output == "kubectl: nothing to change.")
            }
            #expect(
                scene.text(".kube/config") == "contexts: []\n" + order.sorted().map { "exec: \($0)\n" }.joined()
                    + "users: []\n"
            )
            for user in order {
                let undone = try control.run(["helper", "install", "kubectl", "--profile", user, "--undo"])
                #expect(undone.status == 0, "\(undone)")
            }
            #expect(scene.text(".kube/config") == before, "\(order)")
            #expect(scene.text(".kube/config.before-keychainctl") == before)
        }
    }

    @Test("if a kubeconfig was changed since, what it was is kept and named")
    func changedKubeconfig() throws {
        let before = "users: []\n# ask Eve before use\n"
        try scene.write(".kube/config", before)
        let control = scene.fakeKubectl()
        #expect(try control.run(["helper", "install", "kubectl", "--profile", "admin"]).status == 0)
        try scene.write(".kube/config", "exec: admin\nusers: [a]\n# later\n")
        let undone = try control.run(["helper", "install", "kubectl", "--profile", "admin", "--undo"])
        #expect(undone.status == 0 && undone.remarks.contains("config.before-keychainctl"), "\(undone)")
        #expect(scene.text(".kube/config") == "users: [a]\n")
        #expect(scene.text(".kube/config.before-keychainctl") == before)
        #expect(scene.text(".kube/config.before-keychainctl.2") == "exec: admin\nusers: [a]\n# later\n")
    }

    @Test("no copy takes the place of another one, or of a file of the user's", arguments: ["file", "link", "folder"])
    func copies(_ kind: String) throws {
        let copy = scene.home.path(of: ".docker/config.json.before-keychainctl")
        try scene.write(".docker/config.json", #"{"credsStore": "pass"}"#)
        switch kind {
        case "file": try scene.write(".docker/config.json.before-keychainctl", "precious")
        case "link":
            try scene.write("elsewhere", "precious")
            #expect(symlink("../elsewhere", copy) == 0)
        default: #expect(mkdir(copy, 0o700) == 0)
        }
        func isThere() -> Bool {
            switch kind {
            case "file": scene.text(".docker/config.json.before-keychainctl") == "precious"
            case "link": scene.text("elsewhere") == "precious"
            default: rmdir(copy) == 0 && mkdir(copy, 0o700) == 0
            }
        }
        for store in ["pass", "desktop"] {
            try scene.write(".docker/config.json", "{\"credsStore\": \"\(store)\"}")
            #expect(try scene.run("install docker").status == 0)
            #expect(isThere())
            #expect(try scene.run("install docker --undo").status == 0)
            #expect(scene.text(".docker/config.json") == "{\"credsStore\": \"\(store)\"}")
        }
        #expect(isThere())
        #expect(scene.text(".docker/config.json.before-keychainctl.2") == #"{"credsStore": "pass"}"#)
        #expect(scene.text(".docker/config.json.before-keychainctl.3") == #"{"credsStore": "desktop"}"#)
        for number in 4...20 { try scene.write(".docker/config.json.before-keychainctl.\(number)", "") }
        let full = try scene.run("install docker")
        #expect(full.status == 1 && full.error.contains("too many copies"), "\(full)")
        #expect(scene.text(".docker/config.json") == #"{"credsStore": "desktop"}"#)
    }

    @Test("the copy for kubectl goes, also that of a process that was killed, and none that is in use")
    func killedCopy() throws {
        try scene.write(".kube/config", "users: []\n")
        let left = ".kube/.swift-keychain.\(String(repeating: "0f", count: 16)).copy"
        let others = [".swift-keychain.copy", ".swift-keychain.0f.copy", "config.XXXXXX"]
        let draft = ".swift-keychain.\(String(repeating: "a", count: 32)).new"
        for name in ["config", "config.lock", draft] { try scene.write("\(left)/\(name)", "token: secret\n") }
        for name in others { try scene.write(".kube/\(name)/config", "of somebody else\n") }
        let home = scene.home
        var control = scene.control
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
        #expect(scene.text(".kube/config") == "users: [a]\n")
        #expect(try scene.names(in: ".kube") == (others + ["config", "config.before-keychainctl"]).sorted())
    }

    /// What is in a file before, whatever its program takes.
    private static let contents: [(String, String, String)] = [
        ("git", ".gitconfig", ""), ("git", ".gitconfig", "[user]"), ("git", ".gitconfig", "\n\n[user]\r\n\tname = a"),
        ("git", ".gitconfig", "# keychainctl helper replaces: x\n[credential]\n\t# keychainctl helper replaces: y\n"),
        ("docker", ".docker/config.json", ""), ("docker", ".docker/config.json", " \n"),
        ("docker", ".docker/config.json", "{}"), ("docker", ".docker/config.json", "{ }\n"),
        ("docker", ".docker/config.json", "{\"auths\": {}}"),
        ("docker", ".docker/config.json", "{\"credsStore\"  : \"pass\", \"a\": 1}"),
        ("cargo", ".cargo/config.toml", ""), ("cargo", ".cargo/config.toml", "[registry]\ndefault = \"x\""),
        (
            "cargo", ".cargo/config.toml",
            "# keychainctl helper replaces: a\n[registry]\n# keychainctl helper replaces: b\ndefault = \"x\"\n"
        ),
        ("pip", ".config/pip/pip.conf", "[global]\nkeyring-provider = import"),
        ("pip", ".config/pip/pip.conf", "[global]\n# keychainctl helper replaces: keyring-provider = x\n"),
        ("aws --profile a", ".aws/config", "[profile a]\n# keychainctl helper replaces: b\ncredential_process = x"),
    ]

    @Test("taking a helper out gives the bytes from before, also without the copy", arguments: contents)
    func sameBytes(_ program: String, file: String, before: String) throws {
        for hasCopy in [true, false] {
            try scene.write(file, before)
            let installed = try scene.run("install \(program)")
            #expect(installed.status == 0, "\(installed)")
            #expect(scene.text(file) != before)
            if !hasCopy { #expect(unlink(scene.home.path(of: "\(file).before-keychainctl")) == 0) }
            let undone = try scene.run("install \(program) --undo")
            #expect(undone.status == 0, "\(undone)")
            // Without the copy it is not known whether a last line ended, or the file was empty.
            let isKnown = hasCopy || before.hasSuffix("\n") && before.contains { !$0.isWhitespace }
            if isKnown { #expect(scene.text(file) == before, "\(hasCopy)") }
        }
    }

    @Test("what another program has written since stays, and so does a comment that looks like ours")
    func changedSince() throws {
        let before = "[registry]\n# keychainctl helper replaces: mine\nglobal-credential-providers = []\n"
        try scene.write(".cargo/config.toml", before)
        #expect(try scene.run("install cargo").status == 0)
        let installed = try #require(scene.text(".cargo/config.toml"))
        try scene.write(".cargo/config.toml", "[net]\noffline = true\n" + installed)
        #expect(try scene.run("install cargo --undo").status == 0)
        #expect(scene.text(".cargo/config.toml") == "[net]\noffline = true\n" + before)
    }

    @Test("a profile of aws stays as it is when another one is installed or taken out, in whatever order")
    func profiles() throws {
        let texts = ["", "[profile a]\ncredential_process = old-a\n[profile b]\ncredential_process = old-b\n"]
        for before in texts {
            for order in [["a", "b"], ["b", "a"]] {
                try scene.write(".aws/config", before)
                for profile in ["a", "b"] {
                    #expect(try scene.run("install aws --profile \(profile)").status == 0)
                }
                let both = try #require(scene.text(".aws/config"))
                #expect(both.contains("keychain-aws a\n") && both.contains("keychain-aws b\n"))
                #expect(try scene.run("install aws --profile \(order[0]) --undo").status == 0)
                let one = try #require(scene.text(".aws/config"))
                #expect(one.contains("keychain-aws \(order[1])\n") && !one.contains("keychain-aws \(order[0])\n"))
                #expect(try scene.run("install aws --profile \(order[1]) --undo").status == 0)
                #expect(scene.text(".aws/config") == before)
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import SecurityTool
import Testing

/// Names of items and keychains on the command line of `security`, as shells complete them.
struct CompletionTests {
    private let folder: TemporaryFolder
    private let shell: Shell

    init() throws {
        folder = try TemporaryFolder()
        shell = Shell(
            environment: [
                "SWIFT_KEYCHAIN_HOME": folder.path(of: "keychain"), "HOME": folder.path(of: "home"),
                "SWIFT_KEYCHAIN_AUTHENTICATOR": "none", "PATH": "\(folder.path(of: "bin")):/usr/bin:/bin",
                "LC_ALL": "C.UTF-8",
            ]
        )
        for name in ["home", "bin"] {
            try FileManager.default.createDirectory(atPath: folder.path(of: name), withIntermediateDirectories: false)
        }
        try FileManager.default.createSymbolicLink(
            atPath: folder.path(of: "bin/security"),
            withDestinationPath: try DaemonFolder.program("security")
        )
    }

    private func add(_ service: String, _ account: String) throws {
        let words = ["add-generic-password", "-s", service, "-a", account, "-w", "secret"]
        #expect(try shell.run("security", words).status == 0)
    }

    /// What `security --complete` prints for words before the cursor.
    private func candidates(_ words: [String]) throws -> [String] {
        let outcome = try shell.run("security", ["--complete"], input: words.map { $0 + "\0" }.joined())
        #expect(outcome.status == 0 && outcome.errors == "")
        return outcome.output.split(separator: "\n").map(String.init)
    }

    @Test("names of items are offered that fit what stands before")
    func names() throws {
        try add("com.example.tool", "ada")
        try add("com.example.tool", "grace")
        try add("org.example other", "ada")
        #expect(try candidates(["find-generic-password", "-s"]) == ["com.example.tool", "org.example other"])
        #expect(
            try candidates(["find-generic-password", "-a", "ada", "-s"]) == ["com.example.tool", "org.example other"]
        )
        #expect(try candidates(["find-generic-password", "-s", "com.example.tool", "-a"]) == ["ada", "grace"])
        #expect(try candidates(["delete-g", "-a", "grace", "-s"]) == ["com.example.tool"])
        #expect(try candidates(["find-internet-password", "-s"]) == [])
        #expect(try candidates(["find-generic-password", "-w", "-s"]) == ["com.example.tool", "org.example other"])
    }

    @Test(
        "nothing is offered where nothing is known",
        arguments: [
            [], [""], ["nosuch", "-s"], ["find-generic-password", "-Z", "-s"], ["leaks"],
            ["add-generic-password", "-w"],
            ["find-generic-password", "-c"], ["find-generic-password", "-P", "\u{FF}"],
        ]
    )
    func nothing(_ words: [String]) throws {
        try add("com.example.tool", "ada")
        #expect(try candidates(words) == [])
    }

    @Test("no keychain is made for it")
    func noKeychain() throws {
        #expect(try candidates(["find-generic-password", "-s"]) == [])
        #expect(!FileManager.default.fileExists(atPath: folder.path(of: "keychain")))
    }

    @Test("nobody is asked, and nothing is said, where the keychain is locked")
    func locked() throws {
        try add("com.example.tool", "ada")
        #expect(
            try shell.run("keychainctl", ["device", "set-passcode", "--passcode-stdin"], input: "1234\n").status == 0
        )
        #expect(try candidates(["find-generic-password", "-s"]) == [])
    }

    @Test("keychain files are offered by their names, with their items")
    func files() throws {
        for line in ["create-keychain -p pw build.keychain", "list-keychains -s build.keychain login.keychain"] {
            #expect(try shell.security(line).status == 0)
        }
        #expect(try shell.security("add-generic-password -s in.file -a ada -w x build.keychain").status == 0)
        #expect(try candidates(["unlock-keychain"]).contains("build.keychain-db"))
        #expect(try shell.security("lock-keychain build.keychain").status == 0)
        #expect(try candidates(["find-generic-password", "-s"]) == ["in.file"])
    }

    @Test("a name that acts on a terminal, or that nobody can tell from another, is not offered")
    func hostile() throws {
        for name in ["\u{1B}]0;x\u{7}", "two\nlines", "right\u{202E}to left", "zero\u{200B}width", "plain"] {
            try add(name, "ada")
        }
        #expect(try candidates(["find-generic-password", "-s"]) == ["plain"])
    }

    @Test("a shell that waits for a daemon that does not answer goes on")
    func deadDaemon() throws {
        try add("com.example.tool", "ada")
        #expect(try shell.control("service enable").status == 0)
        defer { _ = try? shell.control("service disable") }
        let status = try shell.control("service status --json").output
        let process = try #require(status.firstMatch(of: /"process" *: *([0-9]+)/)?.1)
        let pid = try #require(Int32(process))
        kill(pid, SIGSTOP)
        defer { kill(pid, SIGCONT) }
        #expect(try candidates(["find-generic-password", "-s"]) == [])
    }

    /// A name that a shell would take for more than text, with what it completes from.
    private static let shellNames = [
        "$(touch created)", "`touch created`", "a b", "it's", "x;touch created", "ada@example.com",
        "https://example.com/a",
    ]

    @Test("bash completes names as they are, and executes none", arguments: shellNames)
    func bash(_ name: String) throws {
        try add(name, "ada")
        let beginning = String(name.prefix(1))
        let script =
            ShellCompletion.bash.script + """

                COMP_LINE='security find-generic-password -s \(beginning == "'" ? "" : beginning)'
                COMP_POINT=${#COMP_LINE}
                COMP_WORDS=(security find-generic-password -s '\(beginning)')
                COMP_CWORD=3
                _swift_keychain_security security '\(beginning)' -s
                printf '%s\\n' "${COMPREPLY[@]}"
                """
        let outcome = try shell.run("/bin/bash", ["--norc", "-c", "cd \(folder.path(of: "home"))\n\(script)"])
        #expect(outcome.output == "\(name)\n" && outcome.errors == "")
        #expect(!FileManager.default.fileExists(atPath: folder.path(of: "home/created")))
    }

    @Test(
        "bash replaces only what it takes for the last word",
        arguments: [
            ("ada@exa", ["ada", "@", "exa"], "example.com"), ("https://e", ["https", ":", "//e"], "//example.com/a"),
        ]
    )
    func brokenWords(_ typed: String, tokens: [String], replaced: String) throws {
        for name in Self.shellNames { try add(name, "ada") }
        let words = tokens.map { "'\($0)'" }.joined(separator: " ")
        let script =
            ShellCompletion.bash.script + """

                COMP_LINE='security find-generic-password -s \(typed)'
                COMP_POINT=${#COMP_LINE}
                COMP_WORDS=(security find-generic-password -s \(words))
                COMP_CWORD=$((2 + \(tokens.count)))
                _swift_keychain_security security '\(tokens[tokens.count - 1])' x
                printf '%s\\n' "${COMPREPLY[@]}"
                """
        #expect(try shell.run("/bin/bash", ["--norc", "-c", script]).output == "\(replaced)\n")
    }

    @Test("fish completes names, and executes none")
    func fish() throws {
        for name in Self.shellNames { try add(name, "ada") }
        let file = folder.path(of: "security.fish")
        try Data(ShellCompletion.fish.script.utf8).write(to: URL(fileURLWithPath: file))
        let line = "source \(file); cd \(folder.path(of: "home")); complete -C 'security find-generic-password -s '"
        let outcome = try shell.run("/usr/bin/fish", ["--no-config", "-c", line])
        for name in Self.shellNames { #expect(outcome.output.contains(name), "\(name): \(outcome)") }
        #expect(!FileManager.default.fileExists(atPath: folder.path(of: "home/created")))
        let commands = try shell.run(
            "/usr/bin/fish",
            ["--no-config", "-c", "source \(file); complete -C 'security add-g'"]
        )
        #expect(commands.output == "add-generic-password\tAdd a generic password item.\n")
    }

    @Test("zsh is given names as they are, and executes none")
    func zsh() throws {
        for name in Self.shellNames { try add(name, "ada") }
        let file = folder.path(of: "_security")
        try Data(ShellCompletion.zsh.script.utf8).write(to: URL(fileURLWithPath: file))
        // The builtins of its line editor, which do not work without one.
        let script = """
            cd \(folder.path(of: "home"))
            compadd() { print -rl -- "${(@P)2}" }
            _describe() { print -r commands }
            _files() { print -r files }
            _security() { source \(file) }
            words=(security find-generic-password -s ''); CURRENT=4; _security
            words=(security a); CURRENT=2; _security
            words=(security find-generic-password -Z ''); CURRENT=4; _security
            """
        let outcome = try shell.run("/usr/bin/zsh", ["-f", "-c", script])
        #expect(outcome.output == (Self.shellNames.sorted() + ["commands", "files"]).map { "\($0)\n" }.joined())
        #expect(outcome.errors == "")
        #expect(!FileManager.default.fileExists(atPath: folder.path(of: "home/created")))
    }
}

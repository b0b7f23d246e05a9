// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import Foundation
import KeychainCore
import KeychainHost
import KeychainTestSupport
import Testing

/// The program in a process of its own, and `security` beside it.
struct HelperProcessTests {
    private let programs: HelperPrograms

    init() throws { programs = try HelperPrograms() }

    private static let place = "protocol=https\nhost=example.com\n"

    @Test("security finds what a helper stored, and a helper finds what security stored")
    func crossing() throws {
        let stored = try programs.run(.git, ["store"], input: "\(Self.place)username=ada\npassword=s3cret\n")
        #expect(stored == Shell.Outcome(status: 0, output: "", errors: ""))
        let found = try programs.shell.security("find-internet-password -s example.com -a ada -r htps -w")
        #expect(found == Shell.Outcome(status: 0, output: "s3cret\n", errors: ""))
        let updated = try programs.shell.security("add-internet-password -U -s example.com -a ada -r htps -w n3w")
        #expect(updated.status == 0)
        #expect(try programs.run(.git, ["get"], input: Self.place).output == "username=ada\npassword=n3w\n")
        #expect(try programs.shell.security("delete-internet-password -s example.com").status == 0)
        #expect(try programs.run(.git, ["get"], input: Self.place) == Shell.Outcome(status: 0, output: "", errors: ""))
        #expect(try programs.run(.keyring, ["set", "svc", "ada"], input: "pw\n").status == 0)
        #expect(try programs.shell.security("find-generic-password -s svc -a ada -w").output == "pw\n")
        #expect(try programs.shell.security("add-internet-password -s r.example -a bob -r htps -w x").status == 0)
        #expect(try programs.run(.docker, ["list"]).output == "{}\n")
        let label = [
            "add-internet-password", "-s", "r.example", "-a", "al", "-r", "htps", "-l", "Docker Credentials", "-w", "d",
        ]
        #expect(try programs.shell.run("security", label).status == 0)
        #expect(try programs.run(.docker, ["list"]).output == "{\"https://r.example\":\"al\"}\n")
    }

    @Test("a daemon that does not start is a miss with a line on standard error", arguments: HelperName.allCases)
    func daemon(_ name: HelperName) throws {
        let folder = try DaemonFolder()
        var environment = programs.shell.environment
        environment["SWIFT_KEYCHAIN_HOME"] = folder.location.path
        // The record names the program that is started.
        let record = ServiceRecord(program: "/bin/false", socket: folder.socket)
        try record.write(in: PrivateDirectory(folder.location))
        let calls: [HelperName: ([String], String, String, Int32)] = [
            .git: (["erase"], Self.place, "", 0),
            .docker: (["get"], "r.example", "credentials not found in native keychain\n", 1),
            .cargo: (
                ["--cargo-plugin"], #"{"v":1,"kind":"get","operation":"read","registry":{"index-url":"i"}}"#,
                "{\"v\":[1]}\n{\"Err\":{\"kind\":\"not-found\"}}\n", 0
            ),
            .aws: (["p"], "", "", 1), .kubectl: (["n"], "", "", 1), .askpass: (["[sudo] password for b:"], "", "", 1),
            .keyring: (["get", "s", "u"], "", "", 1),
        ]
        let call = try #require(calls[name])
        let outcome = try Shell(environment: environment).run(programs.path(name), call.0, input: call.1)
        #expect(outcome.status == call.3 && outcome.output == call.2)
        #expect(outcome.errors.hasPrefix("\(name.rawValue): ") && outcome.errors.contains("daemon"), "\(outcome)")
    }

    @Test("the program without a helper's name says which there are")
    func usage() throws {
        let outcome = try programs.shell.run(HelperName.program, [])
        #expect(outcome.status == 2 && outcome.errors.hasPrefix("usage: keychain-helper git|docker|cargo|"))
        let git = try programs.shell.run(HelperName.program, ["git", "capability"])
        #expect(git.output.hasPrefix("version 0\n"))
    }

    @Test("each name of the program has a version and help, but the one whose argument is a prompt")
    func versionAndHelp() throws {
        let own = try programs.shell.run(HelperName.program, ["--version"])
        #expect(own == Shell.Outcome(status: 0, output: "\(ProductVersion.text)\n", errors: ""))
        #expect(try programs.shell.run(HelperName.program, ["git", "--version"]) == own)
        for name in HelperName.allCases where name != .askpass {
            #expect(try programs.run(name, ["--version"]) == own, "\(name)")
            let help = try programs.run(name, ["--help"])
            #expect(help.status == 0 && help.output.contains("Examples:\n") && help.errors == "", "\(name)")
        }
        #expect(try programs.run(.askpass, ["--version"]).output == "")
    }

    @Test("a terminal obeys nothing of an argument or a path that a message repeats")
    func controlCharacters() throws {
        let action = try programs.run(.docker, ["\u{1B}[31m"])
        #expect(action.status == 1 && action.output == "Unknown credential action `?[31m`\n")
        var environment = programs.shell.environment
        environment["SWIFT_KEYCHAIN_HOME"] = "/dev/null/\u{1B}[31m"
        let outcome = try Shell(environment: environment).run(programs.path(.git), ["get"], input: Self.place)
        #expect(outcome.errors.contains("?[31m") && !outcome.errors.contains("\u{1B}"), "\(outcome)")
    }

    @Test("an answer that cannot be written is an error")
    func fullOutput() throws {
        #expect(try programs.run(.git, ["store"], input: "\(Self.place)username=ada\npassword=s3cret\n").status == 0)
        let script = "\"$1\" get >/dev/full"
        let outcome = try programs.shell.run("/bin/sh", ["-c", script, "sh", programs.path(.git)], input: Self.place)
        let reason = "git-credential-keychain: standard output cannot be written: No space left on device\n"
        #expect(outcome == Shell.Outcome(status: 1, output: "", errors: reason))
    }

    @Test("an input without an end in sight is refused, not kept")
    func endless() throws {
        let script = "head -c 17000000 /dev/zero | tr '\\0' a | \"$1\" get"
        let outcome = try programs.shell.run("/bin/sh", ["-c", script, "sh", programs.path(.git)])
        #expect(outcome.status == 0 && outcome.errors.contains("more than 16777216 bytes"))
    }

    @Test("the helpers are installed under all of their names, and documented")
    func names() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path
        let script = try String(contentsOfFile: "\(root)/Scripts/Installation/place.sh", encoding: .utf8)
        let line = try #require(script.split(separator: "\n").first { $0.hasPrefix("helper_names=") })
        let names = line.dropFirst("helper_names=\"".count).dropLast().split(separator: " ").map(String.init)
        #expect(Set(names) == Set(HelperName.allCases.map(\.rawValue)))
        let page = try String(contentsOfFile: "\(root)/Documentation/Helpers.md", encoding: .utf8)
        let manual = try String(contentsOfFile: "\(root)/Scripts/Installation/keychain-helper.1", encoding: .utf8)
        for name in HelperName.allCases {
            #expect(page.contains("`\(name.rawValue)"))
            #expect(manual.replacingOccurrences(of: "\\-", with: "-").contains(name.rawValue))
        }
    }
}

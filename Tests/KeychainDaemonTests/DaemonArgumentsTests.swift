// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import CommandManual
import Foundation
import Glibc
import KeychainAudit
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainDaemon

/// The command line of `keychaind`.
struct DaemonArgumentsTests {
    @Test(
        "options are understood",
        arguments: [
            ([], DaemonArguments()),
            (["--user", "--foreground"], DaemonArguments()),
            (["--store", "/a b"], DaemonArguments(store: "/a b")),
            (["--store=/a=b", "--socket", "/run/x"], DaemonArguments(store: "/a=b", socket: "/run/x")),
            (["--audit"], DaemonArguments(audit: AuditSettings())),
            (
                ["--audit-attributes=account,label"],
                DaemonArguments(audit: AuditSettings(attributes: [.account, .label]))
            ),
            (["--system"], DaemonArguments(service: .system)),
            (["--system", "--audit"], DaemonArguments(service: .system, audit: AuditSettings())),
            (["--system", "--files", "--audit"], DaemonArguments(service: .files, audit: AuditSettings())),
            (["--system", "--user", "--store", "/x"], DaemonArguments(store: "/x")),
            (["--system", "--keychain-limit", "16"], DaemonArguments(service: .system, keychainLimit: 16)),
            (["--background", "--exit-when-idle", "7"], DaemonArguments(isInBackground: true, idleSeconds: 7)),
            (["--secret-service"], DaemonArguments(secretService: SecretServiceArguments())),
            (
                ["--secret-service", "--bus", "/b/us", "--unlock-fd", "0", "--pinentry", "/p"],
                DaemonArguments(
                    secretService: SecretServiceArguments(bus: "/b/us", unlockDescriptor: 0, pinentry: "/p")
                )
            ),
        ] as [([String], DaemonArguments)]
    )
    func understood(_ words: [String], _ expected: DaemonArguments) throws {
        #expect(try DaemonCommand.parse(words).arguments == expected)
    }

    @Test("its examples are command lines that it accepts")
    func examples() throws {
        let examples = CommandDiscussion(DaemonCommand.configuration.discussion).examples
        #expect(!examples.isEmpty)
        for example in examples {
            let line = example.line.replacing("sudo -u swift-keychain ", with: "")
            let given = try #require(ExampleWords.arguments(of: line, to: "keychaind"), "\(example.line)")
            _ = try ExampleWords.withOpenDescriptor(in: given) { try DaemonCommand.parse($0) }
            #expect(example.line.count <= CommandDiscussion.lineLimit && example.meaning.hasSuffix("."))
        }
    }

    @Test("its manual page has its options and exit statuses, and mandoc has nothing to warn of")
    func manual() throws {
        let command = try CommandDescription(json: Data(DaemonCommand._dumpHelp().utf8))
        let pages = CommandPages(command, .keychaind, date: "2026-01-31", version: "1.2.3").pages
        let page = try #require(pages["keychaind.1"])
        #expect(pages.count == 1)
        for option in ["user", "files", "system", "store", "socket", "background", "exit\\-when\\-idle", "audit"] {
            #expect(page.contains("\n.It Fl \\-\(option)"), "\(option)")
        }
        for status in 0...3 { #expect(page.contains("\n.It \(status)\n")) }
        #expect(try Mandoc.warnings(in: page) == [])
    }

    @Test(
        "help and the version are shown, whatever follows",
        arguments: [["--help", "x"], ["-h"], ["--user", "--help"]]
    )
    func help(_ words: [String]) {
        let help = #expect(throws: (any Error).self) { try DaemonCommand.parse(words) }
        #expect(help.map { DaemonCommand.fullMessage(for: $0) }?.contains("USAGE: keychaind") == true)
        #expect(help.map { DaemonCommand.exitCode(for: $0) } == .success)
        let version = #expect(throws: (any Error).self) { try DaemonCommand.parse(["--version"]) }
        #expect(version.map { DaemonCommand.fullMessage(for: $0) } == ProductVersion.text)
    }

    @Test(
        "what is not understood is refused",
        arguments: [
            ["--store"], ["--store", ""], ["--store", "relative"], ["--socket", "x.sock"], ["--exit-when-idle", "0"],
            ["--exit-when-idle", "soon"], ["--exit-when-idle"], ["--background=yes"], ["--system=yes"], ["store"], [""],
            ["--system", "--keychain-limit"], ["--system", "--keychain-limit", "0"],
            ["--system", "--keychain-limit", "much"], ["--keychain-limit", "16"], ["--audit=yes"],
            ["--audit-attributes"], ["--audit-attributes", "secret"], ["--audit-attributes", "account,"],
            ["--bus", "/b"], ["--unlock-fd", "3"], ["--pinentry", "/p"], ["--secret-service", "--bus", "relative"],
            ["--secret-service", "--bus", "/\(String(repeating: "b", count: 107))"],
            ["--secret-service", "--unlock-fd", "secret"], ["--secret-service", "--unlock-fd", "-1"],
            ["--secret-service", "--pinentry", "pinentry"], ["--secret-service", "--system"],
            ["--secret-service", "--files"],
        ]
    )
    func refused(_ words: [String]) {
        let error = #expect(throws: (any Error).self) { try DaemonCommand.parse(words) }
        #expect(error.map { DaemonCommand.exitCode(for: $0) } == .validationFailure)
    }

    @Test(
        "the process ends with 2 for what is not understood, and with 0 for help and the version",
        arguments: [
            (["--secret-service", "--system"], 2), (["--secret-service", "--files"], 2), (["--none"], 2),
            (["store"], 2), (["--store", "relative"], 2), (["--exit-when-idle", "soon"], 2),
            (["--help"], 0), (["--version"], 0),
        ] as [([String], Int32)]
    )
    func process(_ words: [String], _ status: Int32) throws {
        let outcome = try Shell(environment: ["PATH": "/usr/bin:/bin"]).run("keychaind", words)
        #expect(outcome.status == status, "\(outcome)")
    }

    @Test("a refusal says what the option takes, in a sentence that goes on with where to look")
    func refusals() {
        for (words, text) in [
            (["--keychain-limit", "16"], "--keychain-limit is for --system"),
            (["--exit-when-idle", "0"], "--exit-when-idle takes a number of seconds, at most a year"),
            (
                ["--secret-service", "--unlock-fd", "hunter2"],
                "--unlock-fd takes the number of an open descriptor, never the passcode itself"
            ),
            (
                ["--secret-service", "--unlock-fd", "\(Int32.max)"],
                "--unlock-fd: descriptor 2147483647 is not open for reading; a shell opens it by 2147483647< FILE"
            ),
        ] {
            let error = #expect(throws: (any Error).self) { try DaemonCommand.parse(words) }
            #expect(error.map { DaemonCommand.message(for: $0) } == text)
        }
    }

    @Test("a daemon that is a message bus does not end for being idle, any other one does")
    func idleBus() throws {
        for (words, limit) in [
            (["--exit-when-idle", "9"], 9), (["--secret-service", "--exit-when-idle", "9"], 9),
            (["--secret-service", "--bus", "/tmp/bus", "--exit-when-idle", "9"], nil), ([], nil),
        ] as [([String], Int?)] {
            #expect(try DaemonCommand.parse(words).arguments.idleLimit == limit)
        }
    }
}

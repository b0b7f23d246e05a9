// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import Foundation
import KeychainTestSupport
import SecurityTool
import Testing

@testable import CommandManual
@testable import KeychainControl

/// The manual pages of `keychainctl`, and what all pages have in common.
struct ManualPagesTests {
    private static let description = Result { try CommandDescription(json: Data(KeychainControl._dumpHelp().utf8)) }

    private static func pages() throws -> [String: String] {
        let facts = PageFacts.keychainctl(groups: KeychainControl.groups)
        return CommandPages(try description.get(), facts, date: "2026-01-31", version: "1.2.3").pages
    }

    @Test("there is a page of keychainctl, and one of each of its commands")
    func names() throws {
        let commands = KeychainControl.configuration.subcommands.filter { $0.configuration.shouldDisplay }
            .map { "keychainctl-\($0._commandName).1" }
        #expect(try Set(Self.pages().keys) == Set(["keychainctl.1"] + commands))
    }

    @Test("every command that help shows is on a page, with its options and examples")
    func contents() throws {
        let pages = try Self.pages()
        for command in try Self.description.get().all.dropFirst() {
            let page = try #require(pages["keychainctl-\(command.path[1]).1"])
            let isPage = command.path.count == 2
            #expect(
                isPage
                    || page.contains("\n.Ss \(ManualText.escaped(command.path.dropFirst().joined(separator: " ")))\n")
            )
            for example in CommandDiscussion(command.discussion ?? "").examples {
                #expect(page.contains("\n\(ManualText.escaped(example.line))\n.Ed\n"), "\(example.line)")
            }
            for name in command.ownArguments.flatMap({ $0.names ?? [] }) where name.kind == .long {
                #expect(page.contains("Fl \\-\(ManualText.escaped(name.name))"), "\(command.path) \(name.name)")
            }
        }
        let overview = try #require(pages["keychainctl.1"])
        for (title, commands) in KeychainControl.groups {
            #expect(overview.contains("\n.Ss \(title)\n"))
            for command in commands { #expect(overview.contains("\n.It Xr keychainctl-\(command) 1\n")) }
        }
    }

    @Test("the pages of commands that name passwords have their exit statuses, and no others")
    func passwordStatuses() throws {
        let pages = try Self.pages()
        for command in ["get", "set", "list", "note", "attach", "expire", "history", "undo"] {
            #expect(pages["keychainctl-\(command).1"]?.contains("Several passwords are meant.") == true, "\(command)")
        }
        for command in ["device", "backup", "exec"] {
            #expect(pages["keychainctl-\(command).1"]?.contains("Several passwords are meant.") == false, "\(command)")
        }
    }

    @Test("every page has its sections, and leads to the page of words and to the configuration")
    func sections() throws {
        var pages = try Self.pages()
        pages["security.1"] = ManualPage.text(date: "2026-01-31", version: "1.2.3")
        for (name, page) in pages {
            for section in [
                "NAME", "SYNOPSIS", "DESCRIPTION", "ENVIRONMENT", "FILES", "EXIT STATUS", "EXAMPLES", "SEE ALSO",
            ] {
                #expect(page.contains("\n.Sh \(section)\n"), "\(name): \(section)")
            }
            #expect(page.contains("\n.Xr swift-keychain 7"), "\(name)")
            #expect(page.contains("\n.Xr keychainctl-words 1") == (name != "keychainctl-words.1"), "\(name)")
        }
    }

    @Test("mandoc has nothing to warn of")
    func lint() throws {
        for (name, page) in try Self.pages() {
            #expect(try Mandoc.warnings(in: page) == [], "\(name)")
        }
        #expect(try Mandoc.warnings(in: ManualPage.text(date: "2026-01-31", version: "1.2.3")) == [])
    }

    @Test("a command without groups is explained on one page, also without variables")
    func onePage() throws {
        let json = """
            {"command": {"commandName": "keychain-lint", "abstract": "Finds misuse.", "discussion": "EXAMPLES:\\n  a\\n        B.",
            "subcommands": [{"commandName": "lint", "superCommands": ["keychain-lint"], "abstract": "Lints.", "arguments": [
            {"kind": "option", "shouldDisplay": true, "isOptional": true, "isRepeating": false, "abstract": "How.",
            "names": [{"kind": "long", "name": "fail-on"}, {"kind": "short", "name": "f"}], "valueName": "level"}]}]}}
            """
        let command = try CommandDescription(json: Data(json.utf8))
        let pages = CommandPages(command, .linter, date: "2026-01-31", version: "1.2.3").pages
        #expect(Array(pages.keys) == ["keychain-lint.1"])
        let page = try #require(pages["keychain-lint.1"])
        #expect(page.contains("\n.Nm keychain\\-lint lint\n.Op Fl \\-fail\\-on Ar level\n"))
        #expect(
            page.contains("\n.Ss lint\nLints.\n.Bl -tag -width Ds\n.It Fl \\-fail\\-on , Fl f Ar level\nHow.\n.El\n")
        )
        #expect(try Mandoc.warnings(in: page) == [])
    }

    @Test("mandoc warns of a page that is wrong")
    func lintFinds() throws { #expect(try !Mandoc.warnings(in: ".Sh NAME\n.Bl -tag\n").isEmpty) }

    @Test(
        "text is neither a request nor an escape",
        arguments: [
            (".Sh NAME", ["\\&.Sh NAME"]), ("'quoted", ["\\&'quoted"]), ("a\\b -c", ["a\\eb \\-c"]),
            ("one\n\ntwo", ["one", ".Pp", "two"]), ("One. 'Two' (three.) Four", ["One.", "\\&'Two' (three.)", "Four"]),
            ("one\n  as it is\n  .is\ntwo", ["one", ".Bd -literal", "  as it is", "  .is", ".Ed", "two"]),
        ]
    )
    func text(_ text: String, _ lines: [String]) { #expect(ManualText.paragraphs(text) == lines) }

    @Test("the page of the configuration has every variable of the documentation")
    func configuration() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../..").standardizedFileURL
        let document = try String(
            contentsOf: root.appendingPathComponent("Documentation/Configuration.md"),
            encoding: .utf8
        )
        let script = root.appendingPathComponent("Scripts/Installation/configuration-page").path
        let outcome = try Shell(environment: ["PATH": "/usr/bin:/bin"]).run(script, ["2026-01-31"], input: document)
        #expect(outcome.status == 0)
        let page = outcome.output
        let names = document.matches(of: /\n\| `([A-Z_]+)` \|/).map { String($0.1) }
        #expect(names.count > 10)
        for name in names { #expect(page.contains("\n.It Ev \(name)\n"), "\(name)") }
        #expect(page.contains("\n.Xr keychainctl-words 1"))
        #expect(try Mandoc.warnings(in: page) == [])
    }

    @Test("Documentation/Words.md has the words of the command, each once")
    func words() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
        let page = try String(contentsOf: root.appendingPathComponent("Documentation/Words.md"), encoding: .utf8)
        let rows = WordTable.rows.map { row in
            let meaning = row.meaning.replacing(/'((keychainctl|security) [^']*)'/) { "`\($0.1)`" }
            return "| \(row.word) | \(meaning) |"
        }
        let table = page.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst(2).map(String.init)
        #expect(table == rows)
    }
}

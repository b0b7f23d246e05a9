// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainHost
import KeychainTestSupport
import Testing

/// What lies in the folder of a keychain that is used with everything: Documentation/Format.md names all of it.
@Suite(.timeLimit(.minutes(10)))
struct StoreFolderTests {
    private let folder: DaemonFolder
    private let shell: Shell

    init() throws {
        folder = try DaemonFolder(isEnabled: false)
        shell = try Shell.beside(folder)
    }

    @Test("each file of a keychain with a daemon, an audit log, a signed program and keychain files is documented")
    func names() throws {
        let (app, key) = (folder.path(beside: "app"), folder.path(beside: "team.pem"))
        try InstalledProgram.copy(DaemonFolder.program("keychain-items"), to: app)
        try expectSuccess(shell.run("keychainctl", ["team", "create", key]))
        try expectSuccess(
            shell.run("keychainctl", SigningWords.of(app, key: key) + ["--identifier", "com.example.app"])
        )
        try expectSuccess(shell.control("service enable"))
        try expectSuccess(shell.control("service audit on"))
        try expectSuccess(shell.run(app, ["add", "one", "secret"]))
        try expectSuccess(shell.control("device set-passcode --passcode-stdin", input: "1234\n"))
        try expectSuccess(shell.control("device unlock --passcode-stdin", input: "1234\n"))
        try expectSuccess(shell.control("device lock"))
        try expectSuccess(shell.security("create-keychain -p password \(folder.path(beside: "a.keychain"))"))

        let names = FileManager.default.subpaths(atPath: folder.location.path) ?? []
        let expected = [
            "keychain.db", "root.key", "lock.mark", "setup.lock", "attempt.lock", "service.record", "service.lock",
            "daemon.record", "daemon.lock", "identities.json", "audit.settings", "audit.jsonl", "files",
        ]
        #expect(Set(names).isSuperset(of: expected), "\(names)")
        let documented = try Self.documented()
        for name in names {
            let parts = name.split(separator: "/").map(String.init)
            #expect(parts.allSatisfy { part in documented.contains { part.wholeMatch(of: $0) != nil } }, "\(name)")
        }
    }

    private func expectSuccess(_ outcome: Shell.Outcome, _ location: SourceLocation = #_sourceLocation) throws {
        #expect(outcome.status == 0, "\(outcome)", sourceLocation: location)
    }

    /// The names in the first column of the tables of files, with their random digits.
    private static func documented() throws -> [Regex<AnyRegexOutput>] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appendingPathComponent("Documentation/Format.md"), encoding: .utf8)
        let section = try #require(text.components(separatedBy: "\n## The folder\n").last)
            .components(separatedBy: "\n## ")[0]
        let cells = section.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { $0.split(separator: "|")[0] }
        return try cells.flatMap { cell in
            try cell.matches(of: /`([^`]+)`/).map { match in
                let name = NSRegularExpression.escapedPattern(for: String(match.1))
                return try Regex(name.replacing(/\bN\b/, with: "[0-9a-f]+"))
            }
        }
    }

    @Test("a daemon in the background has the name of its program, by which ps(1) and pgrep(1) find it")
    func nameOfProcess() throws {
        try folder.handOverToDaemon()
        try expectSuccess(shell.security("add-generic-password -a anna -s service -w secret"))
        let process = try #require(folder.record?.process)
        #expect(try String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8) == "keychaind\n")
    }
}

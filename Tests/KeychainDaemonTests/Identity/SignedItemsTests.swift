// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// What a program that is signed, or was, finds and stores by SecItem, without a daemon and with one.
@Suite(.timeLimit(.minutes(10)))
struct SignedItemsTests {
    private let folder: DaemonFolder
    private let shell: Shell
    private let app: String
    private let team: String

    private static let success = "0"
    private static let notFound = "-25300"
    private static let refused = "-34018"

    init() throws {
        folder = try DaemonFolder(isEnabled: false)
        shell = try Shell.beside(folder)
        app = folder.path(beside: "app")
        try InstalledProgram.copy(DaemonFolder.program("keychain-items"), to: app)
        let key = folder.path(beside: "team.pem")
        let created = try shell.run("keychainctl", ["team", "create", key])
        let words = created.output.split { $0 == " " || $0 == ":" }
        team = try #require(words.count > 1 ? String(words[1]) : nil, "\(created)")
    }

    /// What the program printed, and what the trace of its call says.
    private struct Outcome {
        var output: String
        var trace: String
    }

    /// Runs a version of the program.
    private func run(_ words: String..., at path: String? = nil) throws -> Outcome {
        let trace = folder.path(beside: "trace-\(UUID().uuidString)")
        var environment = shell.environment
        environment["SWIFT_KEYCHAIN_TRACE"] = trace
        let outcome = try Shell(environment: environment).run(path ?? app, words)
        #expect(outcome.status == 0, "\(outcome)")
        return Outcome(
            output: outcome.output.trimmingCharacters(in: .newlines),
            trace: (try? String(contentsOfFile: trace, encoding: .utf8)) ?? ""
        )
    }

    /// Puts a version in the program's place that nobody signed.
    private func upgrade() throws {
        try Workshop().run(#"cp -p "$1" "$1.next"; printf x >> "$1.next"; mv "$1.next" "$1""#, app)
    }

    /// Signs the program, for groups or for one that is named like it.
    private func sign(groups: [String]? = nil) throws {
        var words = try SigningWords.of(app, key: folder.path(beside: "team.pem"))
        words += ["--identifier", "com.example.app"]
        if let groups {
            let list = folder.path(beside: "app.plist")
            let strings = groups.map { "<string>\($0)</string>" }.joined()
            try Data(
                "<plist version=\"1.0\"><dict><key>keychain-access-groups</key><array>\(strings)</array></dict></plist>"
                    .utf8
            ).write(to: URL(fileURLWithPath: list))
            words += ["--entitlements", list]
        }
        let signed = try shell.run("keychainctl", words)
        #expect(signed.status == 0, "\(signed)")
    }

    private var group: String { "\(team).com.example.app" }

    private func enable() throws -> Shell.Outcome {
        let enabled = try shell.control("service enable")
        #expect(enabled.status == 0, "\(enabled)")
        return enabled
    }

    @Test("a signed program finds what it stored in both keychains after each change of the owner")
    func owners() throws {
        try sign()
        #expect(try run("add", "before", "one").output == Self.success)
        #expect(try run("find", "before").output == "0 one \(group)")
        _ = try enable()
        #expect(try run("find", "before").output == "0 one \(group)")
        #expect(try run("add", "with", "two").output == Self.success)
        #expect(try run("find", "with").output == "0 two \(group)")
        let disabled = try shell.control("service disable")
        #expect(disabled.status == 0, "\(disabled)")
        #expect(try run("find", "before").output == "0 one \(group)")
        #expect(try run("find", "with").output == "0 two \(group)")
    }

    @Test("a version that nobody signed is told what it lost, and stores nothing where every program could read it")
    func unsignedVersion() throws {
        try sign()
        _ = try enable()
        #expect(try run("add", "one", "secret").output == Self.success)
        try upgrade()
        for isManifestThere in [true, false] {
            if !isManifestThere { #expect(unlink("\(app).keychain-manifest") == 0) }
            let found = try run("find", "one")
            #expect(found.output == Self.notFound)
            #expect(found.trace.contains("cannot access its items in \(group)"), "\(found.trace)")
            #expect(found.trace.contains("keychainctl sign"), "\(found.trace)")
            let added = try run("add", "two", "leaked")
            #expect(added.output == Self.refused)
            #expect(added.trace.contains("every program of the user can read it"), "\(added.trace)")
            #expect(added.trace.contains("keychainctl sign"), "\(added.trace)")
        }
        // A program that has the same name and was never signed.
        let other = folder.path(beside: "other")
        #expect(mkdir(other, 0o755) == 0)
        try InstalledProgram.copy(DaemonFolder.program("keychain-items"), to: "\(other)/app")
        #expect(try run("find", "two", at: "\(other)/app").output == Self.notFound)
        #expect(try run("add", "two", "own", at: "\(other)/app").output == Self.success)
        // Where it is meant for every program, it says so.
        let common = "swift-keychain.common"
        #expect(try run("add", "three", "open", common).output == Self.success)

        try sign()
        #expect(try run("find", "one").output == "0 secret \(group)")
    }

    @Test("a signed version that has fewer groups is told whose items it does not find")
    func fewerGroups() throws {
        let (first, shared) = ("\(team).com.example.first", "\(team).com.example.shared")
        try sign(groups: [first, shared])
        _ = try enable()
        #expect(try run("add", "one", "secret", shared).output == Self.success)
        for _ in 0..<2 {
            try sign(groups: [first])
            let found = try run("find", "one")
            #expect(found.output == Self.notFound)
            #expect(found.trace.contains("had the access groups \(shared)"), "\(found.trace)")
        }
        let verified = try shell.run("keychainctl", ["verify", app])
        #expect(verified.output.contains("had the access groups \(shared)"), "\(verified)")
        #expect(try run("add", "two", "own").output == Self.success)
        #expect(try run("find", "two").output == "0 own \(first)")
        try sign(groups: [first, shared])
        #expect(try run("find", "one").output == "0 secret \(shared)")
    }

    @Test("what a program stored before it was signed is named when a daemon takes over, and when it is not found")
    func storedBefore() throws {
        #expect(try run("add", "one", "secret").output == Self.success)
        try sign()
        let unowned = "swift-keychain.program.app"
        #expect(try run("find", "one").output == "0 secret \(unowned)")
        let rehearsal = try shell.control("service enable --dry-run")
        #expect(rehearsal.errors.contains(unowned), "\(rehearsal)")
        let enabled = try enable()
        #expect(enabled.errors.contains(unowned), "\(enabled)")
        let found = try run("find", "one")
        #expect(found.output == Self.notFound)
        #expect(found.trace.contains("'\(unowned)' is not among the groups of \(group)"), "\(found.trace)")
        #expect(
            found.trace.contains("what the program stored there before it was identified is kept"),
            "\(found.trace)"
        )
        let kept = try shell.security("find-generic-password -a one -w")
        #expect(kept.output == "secret\n", "\(kept)")
    }
}

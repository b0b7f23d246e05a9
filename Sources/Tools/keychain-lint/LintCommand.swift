// SPDX-License-Identifier: Apache-2.0
#if Lint
import ArgumentParser
import CommandHelp
import Foundation
import KeychainLint
import KeychainLintParsing

/// `keychain-lint lint`.
struct LintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Lints files and folders.",
        discussion: CommandDiscussion.text(examples: [
            "keychain-lint lint Sources Tests": "Lints two folders.",
            "keychain-lint lint --diff origin/main .": "Reports what lies on lines that a branch has changed.",
            "keychain-lint lint --format sarif . > findings.sarif": "Writes a report for other programs.",
            "keychain-lint lint --write-baseline known.json .":
                "Accepts what there is; --baseline leaves it out later.",
        ])
    )

    @Argument(help: "Files and folders.")
    var paths: [String] = ["."]

    @Option(help: "How findings are written: human, json, sarif, github, checkstyle.")
    var format: Format = .human

    @Flag(help: "Report notes of medium confidence, and findings of low confidence, too.")
    var pedantic = false

    @Option(help: "The severity from which findings make the command fail: note, warning, error.")
    var failOn: Severity = .warning

    @Option(help: "Run this rule only; may be given several times.")
    var rule: [String] = []

    @Option(help: "The configuration; else .keychain-lint.yml in the first path or in the current folder.")
    var config: String?

    @Option(help: "Leave out the findings in this file.")
    var baseline: String?

    @Option(help: "Write all findings into this file, for --baseline.")
    var writeBaseline: String?

    @Option(help: "Report only what lies on lines that were changed since this commit.")
    var diff: String?

    @Flag(help: "Make the safe edits.")
    var fix = false

    @Flag(help: "Say on standard error how long reading, parsing and analysis took.")
    var statistics = false

    @Option(help: "Write an empty file when done, for build systems.")
    var stamp: String?

    @Option(help: "Explain a rule, and lint nothing.")
    var explain: String?

    func run() throws {
        if let explain { return try ExplainCommand.explain(explain) }
        let linter = Linter()
        let settings = try readConfiguration(linter)
        var options = try makeOptions(settings)
        let known = try baseline.map { Baseline(try Self.read($0)) }
        options.formerGroups = known?.accessGroups
        if let diff { options.formerGroups = try accessGroups(at: diff) }
        let showsProgress = format == .human && isatty(STDERR_FILENO) == 1
        if showsProgress { Self.writeError("keychain-lint: examining \(paths.joined(separator: ", "))…\n") }
        let prefix = diff == nil ? "" : try repositoryPrefix()
        if fix {
            let changed = try diff.map(changedLines)
            let count = try linter.mend(paths: paths, excluded: settings.excluded, options: options) { outcome in
                outcome.apply(settings)
                changed?.apply(&outcome, prefix: prefix)
                known?.apply(&outcome)
            }
            Self.writeError("keychain-lint: \(count) \(count == 1 ? "edit was" : "edits were") made\n")
        }
        var outcome = linter.lint(paths: paths, excluded: settings.excluded, options: options)
        outcome.apply(settings)
        if let diff { try changedLines(since: diff).apply(&outcome, prefix: prefix) }
        if let writeBaseline {
            try Data(Baseline.text(outcome).utf8).write(to: URL(fileURLWithPath: writeBaseline))
        }
        known?.apply(&outcome)
        let root = paths.count == 1 ? paths[0] : ""
        print(format.text(outcome) { file in Self.lines(root, file) }, terminator: "")
        if statistics { Self.writeError(Self.statistics(outcome)) }
        if format != .human, format != .sarif, format != .github {
            for skipped in outcome.skipped { Self.writeError("keychain-lint: \(skipped.file) \(skipped.reason)\n") }
        }
        if let stamp { try Data().write(to: URL(fileURLWithPath: stamp)) }
        if outcome.skipped.contains(where: { $0.reason == .missing }) {
            suggestCommand()
            throw ExitCode(2)
        }
        if writeBaseline == nil, outcome.findings.contains(where: { $0.severity >= failOn }) { throw ExitCode(1) }
    }

    /// A mistyped command is taken for a path, as lint is the default.
    private func suggestCommand() {
        guard let word = paths.first else { return }
        let commands = KeychainLintCommand.configuration.subcommands.map { $0._commandName }
        guard let meant = NearWords.alternatives(NearWords.suggestions(for: word, among: commands)) else { return }
        Self.writeError("keychain-lint: did you mean \(meant)?\n")
    }

    private func makeOptions(_ settings: Configuration) throws -> Linter.Options {
        var options = Linter.Options()
        options.isPedantic = pedantic || settings.isPedantic
        options.disabled = settings.disabledRules
        options.severities = settings.severities
        options.rules = settings.onlyRules
        options.stores = settings.stores
        options.hostedRunners = settings.hostedRunners
        if !rule.isEmpty { options.rules = Set(try rule.map { try Rule.named($0).id }) }
        return options
    }

    private func readConfiguration(_ linter: Linter) throws -> Configuration {
        var candidates = [".keychain-lint.yml"]
        if let first = paths.first { candidates.insert(first + "/.keychain-lint.yml", at: 0) }
        guard let path = config ?? candidates.first(where: { FileManager.default.fileExists(atPath: $0) }) else {
            return Configuration()
        }
        let text = try Self.read(path)
        do {
            return try linter.configuration(text)
        } catch {
            // The run continues without it.
            Self.writeError("keychain-lint: \(path): \(error); the configuration is left out\n")
            return Configuration()
        }
    }

    // MARK: git

    private func git(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        var isFolder: ObjCBool = false
        let path = paths.first ?? "."
        _ = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        let folder = isFolder.boolValue ? path : URL(fileURLWithPath: path).deletingLastPathComponent().path
        process.arguments = ["git", "-C", folder, "-c", "core.quotePath=false"] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw ExitCode(2) }
        return String(decoding: data, as: UTF8.self)
    }

    private func changedLines(since base: String) throws -> ChangedLines {
        let diff = try git([
            "diff", "--unified=0", "--no-color", "--no-ext-diff", "--src-prefix=a/", "--dst-prefix=b/",
            "--end-of-options", base, "--",
        ])
        let added = try git(["ls-files", "--others", "--exclude-standard", "--full-name", "-z"])
        return ChangedLines(diff: diff, added: added.split(separator: "\0").map(String.init))
    }

    private func repositoryPrefix() throws -> String {
        try git(["rev-parse", "--show-prefix"]).trimmingCharacters(in: .newlines)
    }

    /// The keychain access groups of entitlements at a commit, by path relative to the linted folder.
    private func accessGroups(at base: String) throws -> [String: [String]] {
        var result: [String: [String]] = [:]
        for path in try git(["ls-tree", "-r", "-z", "--name-only", "--end-of-options", base]).split(separator: "\0")
        where path.hasSuffix(".entitlements") {
            result[String(path)] = Linter.accessGroups(ofEntitlements: try git(["show", "\(base):./\(path)"]))
        }
        return result
    }

    // MARK: Files

    private static func path(_ root: String, _ file: String) -> String? {
        [root.isEmpty ? file : root + "/" + file, root].first { path in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
        }
    }

    private static func read(_ path: String) throws -> String {
        guard let data = FileManager.default.contents(atPath: path) else {
            writeError("keychain-lint: \(path) cannot be read\n")
            throw ExitCode(2)
        }
        return String(decoding: data, as: UTF8.self)
    }

    private static func lines(_ root: String, _ file: String) -> [Substring]? {
        guard let path = path(root, file), let data = FileManager.default.contents(atPath: path) else { return nil }
        return String(decoding: data, as: UTF8.self).split(
            omittingEmptySubsequences: false,
            whereSeparator: \.isNewline
        )
    }

    private static func writeError(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }

    private static func statistics(_ outcome: Linter.Outcome) -> String {
        """
        \(outcome.lineCount) lines in \(outcome.fileCount) files, \(outcome.parsedCount) parsed
        reading and parsing \(outcome.readingTime), of it parsing \(outcome.parsingTime) (threads added up)
        analysis \(outcome.analysisTime)

        """
    }
}
#endif

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
            "keychain-lint lint --diff origin/main .": "Reports what a branch brings.",
            "keychain-lint lint --format sarif . > findings.sarif": "Writes a report for other programs.",
            "keychain-lint lint --write-baseline known.json .":
                "Accepts what there is; --baseline leaves it out later.",
            "keychain-lint lint --stdin --stdin-path Sources/Store.swift < Sources/Store.swift":
                "Lints text that an editor has not saved, as if it were in that file.",
        ])
    )

    @Argument(help: "Files and folders; else the current folder.")
    var paths: [String] = []

    @Option(help: "How findings are written: human, json, sarif, github, gitlab, junit, checkstyle.")
    var format: Format = .human

    @Flag(help: "Write the paths of files from the root, not from the current folder.")
    var absolutePaths = false

    @Flag(help: "Report notes of medium confidence, and findings of low confidence, too.")
    var pedantic = false

    @Option(help: "The severity from which findings make the command fail: note, warning (default), error.")
    var failOn: Severity?

    @Option(help: "Run this rule only; may be given several times.")
    var rule: [String] = []

    @Option(
        help: "The configuration; else .keychain-lint.yml in the folder of the first path or in one around it."
    )
    var config: String?

    @Option(help: "Leave out the findings in this file.")
    var baseline: String?

    @Option(help: "Write all findings into this file, for --baseline.")
    var writeBaseline: String?

    @Option(help: "Report only what was not there at this commit.")
    var diff: String?

    @Flag(help: "Make the safe edits.")
    var fix = false

    @Flag(help: "Read the text of a file from the standard input; with paths, together with the files there.")
    var stdin = false

    @Option(help: "The path of the file whose text is read from the standard input.")
    var stdinPath: String?

    @Flag(help: "Say on standard error how long reading, parsing and analysis took.")
    var statistics = false

    @Option(help: "Write an empty file when done, for build systems.")
    var stamp: String?

    @Option(help: "Explain a rule, and lint nothing.")
    var explain: String?

    func validate() throws {
        if stdin, stdinPath == nil { throw ValidationError("--stdin needs --stdin-path.") }
        if stdin, fix || diff != nil || writeBaseline != nil {
            throw ValidationError("--stdin does not go with --fix, --diff or --write-baseline.")
        }
    }

    func run() throws {
        if let explain { return try ExplainCommand.explain(explain) }
        if format == .human, isatty(STDERR_FILENO) == 1 {
            Self.writeError("keychain-lint: examining \(roots.joined(separator: ", "))…\n")
        }
        let run = try LintRun(self)
        var outcome = try run.outcome()
        if let writeBaseline {
            let text = Baseline.text(outcome, prefix: run.fingerprintPrefix)
            try Data(text.utf8).write(to: URL(fileURLWithPath: writeBaseline))
        }
        run.known?.apply(&outcome)
        outcome = outcome.below(run.displayPrefix)
        print(format.text(outcome, context: run.context), terminator: "")
        if statistics { Self.writeError(Self.statistics(outcome)) }
        if !format.namesSkippedFiles {
            for skipped in outcome.skipped { Self.writeError("keychain-lint: \(skipped.file) \(skipped.reason)\n") }
        }
        if let stamp { try Data().write(to: URL(fileURLWithPath: stamp)) }
        if outcome.skipped.contains(where: { $0.reason == .missing }) {
            suggestCommand()
            throw ExitCode(2)
        }
        if writeBaseline == nil, outcome.findings.contains(where: { $0.severity >= run.failOn }) { throw ExitCode(1) }
    }

    /// The files and folders to lint.
    var roots: [String] { paths.isEmpty ? stdinPath.map { [$0] } ?? ["."] : paths }

    /// A mistyped command is taken for a path, as lint is the default.
    private func suggestCommand() {
        guard let word = paths.first else { return }
        let commands = KeychainLintCommand.configuration.subcommands.map { $0._commandName }
        guard let meant = NearWords.alternatives(NearWords.suggestions(for: word, among: commands)) else { return }
        Self.writeError("keychain-lint: did you mean \(meant)?\n")
    }

    static func writeError(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }

    private static func statistics(_ outcome: Linter.Outcome) -> String {
        """
        \(outcome.lineCount) lines in \(outcome.fileCount) files, \(outcome.parsedCount) parsed
        reading and parsing \(outcome.readingTime), of it parsing \(outcome.parsingTime) (threads added up)
        analysis \(outcome.analysisTime)

        """
    }
}
#endif

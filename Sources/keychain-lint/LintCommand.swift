// SPDX-License-Identifier: Apache-2.0
#if Lint
import ArgumentParser
import Foundation
import KeychainLint
import KeychainLintParsing

/// `keychain-lint lint`.
struct LintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "lint", abstract: "Lints files and folders.")

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

    @Flag(help: "Say on standard error how long reading, parsing and analysis took.")
    var statistics = false

    func run() throws {
        var options = Linter.Options()
        options.isPedantic = pedantic
        if !rule.isEmpty {
            for name in rule where !Rule.all.contains(where: { $0.id == name }) {
                throw ValidationError("There is no rule '\(name)'. 'keychain-lint explain' lists them.")
            }
            options.rules = Set(rule)
        }
        let outcome = Linter().lint(paths: paths, options: options)
        let root = paths.count == 1 ? paths[0] : ""
        print(format.text(outcome) { file in Self.lines(root, file) }, terminator: "")
        if statistics { Self.say(outcome) }
        if outcome.skipped.contains(where: { $0.reason == "does not exist" }) { throw ExitCode(2) }
        if outcome.findings.contains(where: { $0.severity >= failOn }) { throw ExitCode(1) }
    }

    private static func lines(_ root: String, _ file: String) -> [Substring]? {
        let candidates = [root.isEmpty ? file : root + "/" + file, root]
        for path in candidates {
            guard let data = FileManager.default.contents(atPath: path) else { continue }
            return String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        }
        return nil
    }

    private static func say(_ outcome: Linter.Outcome) {
        let text = """
            \(outcome.lineCount) lines in \(outcome.fileCount) files, \(outcome.parsedCount) parsed
            reading and parsing \(outcome.readingTime), of it parsing \(outcome.parsingTime) (threads added up)
            analysis \(outcome.analysisTime)

            """
        FileHandle.standardError.write(Data(text.utf8))
    }
}
#endif

// SPDX-License-Identifier: Apache-2.0
#if Lint
import ArgumentParser
import Foundation
import KeychainLint
import KeychainLintParsing

/// A run of `keychain-lint lint`: its command line, with the configuration and the files.
struct LintRun {
    private let command: LintCommand
    private let linter = Linter()
    private let settings: Configuration
    /// The folder of the configuration; nil if there is none.
    private let settingsFolder: String?
    private let discovery: Discovery
    private let choice: PathChoice
    private let repository: Repository

    /// What the fingerprints have before the paths of files.
    let fingerprintPrefix: String
    /// What the findings have before the paths of files.
    let displayPrefix: String
    /// The findings that were accepted.
    let known: Baseline?

    init(_ command: LintCommand) throws {
        self.command = command
        let linter = linter
        let found = try Self.configurationFile(command)
        let settings = try found.map { try Self.settings(in: $0, linter) } ?? Configuration()
        let settingsFolder = found.map { PathName.folder(of: PathName.absolute($0)) }
        self.settings = settings
        self.settingsFolder = settingsFolder
        choice = PathChoice(included: settings.included, excluded: settings.excluded, folder: settingsFolder)
        discovery = Discovery(command.roots, choice: choice)
        let base = discovery.base
        fingerprintPrefix = Self.anchor(of: base, settingsFolder).map { PathName.prefix(of: base, in: $0) } ?? ""
        displayPrefix =
            command.absolutePaths
            ? PathName.joined(base, "") : PathName.prefix(of: base, in: PathName.absolute("."))
        repository = Repository(folder: base)
        let baseline =
            command.baseline
            ?? settings.baseline.map { $0.hasPrefix("/") ? $0 : PathName.joined(settingsFolder ?? ".", $0) }
        known = try baseline.map { Baseline(try Self.read($0)) }
    }

    /// The severity from which findings make the command fail.
    var failOn: Severity { command.failOn ?? settings.failOn ?? .warning }

    /// What reports say beside the findings.
    var context: ReportContext {
        ReportContext(
            workingFolder: command.absolutePaths ? nil : PathName.absolute("."),
            documentation: settings.documentation
                ?? ProcessInfo.processInfo.environment["KEYCHAIN_LINT_DOCUMENTATION"].flatMap { $0.isEmpty ? nil : $0 },
            source: Self.lines
        )
    }

    /// Lints, and mends if the command says so.
    ///
    /// The findings' paths are relative to the folder that all files lie in.
    func outcome() throws -> Linter.Outcome {
        var options = try options()
        if command.stdin { return try outcomeOfInput(options) }
        options.formerGroups = known?.accessGroups(below: fingerprintPrefix)
        var before: Baseline?
        if let commit = command.diff {
            let state = try repository.state(at: commit)
            options.formerGroups = state.accessGroups
            before = Baseline(Baseline.text(selected(linter.lint(state, of: discovery, options: options))))
        }
        if command.fix {
            let count = try linter.mend(paths: command.roots, choice: choice, options: options) { outcome in
                outcome.apply(settings, prefix: settingsPrefix)
                before?.apply(&outcome)
                known?.apply(&outcome)
            }
            LintCommand.writeError("keychain-lint: \(count) \(count == 1 ? "edit was" : "edits were") made\n")
        }
        var outcome = selected(linter.lint(discovery, options: options))
        before?.apply(&outcome)
        return outcome
    }

    private func selected(_ outcome: Linter.Outcome) -> Linter.Outcome {
        var outcome = outcome
        outcome.apply(settings, prefix: settingsPrefix)
        return outcome
    }

    private var settingsPrefix: String {
        settingsFolder.map { PathName.prefix(of: discovery.base, in: $0) } ?? ""
    }

    /// The findings in the text on the standard input.
    private func outcomeOfInput(_ options: Linter.Options) throws -> Linter.Outcome {
        let text = FileHandle.standardInput.readDataToEndOfFile()
        let path = PathName.relative(PathName.absolute(command.stdinPath ?? ""), to: discovery.base)
        let others = command.paths.isEmpty ? nil : discovery
        var outcome = selected(linter.lint(Array(text), at: path, among: others, options: options))
        outcome.findings.removeAll { $0.file != path }
        return outcome
    }

    private func options() throws -> Linter.Options {
        var options = Linter.Options()
        options.isPedantic = command.pedantic || settings.isPedantic
        options.disabled = settings.disabledRules
        options.severities = settings.severities
        options.rules = settings.onlyRules
        options.stores = settings.stores
        options.hostedRunners = settings.hostedRunners
        options.fingerprintPrefix = fingerprintPrefix
        if !command.rule.isEmpty { options.rules = Set(try command.rule.map { try Rule.named($0).id }) }
        return options
    }

    // MARK: Configuration

    /// The configuration that is named, or the nearest one: in the folder of the first path or in one around it, else
    /// in the current folder.
    private static func configurationFile(_ command: LintCommand) throws -> String? {
        if let config = command.config { return config }
        let first = PathName.absolute(command.roots.first ?? ".")
        let folders = PathName.folders(around: first) + [PathName.absolute(".")]
        let candidates = folders.flatMap { folder in Configuration.fileNames.map { PathName.joined(folder, $0) } }
        return candidates.first { FileManager.default.fileExists(atPath: $0) }
    }

    private static func settings(in file: String, _ linter: Linter) throws -> Configuration {
        do {
            return try linter.configuration(try read(file))
        } catch let failure as Configuration.Failure {
            // A run without it would find too little, and look like one that found nothing.
            let name = PathName.relative(PathName.absolute(file), to: PathName.absolute("."))
            LintCommand.writeError("keychain-lint: \(name): \(failure)\n")
            throw ExitCode(2)
        }
    }

    /// The folder from which fingerprints name files: it is the same wherever the linter runs.
    private static func anchor(of base: String, _ settingsFolder: String?) -> String? {
        if let settingsFolder, base == settingsFolder || base.hasPrefix(PathName.joined(settingsFolder, "")) {
            return settingsFolder
        }
        return PathName.folders(around: base).first {
            FileManager.default.fileExists(atPath: PathName.joined($0, ".git"))
        }
    }

    // MARK: Files

    private static func read(_ path: String) throws -> String {
        guard let data = FileManager.default.contents(atPath: path) else {
            LintCommand.writeError("keychain-lint: \(path) cannot be read\n")
            throw ExitCode(2)
        }
        return String(decoding: data, as: UTF8.self)
    }

    @Sendable private static func lines(_ path: String) -> [Substring]? {
        guard let data = FileManager.default.contents(atPath: path), let text = SourceText.decoded(Array(data))?.text
        else { return nil }
        return String(decoding: text, as: UTF8.self).split(
            omittingEmptySubsequences: false,
            whereSeparator: \.isNewline
        )
    }
}
#endif

// SPDX-License-Identifier: Apache-2.0

/// The output format of findings.
public enum Format: String, Sendable, CaseIterable {
    /// For people at a terminal.
    case human
    /// For programs: `{"findings": […]}`.
    case json
    /// SARIF 2.1.0.
    case sarif
    /// Annotations of GitHub Actions.
    case github
    /// The Code Quality report of GitLab.
    case gitlab
    /// JUnit's XML, which most CI systems show.
    case junit
    /// Checkstyle's XML, which many servers read.
    case checkstyle

    /// Whether the output has a place for files that were skipped.
    public var namesSkippedFiles: Bool { self != .checkstyle && self != .gitlab && self != .json }

    /// The text of an outcome.
    public func text(_ outcome: Linter.Outcome, context: ReportContext = ReportContext()) -> String {
        switch self {
        case .human: HumanOutput.text(outcome, context)
        case .json: JSONOutput.text(outcome)
        case .sarif: SARIFOutput.text(outcome, context)
        case .github: GitHubOutput.text(outcome)
        case .gitlab: GitLabOutput.text(outcome)
        case .junit: JUnitOutput.text(outcome)
        case .checkstyle: CheckstyleOutput.text(outcome)
        }
    }
}

/// What reports say beside the findings.
public struct ReportContext: Sendable {
    /// The folder that relative paths are relative to, from the root; nil if unknown.
    public var workingFolder: String?

    /// The address of the folder with the pages of the rules; nil if it is unknown.
    public var documentation: String?

    /// The lines of a file, for excerpts; nil if it cannot be read.
    public var source: @Sendable (String) -> [Substring]?

    /// Makes a context; without arguments nothing is known.
    public init(
        workingFolder: String? = nil,
        documentation: String? = nil,
        source: @escaping @Sendable (String) -> [Substring]? = { _ in nil }
    ) {
        self.workingFolder = workingFolder
        self.documentation = documentation.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        self.source = source
    }

    /// The address of a rule's page.
    func address(of rule: Rule) -> String? { documentation.map { "\($0)/\(rule.id).md" } }
}

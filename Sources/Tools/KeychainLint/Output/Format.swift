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
    /// Checkstyle's XML.
    case checkstyle

    /// The text of an outcome; `source` returns the lines of a file, for excerpts.
    public func text(_ outcome: Linter.Outcome, source: (String) -> [Substring]? = { _ in nil }) -> String {
        switch self {
        case .human: HumanOutput.text(outcome, source)
        case .json: JSONOutput.text(outcome)
        case .sarif: SARIFOutput.text(outcome)
        case .github: GitHubOutput.text(outcome)
        case .checkstyle: CheckstyleOutput.text(outcome)
        }
    }
}

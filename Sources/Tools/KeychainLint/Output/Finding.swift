// SPDX-License-Identifier: Apache-2.0

/// Something that a rule found.
public struct Finding: Sendable, Hashable {
    /// The rule's name.
    public var rule: String

    /// The severity.
    public var severity: Severity

    /// The confidence.
    public var confidence: Confidence

    /// The file, relative to the given path.
    public var file: String

    /// The first line, from 1.
    public var line: Int

    /// The column of the start, in bytes from 1.
    public var column: Int

    /// The last line.
    public var endLine: Int

    /// The column after the end.
    public var endColumn: Int

    /// The problem, in one sentence.
    public var message: String

    /// Related places.
    public var related: [Related] = []

    /// An edit that fixes it.
    public var fix: Fix?

    /// An identifier that does not change when lines move: from the rule, the function, and the subject.
    public var fingerprint: String

    /// The fingerprint of the finding on the same line of which this one is an echo: one mistake, seen by another rule.
    public var echoOf: String?

    /// A place related to a finding.
    public struct Related: Sendable, Hashable {
        /// The file, relative to the given path.
        public var file: String
        /// The line, from 1.
        public var line: Int
        /// A description of the place.
        public var message: String
    }

    /// An edit.
    public struct Fix: Sendable, Hashable {
        /// Whether it can only make the code stricter or more explicit.
        public var isSafe: Bool
        /// A description of the edit.
        public var title: String
        /// The start of the bytes to replace.
        public var start: Int
        /// The end of the bytes to replace.
        public var end: Int
        /// The replacement text.
        public var replacement: String
    }
}

/// Collects the findings of one rule.
package struct Report {
    let rule: Rule
    private(set) var findings: [Found] = []

    struct Found {
        var place: Place?
        /// For files other than Swift: the path, the line, the column and the last line.
        var position: (path: String, line: Int, column: Int, endLine: Int)?
        var severity: Severity
        var confidence: Confidence
        var message: String
        var related: [(place: Place, message: String)]
        var fix: Finding.Fix?
        var context: String
    }

    init(_ rule: Rule) { self.rule = rule }

    mutating func add(
        _ place: Place,
        _ message: String,
        severity: Severity? = nil,
        confidence: Confidence? = nil,
        related: [(place: Place, message: String)] = [],
        fix: Finding.Fix? = nil,
        context: String = ""
    ) {
        findings.append(
            Found(
                place: place,
                position: nil,
                severity: severity ?? rule.severity,
                confidence: confidence ?? rule.confidence,
                message: message,
                related: related,
                fix: fix,
                context: context
            )
        )
    }

    /// Reports a place in a Swift file from a rule that checks whole projects.
    mutating func add(
        _ place: Place,
        in module: Module,
        _ message: String,
        severity: Severity? = nil,
        confidence: Confidence? = nil,
        context: String = ""
    ) {
        let file = module.files[place.file]
        add(
            path: file.path,
            line: file.lines.line(place.range.start),
            column: file.lines.column(place.range.start),
            endLine: file.lines.line(place.range.end),
            message,
            severity: severity,
            confidence: confidence,
            context: context
        )
    }

    mutating func add(
        path: String,
        line: Int,
        column: Int = 1,
        endLine: Int? = nil,
        _ message: String,
        severity: Severity? = nil,
        confidence: Confidence? = nil,
        context: String = ""
    ) {
        findings.append(
            Found(
                place: nil,
                position: (path, line, column, endLine ?? line),
                severity: severity ?? rule.severity,
                confidence: confidence ?? rule.confidence,
                message: message,
                related: [],
                fix: nil,
                context: context
            )
        )
    }
}

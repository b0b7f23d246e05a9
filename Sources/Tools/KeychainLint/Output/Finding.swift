// SPDX-License-Identifier: Apache-2.0

/// Something that a rule found.
public struct Finding: Sendable, Hashable {
    /// The rule's name.
    public var rule: String

    /// How bad it is.
    public var severity: Severity

    /// How sure it is.
    public var confidence: Confidence

    /// The file, relative to the path that was given.
    public var file: String

    /// The first line, from 1.
    public var line: Int

    /// The column of the start, in bytes from 1.
    public var column: Int

    /// The last line.
    public var endLine: Int

    /// The column after the end.
    public var endColumn: Int

    /// What is wrong, in a sentence.
    public var message: String

    /// Other places that have to do with it.
    public var related: [Related] = []

    /// An edit that puts it right.
    public var fix: Fix?

    /// What stays the same when lines move: the rule, the function, and what the finding is about.
    public var fingerprint: String

    /// A place that has to do with a finding.
    public struct Related: Sendable, Hashable {
        /// The file, relative to the path that was given.
        public var file: String
        /// The line, from 1.
        public var line: Int
        /// What is there.
        public var message: String
    }

    /// An edit.
    public struct Fix: Sendable, Hashable {
        /// Whether it can only make the code stricter or more explicit.
        public var isSafe: Bool
        /// What it does.
        public var title: String
        /// The bytes that it replaces.
        public var start: Int
        /// The end of the bytes that it replaces.
        public var end: Int
        /// What it puts there.
        public var replacement: String
    }
}

/// Collects what one rule finds.
package struct Report {
    let rule: Rule
    private(set) var findings: [Found] = []

    struct Found {
        var place: Place?
        /// For files that are not Swift's: the path, the line, the column and the last line.
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

    /// Reports a place in a file of Swift from a rule that looks at whole projects.
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

// SPDX-License-Identifier: Apache-2.0

/// Cases ordered by declaration.
protocol Ordered: Comparable, CaseIterable {}

extension Ordered {
    /// The order in which the cases are declared.
    public static func < (left: Self, right: Self) -> Bool {
        for item in allCases where item == left || item == right { return item == left && item != right }
        return false
    }
}

/// The severity of a finding.
public enum Severity: String, Sendable, Hashable, Comparable, CaseIterable, Ordered {
    /// Worth knowing.
    case note
    /// Probably wrong.
    case warning
    /// Loses data, crashes, creates a vulnerability, or cannot work.
    case error
}

/// The confidence in a finding.
public enum Confidence: String, Sendable, Hashable, Comparable, CaseIterable, Ordered {
    /// Based on assumptions about other files.
    case low
    /// Based on one followed helper, or on names.
    case medium
    /// Based only on code that was analysed.
    case high
}

/// A rule: what it detects, why, and how to fix the code.
public struct Rule: Sendable {
    /// The name in findings and in comments that suppress it.
    public let id: String

    /// The severity of its findings, unless a finding overrides it.
    public let severity: Severity

    /// The confidence in its findings, unless a finding overrides it.
    public let confidence: Confidence

    /// The section of the documentation that lists it.
    public let family: Family

    /// A one-line description of what it detects.
    public let title: String

    /// Why this is a problem.
    public let reason: String

    /// How to fix it.
    public let remedy: String

    /// Code that it reports, for its page; the tests have more.
    public let flagged: Example

    /// Code that it accepts, for its page.
    public let accepted: Example

    let scope: Scope
    let check: Check

    /// Groups of rules.
    public enum Family: String, Sendable, CaseIterable {
        /// The contents of queries.
        case query = "Queries"
        /// The handling of statuses and results.
        case results = "Statuses and results"
        /// Access control, LocalAuthentication and the Secure Enclave.
        case accessControl = "Access control and authentication"
        /// Where secrets are kept.
        case secrets = "Where secrets live"
        /// Tests.
        case tests = "Tests"
        /// Entitlements files, projects and continuous integration.
        case project = "Projects and continuous integration"
        /// Matters of style, off by default.
        case style = "Style"
    }

    /// Code that demonstrates a rule.
    public struct Example: Sendable, ExpressibleByStringLiteral {
        /// Files by their paths.
        public let files: [String: String]

        /// The access groups of entitlements before a change, by path.
        public var formerGroups: [String: [String]]?

        /// A Swift file of a program.
        public init(stringLiteral code: String) { files = ["Sources/App/Example.swift": code] }

        /// Creates an example of several files, by path.
        public init(_ files: [String: String]) { self.files = files }

        /// Entitlements files that list these keychain access groups, and those that they listed before a change.
        static func entitlements(_ groups: String..., before: String...) -> Example {
            var example = Example(["App/App.entitlements": PropertyListLines.entitlements(groups)])
            example.formerGroups = ["App/App.entitlements": before]
            return example
        }

        /// A file at a path.
        public init(_ path: String, _ code: String) { files = [path: code] }

        /// A Swift file of a program, as concatenated text.
        static func code(_ parts: String...) -> Example {
            Example("Sources/App/Example.swift", parts.joined(separator: "\n"))
        }

        /// A Swift file of a test target.
        public static func test(_ code: String) -> Example { Example("Tests/AppTests/ExampleTests.swift", code) }

        /// A Swift file of a program for macOS.
        public static func mac(_ code: String) -> Example {
            Example([
                "Package.swift":
                    "// swift-tools-version: 6.0\nlet package = Package(name: \"App\", platforms: [.macOS(.v13)])",
                "Sources/App/Example.swift": code,
            ])
        }
    }

    enum Scope: Sendable { case sources, tests, all }

    enum Check: Sendable {
        /// Checks each call whose dictionary belongs to the analysed function.
        case site(@Sendable (Site, FunctionFacts, inout Report) -> Void)
        /// Checks the events of a function.
        case function(@Sendable (FunctionFacts, inout Report) -> Void)
        /// Checks the syntax of a file that contains one of some words; of every file if there are none.
        case file(mentioning: [String], @Sendable (FileFacts, inout Report) -> Void)
        /// Checks all functions of a program together.
        case module(@Sendable (ModuleFacts, inout Report) -> Void)
        /// Checks files other than Swift's, and both together.
        case project(@Sendable (Project, inout Report) -> Void)
        /// Compares entitlements with their access groups before a change, by path; runs if those are known.
        case change(@Sendable (Project, [String: [String]], inout Report) -> Void)
    }

    /// Whether the rule compares with the state before a change: its findings are not on a line of that change.
    var isAboutChange: Bool { if case .change = check { true } else { false } }

    init(
        _ id: String,
        severity: Severity,
        confidence: Confidence,
        family: Family,
        in scope: Scope = .sources,
        title: String,
        reason: String,
        remedy: String,
        flagged: Example,
        accepted: Example,
        check: Check
    ) {
        self.id = id
        self.severity = severity
        self.confidence = confidence
        self.family = family
        self.scope = scope
        self.title = title
        self.reason = reason
        self.remedy = remedy
        self.flagged = flagged
        self.accepted = accepted
        self.check = check
    }
}

// SPDX-License-Identifier: Apache-2.0

/// Cases that stand in their order.
protocol Ordered: Comparable, CaseIterable {}

extension Ordered {
    /// The order in which the cases are declared.
    public static func < (left: Self, right: Self) -> Bool {
        for item in allCases where item == left || item == right { return item == left && item != right }
        return false
    }
}

/// How bad a finding is.
public enum Severity: String, Sendable, Hashable, Comparable, CaseIterable, Ordered {
    /// Worth knowing.
    case note
    /// Probably wrong.
    case warning
    /// Loses data, crashes, opens a hole, or cannot work.
    case error
}

/// How sure a finding is.
public enum Confidence: String, Sendable, Hashable, Comparable, CaseIterable, Ordered {
    /// Rests on guesses about other files.
    case low
    /// Rests on one helper that was followed, or on names.
    case medium
    /// Everything that it rests on was seen.
    case high
}

/// A rule: what it looks for, why, and how code is put right.
public struct Rule: Sendable {
    /// The name in findings and in comments that suppress it.
    public let id: String

    /// How bad its findings are, unless a finding says otherwise.
    public let severity: Severity

    /// How sure its findings are, unless a finding says otherwise.
    public let confidence: Confidence

    /// Where the documentation lists it.
    public let family: Family

    /// What it finds, in a line.
    public let title: String

    /// Why that is wrong.
    public let reason: String

    /// How to put it right.
    public let remedy: String

    /// Code that it reports, for its page; the tests have more.
    public let flagged: Example

    /// Code that it accepts, for its page.
    public let accepted: Example

    let scope: Scope
    let check: Check

    /// Groups of rules.
    public enum Family: String, Sendable, CaseIterable {
        /// What is asked for in a call.
        case query = "Queries"
        /// What becomes of statuses and results.
        case results = "Statuses and results"
        /// Access control, LocalAuthentication and the Secure Enclave.
        case accessControl = "Access control and authentication"
        /// Where secrets are kept.
        case secrets = "Where secrets live"
        /// Tests.
        case tests = "Tests"
        /// Entitlements, projects and continuous integration.
        case project = "Projects and continuous integration"
        /// Matters of taste, off unless asked for.
        case style = "Style"
    }

    /// Code that shows a rule at work.
    public struct Example: Sendable, ExpressibleByStringLiteral {
        /// Files by their paths.
        public let files: [String: String]

        /// The access groups of entitlements before a change, by path.
        public var formerGroups: [String: [String]]?

        /// A Swift file of a program.
        public init(stringLiteral code: String) { files = ["Sources/App/Example.swift": code] }

        /// Files by their paths.
        public init(_ files: [String: String]) { self.files = files }

        /// Entitlements that list these keychain access groups, and those that they listed before a change.
        static func entitlements(_ groups: String..., before: String...) -> Example {
            var example = Example(["App/App.entitlements": PropertyListLines.entitlements(groups)])
            example.formerGroups = ["App/App.entitlements": before]
            return example
        }

        /// A file at a path.
        public init(_ path: String, _ code: String) { files = [path: code] }

        /// A Swift file of a program, as text that was put together.
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
        /// Looks at each call whose dictionary belongs to the function that is analysed.
        case site(@Sendable (Site, FunctionFacts, inout Report) -> Void)
        /// Looks at what happens in a function.
        case function(@Sendable (FunctionFacts, inout Report) -> Void)
        /// Looks at the syntax of a file that has one of some words; of each file when there are none.
        case file(mentioning: [String], @Sendable (FileFacts, inout Report) -> Void)
        /// Looks at all functions of a program together.
        case module(@Sendable (ModuleFacts, inout Report) -> Void)
        /// Looks at files other than Swift's, and at both together.
        case project(@Sendable (Project, inout Report) -> Void)
        /// Compares entitlements with their access groups before a change, by path; runs when those are known.
        case change(@Sendable (Project, [String: [String]], inout Report) -> Void)
    }

    /// Whether the rule compares with what was before a change: its findings lie on no line of that change.
    var isAboutChange: Bool { if case .change = check { true } else { false } }

    init(
        _ id: String,
        _ severity: Severity,
        _ confidence: Confidence,
        _ family: Family,
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

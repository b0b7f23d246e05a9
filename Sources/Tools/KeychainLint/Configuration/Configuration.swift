// SPDX-License-Identifier: Apache-2.0
import CommandHelp

/// The contents of a `.keychain-lint.yml`; `Documentation/Lint/Configuration.md` has an example.
public struct Configuration: Sendable {
    /// Rules that do not run.
    public var disabledRules: Set<String> = []
    /// The only rules that run; nil for all.
    public var onlyRules: Set<String>?
    /// Severities that replace those of rules.
    public var severities: [String: Severity] = [:]
    /// Patterns of the only paths to lint; empty for all.
    public var included: [String] = []
    /// Patterns of paths to exclude.
    public var excluded: [String] = []
    /// Whether notes of medium confidence, and findings of low confidence, are reported.
    public var isPedantic = false
    /// Patterns of the names of types that may call item functions, for `direct-secitem-in-business-logic`.
    public var stores: [String] = []
    /// Whether all CI jobs run on machines that are thrown away; nil: what each job says.
    public var hostedRunners: Bool?
    /// The file with findings to leave out, relative to the configuration.
    public var baseline: String?
    /// The severity from which findings make the command fail.
    public var failOn: Severity?
    /// The address of the folder with the rules' pages, for links.
    public var documentation: String?
    /// What differs under some paths, by their patterns.
    public var paths: [PathSettings] = []

    /// What differs under a path.
    public struct PathSettings: Sendable {
        /// The pattern of the path.
        public var pattern: String
        /// Rules that do not run.
        public var disabledRules: Set<String> = []
        /// Severities that replace those of rules.
        public var severities: [String: Severity] = [:]
    }

    /// The names of files that are looked for.
    public static let fileNames = [".keychain-lint.yml", ".keychain-lint.yaml"]

    /// The settings, each with its type in a JSON schema.
    public static let settings: [(name: String, schema: String)] = [
        ("disabled_rules", "rules"), ("only_rules", "rules"), ("severity", "severities"), ("included", "strings"),
        ("excluded", "strings"), ("pedantic", "boolean"), ("stores", "strings"), ("hosted-runners", "boolean"),
        ("baseline", "string"), ("fail_on", "severity"), ("documentation", "string"), ("paths", "paths"),
    ]

    /// The default configuration.
    public init() {}

    /// An invalid configuration.
    public struct Failure: Error, CustomStringConvertible {
        /// The problem, with the line.
        public var description: String
    }

    package init(yaml text: String, parser: any SourceParser) throws(Failure) {
        let root: YAMLNode
        do { root = try parser.parse(yaml: text) } catch { throw Failure(description: error.description) }
        if case .null = root.kind { return }
        guard case .mapping(let pairs) = root.kind else { throw Failure(description: "line 1: a mapping is expected") }
        for (key, value) in pairs {
            switch key {
            case "disabled_rules": disabledRules = try Self.rules(value)
            case "only_rules": onlyRules = try Self.rules(value)
            case "included": included = try Self.strings(value)
            case "excluded": excluded = try Self.strings(value)
            case "stores": stores = try Self.strings(value)
            case "pedantic": isPedantic = try Self.boolean(value, key)
            case "hosted-runners", "hosted_runners": hostedRunners = try Self.boolean(value, "hosted-runners")
            case "baseline": baseline = try Self.string(value)
            case "documentation": documentation = try Self.string(value)
            case "fail_on": failOn = try Self.severity(value)
            case "severity": severities = try Self.severities(value)
            case "paths":
                try Self.checkMapping(value)
                for (pattern, rest) in value.pairs { paths.append(try Self.pathSettings(rest, pattern)) }
            default:
                let question = NearWords.question(key, among: Self.settings.map(\.name))
                throw Failure(description: "line \(value.line): there is no setting '\(key)'\(question)")
            }
        }
    }

    private static func pathSettings(_ node: YAMLNode, _ pattern: String) throws(Failure) -> PathSettings {
        try checkMapping(node)
        var result = PathSettings(pattern: pattern)
        for (key, value) in node.pairs {
            switch key {
            case "disabled_rules": result.disabledRules = try rules(value)
            case "severity": result.severities = try severities(value)
            default:
                throw Failure(
                    description: "line \(value.line): a path has disabled_rules and severity, and nothing else"
                )
            }
        }
        return result
    }

    private static func boolean(_ node: YAMLNode, _ name: String) throws(Failure) -> Bool {
        guard let value = node.string.flatMap({ Bool($0) }) else {
            throw Failure(description: "line \(node.line): \(name) is true or false")
        }
        return value
    }

    private static func severity(_ node: YAMLNode) throws(Failure) -> Severity {
        guard let severity = node.string.flatMap(Severity.init(rawValue:)) else {
            throw Failure(description: "line \(node.line): a severity is note, warning or error")
        }
        return severity
    }

    private static func severities(_ node: YAMLNode) throws(Failure) -> [String: Severity] {
        try checkMapping(node)
        var result: [String: Severity] = [:]
        for (name, level) in node.pairs {
            try check(name, level.line)
            result[name] = try severity(level)
        }
        return result
    }

    private static func string(_ node: YAMLNode) throws(Failure) -> String {
        guard let text = node.string, !text.isEmpty else {
            throw Failure(description: "line \(node.line): a text is expected")
        }
        return text
    }

    private static func strings(_ node: YAMLNode) throws(Failure) -> [String] {
        guard case .sequence(let nodes) = node.kind else {
            throw Failure(description: "line \(node.line): a list is expected")
        }
        var result: [String] = []
        for node in nodes { result.append(try string(node)) }
        return result
    }

    private static func checkMapping(_ node: YAMLNode) throws(Failure) {
        guard case .mapping = node.kind else { throw Failure(description: "line \(node.line): a mapping is expected") }
    }

    private static func rules(_ node: YAMLNode) throws(Failure) -> Set<String> {
        let names = try strings(node)
        for name in names { try check(name, node.line) }
        return Set(names)
    }

    private static func check(_ name: String, _ line: Int) throws(Failure) {
        guard Rule.all.contains(where: { $0.id == name }) else {
            let question = NearWords.question(name, among: Rule.all.map(\.id))
            throw Failure(description: "line \(line): there is no rule '\(name)'\(question)")
        }
    }
}

extension Linter {
    /// Reads a configuration from the text of a `.keychain-lint.yml`.
    public func configuration(_ text: String) throws(Configuration.Failure) -> Configuration {
        try Configuration(yaml: text, parser: parser)
    }
}

extension Linter.Outcome {
    /// Applies what a configuration says about some paths; `prefix` leads from its folder to the linted one.
    public mutating func apply(_ configuration: Configuration, prefix: String = "") {
        for settings in configuration.paths {
            func applies(_ file: String) -> Bool {
                PathChoice.matches(file, settings.pattern) || PathChoice.matches(prefix + file, settings.pattern)
            }
            findings.removeAll { settings.disabledRules.contains($0.rule) && applies($0.file) }
            for index in findings.indices {
                guard let severity = settings.severities[findings[index].rule], applies(findings[index].file) else {
                    continue
                }
                findings[index].severity = severity
            }
        }
    }
}

extension NearWords {
    /// A question that ends a sentence about a mistyped word, such as `; is 'lock' meant?`; nothing if no word is near.
    static func question(_ word: String, among words: [String]) -> String {
        alternatives(suggestions(for: word, among: words)).map { "; is \($0) meant?" } ?? ""
    }
}

// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The contents of a `.keychain-lint.yml`.
///
/// ```yaml
/// disabled_rules: [biometric-flag-choice]
/// severity: {ignored-osstatus: error}
/// excluded: [Pods, "*/Generated/*"]
/// pedantic: false
/// hosted-runners: true
/// stores: ["*Keychain*", Vault]
/// paths:
///   Tests: {disabled_rules: [ignored-osstatus]}
/// ```
public struct Configuration: Sendable {
    /// Rules that do not run.
    public var disabledRules: Set<String> = []
    /// The only rules that run; nil for all.
    public var onlyRules: Set<String>?
    /// Severities that replace those of rules.
    public var severities: [String: Severity] = [:]
    /// Patterns of paths to exclude.
    public var excluded: [String] = []
    /// Whether notes of medium confidence, and findings of low confidence, are reported.
    public var isPedantic = false
    /// Patterns of the names of types that may call item functions, for `direct-secitem-in-business-logic`.
    public var stores: [String] = []
    /// Whether all CI jobs run on machines that are thrown away; nil: what each job says.
    public var hostedRunners: Bool?
    /// Rules that do not run under some paths.
    public var disabledByPath: [(pattern: String, rules: Set<String>)] = []

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
            case "excluded": excluded = try Self.strings(value)
            case "stores": stores = try Self.strings(value)
            case "pedantic":
                guard value.string == "true" || value.string == "false" else {
                    throw Failure(description: "line \(value.line): pedantic is true or false")
                }
                isPedantic = value.string == "true"
            case "hosted-runners", "hosted_runners":
                guard value.string == "true" || value.string == "false" else {
                    throw Failure(description: "line \(value.line): hosted-runners is true or false")
                }
                hostedRunners = value.string == "true"
            case "severity":
                try Self.checkMapping(value)
                for (name, level) in value.pairs {
                    try Self.check(name, level.line)
                    guard let severity = level.string.flatMap(Severity.init(rawValue:)) else {
                        throw Failure(description: "line \(level.line): a severity is note, warning or error")
                    }
                    severities[name] = severity
                }
            case "paths":
                try Self.checkMapping(value)
                for (pattern, rest) in value.pairs {
                    guard let list = rest["disabled_rules"], rest.pairs.count == 1 else {
                        throw Failure(description: "line \(rest.line): a path has disabled_rules, and nothing else")
                    }
                    disabledByPath.append((pattern, try Self.rules(list)))
                }
            default: throw Failure(description: "line \(value.line): there is no setting '\(key)'")
            }
        }
    }

    private static func strings(_ node: YAMLNode) throws(Failure) -> [String] {
        guard case .sequence(let nodes) = node.kind else {
            throw Failure(description: "line \(node.line): a list is expected")
        }
        var result: [String] = []
        for node in nodes {
            guard let text = node.string else { throw Failure(description: "line \(node.line): a text is expected") }
            result.append(text)
        }
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
            throw Failure(description: "line \(line): there is no rule '\(name)'")
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
    /// Removes findings that a configuration disables under some paths.
    public mutating func apply(_ configuration: Configuration) {
        guard !configuration.disabledByPath.isEmpty else { return }
        findings.removeAll { finding in
            configuration.disabledByPath.contains { pattern, rules in
                rules.contains(finding.rule) && Discovery.matches(finding.file, pattern)
            }
        }
    }
}

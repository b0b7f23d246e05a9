// SPDX-License-Identifier: Apache-2.0

/// Findings that one mistake causes beside the one that names it.
enum Echoes {
    /// Rules, and the rules that see the same mistake on the same line.
    private static let followers: [String: Set<String>] = [
        "delete-then-add": ["query-dictionary-reused"],
        "narrowing-attribute-in-query": ["query-dictionary-reused"],
        "parameter-group-mismatch": ["query-dictionary-reused", "narrowing-attribute-in-query"],
        "delete-class-wide": ["delete-incomplete-primary-key"],
        "secret-regenerated-on-read-error": ["read-error-collapsed", "item-not-found-fatal"],
        "delete-on-interaction-not-allowed": ["delete-on-read-error"],
        "result-cast-mismatch": ["force-cast-result", "copy-missing-match-limit"],
        "copy-missing-return-type": ["copy-missing-match-limit", "result-cast-mismatch"],
    ]

    /// Marks the echoes among findings, and puts each behind the finding that it belongs to.
    static func marked(_ findings: [Finding]) -> [Finding] {
        var result: [Finding] = []
        let byLine = Dictionary(grouping: findings) { "\($0.line) \($0.file)" }
        func lead(of finding: Finding) -> Finding? {
            byLine["\(finding.line) \(finding.file)"]?.first { other in
                followers[other.rule]?.contains(finding.rule) ?? false && other.severity >= finding.severity
            }
        }
        var echoes: [String: [Finding]] = [:]
        for finding in findings {
            guard let lead = lead(of: finding), self.isLead(lead, in: byLine) else { continue }
            var echo = finding
            echo.echoOf = lead.fingerprint
            echoes[lead.fingerprint, default: []].append(echo)
        }
        let folded = Set(echoes.values.joined().map(\.key))
        for finding in findings where !folded.contains(finding.key) {
            result.append(finding)
            // The first of several equal ones has them.
            result += echoes.removeValue(forKey: finding.fingerprint) ?? []
        }
        return result
    }

    /// Whether a finding is no echo itself.
    private static func isLead(_ finding: Finding, in byLine: [String: [Finding]]) -> Bool {
        !(byLine["\(finding.line) \(finding.file)"] ?? []).contains { other in
            followers[other.rule]?.contains(finding.rule) ?? false && other.severity >= finding.severity
        }
    }
}

extension Finding {
    /// Tells findings of one run apart.
    fileprivate var key: String { "\(rule) \(file) \(line) \(column)" }
}

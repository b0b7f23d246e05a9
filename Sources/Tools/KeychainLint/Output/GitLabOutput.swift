// SPDX-License-Identifier: Apache-2.0
import KeychainCore

/// The Code Quality report of GitLab: a list of findings, each with a fingerprint of its own.
enum GitLabOutput {
    static func text(_ outcome: Linter.Outcome) -> String {
        var counts: [String: Int] = [:]
        let findings = outcome.findings.map { finding -> JSONValue in
            let number = counts[finding.fingerprint, default: 0]
            counts[finding.fingerprint] = number + 1
            return .object([
                "description": .string(finding.message),
                "check_name": .string(finding.rule),
                // GitLab takes equal ones for one finding.
                "fingerprint": .string(number == 0 ? finding.fingerprint : "\(finding.fingerprint)-\(number)"),
                "severity": .string(severity(finding.severity)),
                "location": .object([
                    "path": .string(finding.file),
                    "lines": .object([
                        "begin": .integer(finding.line), "end": .integer(max(finding.line, finding.endLine)),
                    ]),
                ]),
            ])
        }
        return JSONValue.array(findings).indentedText + "\n"
    }

    private static func severity(_ severity: Severity) -> String {
        switch severity {
        case .note: "info"
        case .warning: "major"
        case .error: "critical"
        }
    }
}

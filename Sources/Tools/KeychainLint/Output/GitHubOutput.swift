// SPDX-License-Identifier: Apache-2.0

/// Workflow commands that GitHub Actions turns into annotations.
enum GitHubOutput {
    static func text(_ outcome: Linter.Outcome) -> String {
        var result = ""
        for finding in outcome.findings {
            let command = finding.severity == .note ? "notice" : finding.severity.rawValue
            result += "::\(command) file=\(property(finding.file)),line=\(finding.line),endLine=\(finding.endLine)"
            result += ",col=\(finding.column),title=\(property(finding.rule))::\(data(finding.message))\n"
        }
        for skipped in outcome.skipped {
            result += "::warning file=\(property(skipped.file)),title=keychain-lint::\(data("\(skipped.reason)"))\n"
        }
        return result
    }

    private static func data(_ text: String) -> String {
        text.map { character in
            switch character {
            case "%": "%25"
            case "\r": "%0D"
            case "\n": "%0A"
            default: String(character)
            }
        }.joined()
    }

    private static func property(_ text: String) -> String {
        data(text).map { character in
            switch character {
            case ":": "%3A"
            case ",": "%2C"
            default: String(character)
            }
        }.joined()
    }
}

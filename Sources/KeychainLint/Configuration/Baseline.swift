// SPDX-License-Identifier: Apache-2.0

/// Findings that are known: how many of each fingerprint, one line each.
public struct Baseline: Sendable {
    private var counts: [String: Int] = [:]

    /// Reads a baseline file; lines that begin with `#` say what the next ones are about.
    public init(_ text: String) {
        for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
            counts[String(line.prefix { $0 != " " }), default: 0] += 1
        }
    }

    /// The text of a baseline file with all findings of an outcome.
    public static func text(_ outcome: Linter.Outcome) -> String {
        var text =
            "# Findings that keychain-lint leaves out. Write it again with: keychain-lint lint --write-baseline FILE\n"
        for finding in outcome.findings { text += "\(finding.fingerprint) \(finding.rule) \(finding.file)\n" }
        return text
    }

    /// Leaves out what is known.
    public func apply(_ outcome: inout Linter.Outcome) {
        var left = counts
        outcome.findings.removeAll { finding in
            guard let count = left[finding.fingerprint], count > 0 else { return false }
            left[finding.fingerprint] = count - 1
            outcome.suppressedCount += 1
            return true
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// Known findings, as the count of each fingerprint, and the access groups of entitlements, one line each.
public struct Baseline: Sendable {
    private var counts: [String: Int] = [:]

    /// The keychain access groups of entitlements files when the baseline was written, by path.
    private var accessGroups: [String: [String]] = [:]

    private static let groupWord = "access-group"

    /// Reads a baseline file; lines that begin with `#` describe the lines after them.
    public init(_ text: String) {
        for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
            let words = line.split(separator: " ", maxSplits: 2)
            if words.count == 3, words[0] == Self.groupWord {
                accessGroups[String(words[2]), default: []].append(String(words[1]))
            } else {
                counts[String(words.first ?? ""), default: 0] += 1
            }
        }
    }

    /// The keychain access groups of entitlements files when the baseline was written, by path below a folder.
    public func accessGroups(below prefix: String) -> [String: [String]] {
        Dictionary(
            accessGroups.filter { $0.key.hasPrefix(prefix) }.map { (String($0.key.dropFirst(prefix.count)), $0.value) }
        ) { first, _ in first }
    }

    /// The text of a baseline file with all findings of an outcome; the prefix is that of the fingerprints.
    public static func text(_ outcome: Linter.Outcome, prefix: String = "") -> String {
        var text =
            "# Findings that keychain-lint leaves out. Write it again with: keychain-lint lint --write-baseline FILE\n"
        for finding in outcome.findings { text += "\(finding.fingerprint) \(finding.rule) \(prefix)\(finding.file)\n" }
        for (path, groups) in outcome.accessGroups.sorted(by: { $0.key < $1.key }) {
            for group in groups { text += "\(groupWord) \(group) \(prefix)\(path)\n" }
        }
        return text
    }

    /// Removes known findings.
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

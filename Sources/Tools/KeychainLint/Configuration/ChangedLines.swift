// SPDX-License-Identifier: Apache-2.0

/// The lines that a change adds, from `git diff --unified=0`.
public struct ChangedLines: Sendable {
    private var ranges: [String: [ClosedRange<Int>]] = [:]

    /// Reads a unified diff, with `a/` and `b/` before its paths.
    ///
    /// - Parameters:
    ///   - diff: The text of the diff.
    ///   - added: Files that are entirely new and not in the diff.
    public init(diff: String, added: [String] = []) {
        for path in added { ranges[path] = [1...Int.max] }
        var file = ""
        for line in diff.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("+++ ") {
                let path = line.dropFirst(4)
                // A tab follows a path with spaces.
                file = String((path.hasPrefix("b/") ? path.dropFirst(2) : path).prefix { $0 != "\t" })
            } else if line.hasPrefix("@@"), let plus = line.firstIndex(of: "+") {
                let numbers = line[line.index(after: plus)...].prefix { $0 != " " }.split(separator: ",")
                guard let first = numbers.first.flatMap({ Int($0) }) else { continue }
                let count = numbers.count > 1 ? Int(numbers[1]) ?? 1 : 1
                if count > 0 { ranges[file, default: []].append(first...first + count - 1) }
            }
        }
    }

    /// Removes findings that are not on an added line; `prefix` is the linted folder's path in the repository.
    public func apply(_ outcome: inout Linter.Outcome, prefix: String) {
        let aboutChange = Set(Rule.all.filter(\.isAboutChange).map(\.id))
        outcome.findings.removeAll { finding in
            if aboutChange.contains(finding.rule) { return false }
            let lines = finding.line...max(finding.line, finding.endLine)
            return !(ranges[prefix + finding.file] ?? []).contains { $0.overlaps(lines) }
        }
    }
}

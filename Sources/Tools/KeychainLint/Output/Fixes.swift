// SPDX-License-Identifier: Apache-2.0

/// The edits of findings.
public enum Fixes {
    /// Applies the safe edits to the text of a file; edits that overlap an earlier one wait for the next run.
    ///
    /// - Parameters:
    ///   - findings: The findings of one file.
    ///   - text: The bytes of the file.
    /// - Returns: The new bytes, and how many edits were made.
    public static func applied(_ findings: [Finding], to text: [UInt8]) -> (text: [UInt8], count: Int) {
        var result = text
        var count = 0
        var limit = text.count + 1
        let fixes = findings.compactMap(\.fix).filter(\.isSafe).sorted { ($0.start, $0.end) > ($1.start, $1.end) }
        for fix in fixes where fix.end < limit && fix.start <= fix.end && fix.end <= text.count {
            result.replaceSubrange(fix.start..<fix.end, with: Array(fix.replacement.utf8))
            limit = fix.start
            count += 1
        }
        return (result, count)
    }
}

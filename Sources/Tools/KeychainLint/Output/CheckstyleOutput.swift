// SPDX-License-Identifier: Apache-2.0

/// Checkstyle's XML, which many servers read.
enum CheckstyleOutput {
    static func text(_ outcome: Linter.Outcome) -> String {
        var result = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<checkstyle version=\"8.0\">\n"
        for (file, findings) in Dictionary(grouping: outcome.findings, by: \.file).sorted(by: { $0.key < $1.key }) {
            result += "  <file name=\"\(XMLText.escaped(file))\">\n"
            for finding in findings {
                let severity = finding.severity == .note ? "info" : finding.severity.rawValue
                result += "    <error line=\"\(finding.line)\" column=\"\(finding.column)\" severity=\"\(severity)\""
                result +=
                    " message=\"\(XMLText.escaped(finding.message))\" source=\"keychain-lint.\(finding.rule)\"/>\n"
            }
            result += "  </file>\n"
        }
        return result + "</checkstyle>\n"
    }
}

// SPDX-License-Identifier: Apache-2.0

/// JUnit's XML: a test case for each finding, which fails unless the finding is a note.
enum JUnitOutput {
    static func text(_ outcome: Linter.Outcome) -> String {
        let failures = outcome.findings.count { $0.severity > .note }
        // A run that finds nothing is a test that passes.
        let count = max(1, outcome.findings.count + outcome.skipped.count)
        var result = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
        result += "  <testsuite name=\"keychain-lint\" tests=\"\(count)\" failures=\"\(failures)\" errors=\"0\""
        result += " skipped=\"\(outcome.skipped.count)\">\n"
        for finding in outcome.findings { result += testCase(finding) }
        for skipped in outcome.skipped {
            result += "    <testcase classname=\"\(XMLText.escaped(skipped.file))\" name=\"keychain-lint\">\n"
            result += "      <skipped message=\"\(XMLText.escaped("\(skipped.reason)"))\"/>\n    </testcase>\n"
        }
        if outcome.findings.isEmpty, outcome.skipped.isEmpty {
            result += "    <testcase classname=\"keychain-lint\" name=\"no findings\"/>\n"
        }
        return result + "  </testsuite>\n</testsuites>\n"
    }

    private static func testCase(_ finding: Finding) -> String {
        let place = "\(finding.file):\(finding.line):\(finding.column)"
        let message = XMLText.escaped(finding.message)
        var result = "    <testcase classname=\"\(XMLText.escaped(finding.file))\""
        result += " name=\"\(XMLText.escaped("\(finding.rule) in line \(finding.line)"))\""
        result += " file=\"\(XMLText.escaped(finding.file))\" line=\"\(finding.line)\">\n"
        if finding.severity == .note {
            result += "      <system-out>\(XMLText.escaped(place)): note: \(message)</system-out>\n"
        } else {
            result += "      <failure type=\"\(finding.severity.rawValue)\" message=\"\(message)\">"
            result += "\(XMLText.escaped(place)): \(message)</failure>\n"
        }
        return result + "    </testcase>\n"
    }
}

/// Text in XML.
enum XMLText {
    /// As the value of an attribute, and as content.
    static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\"": "&quot;"
            case "\n": "&#10;"
            case "\r": "&#13;"
            case "\t": "&#9;"
            // No other control character is allowed in a document, not even escaped.
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": "\u{FFFD}"
            default: String(scalar)
            }
        }.joined()
    }
}

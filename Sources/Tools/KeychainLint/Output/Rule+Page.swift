// SPDX-License-Identifier: Apache-2.0

extension Rule {
    /// The page of the documentation about the rule.
    public var page: String {
        var text = "# `\(id)`\n\n\(title).\n\n"
        text += "| severity | confidence | group |\n| --- | --- | --- |\n"
        text += "| \(severity.rawValue) | \(confidence.rawValue) | \(family.rawValue) |\n\n"
        text += "**Why.** \(reason)\n\n**What to do.** \(remedy)\n\n"
        text += seeAlso
        text += "Reported:\n\n" + Self.code(flagged) + "Accepted:\n\n" + Self.code(accepted)
        text += "Suppress a finding, with a reason, on the line before it:\n\n"
        text += suppression
        return text
    }

    /// Where public catalogues have it.
    private var seeAlso: String {
        let (tests, weaknesses) = catalogues
        let links =
            tests.map { "[\($0)](../MASTG.md)" }
            + weaknesses.map { "[CWE-\($0)](https://cwe.mitre.org/data/definitions/\($0).html)" }
        return links.isEmpty ? "" : "**See also.** \(links.joined(separator: ", "))\n\n"
    }

    /// A comment that suppresses a finding, in the syntax of the file that the rule is about.
    private var suppression: String {
        let comment = "keychain-lint:disable:next \(id) — the reason"
        let path = flagged.files.keys.sorted().first { !$0.hasSuffix(".swift") } ?? ""
        if flagged.files.keys.contains(where: { $0.hasSuffix(".swift") }) { return "```swift\n// \(comment)\n```\n" }
        if path.hasSuffix(".entitlements") || path.hasSuffix(".plist") { return "```xml\n<!-- \(comment) -->\n```\n" }
        if path.hasSuffix(".pbxproj") || path.hasSuffix(".xcconfig") { return "```\n// \(comment)\n```\n" }
        return "```sh\n# \(comment)\n```\n"
    }

    private static func code(_ example: Example) -> String {
        var text = ""
        for (path, code) in example.files.sorted(by: { $0.key > $1.key }) {
            if example.files.count > 1 || !path.hasSuffix(".swift") { text += "`\(path)`\n\n" }
            let language = path.hasSuffix(".swift") ? "swift" : path.hasSuffix("yml") ? "yaml" : ""
            text += "```\(language)\n\(code)\n```\n\n"
        }
        return text
    }

    /// The index of the pages.
    public static var index: String {
        var text = "# Rules of keychain-lint\n\n"
        text +=
            "[Configuration](Configuration.md) says how to choose rules, severities and paths, and what a fix does.\n\n"
        for family in Family.allCases {
            let rules = all.filter { $0.family == family }
            if rules.isEmpty { continue }
            text += "## \(family.rawValue)\n\n| rule | severity | confidence | finds |\n| --- | --- | --- | --- |\n"
            for rule in rules {
                text += "| [`\(rule.id)`](\(rule.id).md) | \(rule.severity.rawValue) | \(rule.confidence.rawValue) |"
                text += " \(rule.title) |\n"
            }
            text += "\n"
        }
        return text
    }
}

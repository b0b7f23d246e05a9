// SPDX-License-Identifier: Apache-2.0
import Foundation

extension Rule {
    static let hardcodedSecret = Rule(
        "hardcoded-secret",
        severity: .warning,
        confidence: .medium,
        family: .secrets,
        title: "A secret stands in the source",
        reason: """
            Whoever has the program or the repository has the secret, and it cannot be changed without a \
            release.
            """,
        remedy: """
            Fetch it at run time and keep it in the keychain, or give it to the build from a store of secrets.
            """,
        flagged: """
            let apiKey = "q7Zr2mVw9Lk4Xt8B1nPs"
            """,
        accepted: """
            let apiKeyName = "weather_api_key"
            """,
        check: .file(mentioning: []) { facts, report in
            // Vectors and expired tokens.
            if SourceFile.isForTests(facts.source.path) { return }
            var seen: Set<ByteRange> = []
            func found(at range: ByteRange, named name: String, severity: Severity?) {
                guard seen.insert(range).inserted else { return }
                report.add(
                    Place(file: facts.file, range: range),
                    "a secret stands in the source: \(name)",
                    severity: severity,
                    context: name
                )
            }
            var named: [(String, Expression)] = []
            for statement in SyntaxWalk.statements(facts.source.tree.statements) {
                guard case .variable(let variable) = statement.kind else { continue }
                for binding in variable.bindings {
                    guard let name = binding.name else { continue }
                    if let value = binding.value { named.append((name, value)) }
                    for statement in binding.getter ?? [] {
                        switch statement.kind {
                        case .returned(let value?), .expression(let value): named.append((name, value))
                        default: continue
                        }
                    }
                }
            }
            for expression in SyntaxWalk.expressions(facts.source.tree.statements) {
                if let text = expression.literalText, let provider = SecretText.provider(text) {
                    found(at: expression.range, named: provider, severity: .error)
                }
                switch expression.kind {
                case .assign(let target, let value): if let name = target.lastName { named.append((name, value)) }
                case .call(_, let arguments):
                    for argument in arguments {
                        if let label = argument.label { named.append((label, argument.value)) }
                    }
                default: break
                }
            }
            for (written, value) in named {
                let name = SecretText.subject(written)
                guard SecretName.isSecret(name), !SecretName.isExcused(name), let text = value.literalText,
                    SecretText.looksRandom(text), !SecretText.isPublishable(text)
                else { continue }
                found(at: value.range, named: "'\(name)'", severity: SecretText.severity(of: text, named: name))
            }
        }
    )
}

/// Detects literals that look like secrets.
enum SecretText {
    /// A name without a suffix that says nothing: `apiKeyValue` is about `apiKey`.
    static func subject(_ name: String) -> String {
        for suffix in ["Value", "String", "Constant", "Literal"] where name.hasSuffix(suffix) {
            return String(name.dropLast(suffix.count))
        }
        return name
    }

    /// An error for what opens something; a key that identifies a program to a service is in every copy of it anyway.
    static func severity(of text: String, named name: String) -> Severity? {
        let words = SecretName.words(name)
        let identifiesProgram =
            ["apikey", "appkey", "clientkey"].contains(words.suffix(2).joined()) || words.last == "apikey"
        return !identifiesProgram && entropy(text) > 3.6 ? .error : nil
    }

    /// The provider of a secret, recognized by its format; nil for other texts.
    static func provider(_ text: String) -> String? {
        let trimmed = text.drop { $0 == "\n" || $0 == " " }
        let formats: [(prefix: String, count: Int, name: String)] = [
            ("AKIA", 20, "an access key of AWS"), ("ghp_", 40, "a token of GitHub"), ("gho_", 40, "a token of GitHub"),
            ("github_pat_", 60, "a token of GitHub"), ("sk_live_", 24, "a key of Stripe"),
            ("xoxb-", 30, "a token of Slack"),
            ("xoxp-", 30, "a token of Slack"),
        ]
        // Also in a header: `Bearer ghp_…`.
        for word in trimmed.split(whereSeparator: { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }) {
            for format in formats where word.hasPrefix(format.prefix) && word.count >= format.count {
                if entropy(String(word)) > 3 { return format.name }
            }
        }
        if trimmed.hasPrefix("-----BEGIN "), trimmed.contains("PRIVATE KEY-----"), trimmed.count > 80 {
            return "a private key"
        }
        return nil
    }

    /// Whether a text is a key that its provider intends to be public: PostHog's, and Stripe's publishable keys.
    static func isPublishable(_ text: String) -> Bool {
        ["phc_", "pk_live_", "pk_test_"].contains { text.hasPrefix($0) }
    }

    /// Whether a text looks random, not like words or a name.
    static func looksRandom(_ text: String) -> Bool {
        guard text.count >= 8, text.count < 4096, !text.contains(" "), !text.contains("\n") else { return false }
        let lower = text.lowercased()
        if [
            "your", "change", "xxxx", "example", "placeholder", "dummy", "sample", "test", "todo", "password", "secret",
            "token", "<", "$(", "http", "://", "1234",
        ].contains(where: { lower.contains($0) }) {
            return false
        }
        let digits = text.filter(\.isNumber).count
        let letters = text.filter(\.isLetter)
        // Names: words with dots, underscores, hyphens; all upper or lower case without digits.
        guard digits > 1, letters.count > 2 else { return false }
        let isName = text.allSatisfy { $0.isLetter || $0 == "_" || $0 == "." || $0 == "-" }
        if isName || text.contains(".") && lower.hasPrefix("com.") { return false }
        // A version, or an identifier with a small number at its end.
        if text.prefix(while: { $0.isLetter || "._-".contains($0) }).count + 2 >= text.count { return false }
        return entropy(text) > 3
    }

    /// The entropy of a text, in bits per character.
    static func entropy(_ text: String) -> Double {
        var counts: [Character: Int] = [:]
        for character in text { counts[character, default: 0] += 1 }
        let total = Double(text.count)
        return counts.values.reduce(0) { sum, count in
            let share = Double(count) / total
            return sum - share * log2(share)
        }
    }
}

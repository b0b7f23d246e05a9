// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let credentialInPlistOrFile = Rule(
        "credential-in-plist-or-file",
        severity: .warning,
        confidence: .medium,
        family: .secrets,
        in: .all,
        title: "A credential lies in a property list or a settings file",
        reason: """
            Property lists and build settings are part of the program that everybody can download, and of the \
            repository.
            """,
        remedy: """
            Fetch it at run time and keep it in the keychain, or give it to the build from a store of secrets.
            """,
        flagged: """
            import Foundation
            func keep(_ credentials: Credentials, _ folder: URL) throws {
                try JSONEncoder().encode(credentials).write(to: folder.appendingPathComponent("login.plist"))
            }
            """,
        accepted: """
            import Foundation
            func keep(_ credentials: Credentials, _ file: URL) throws {
                try seal(JSONEncoder().encode(credentials)).write(to: file.appendingPathComponent("login.json"))
                try historyToken.write(to: file.appendingPathComponent("history.json"))
            }
            """,
        check: .project { project, report in
            for module in project.modules {
                for file in module.module.files where !file.isTest {
                    for found in FileWrite.all(file) {
                        report.add(
                            path: file.path,
                            line: file.lines.line(found.range.start),
                            column: file.lines.column(found.range.start),
                            endLine: file.lines.line(found.range.end),
                            "writes '\(found.name)' to a file in the clear",
                            context: found.name
                        )
                    }
                }
            }
            func check(_ name: String, value: String, in path: String, at line: Int) {
                guard SecretName.isSecret(name), !SecretName.isExcused(name), !value.contains("$"),
                    SecretText.looksRandom(value) || isPassword(name, value)
                else { return }
                report.add(path: path, line: line, "'\(name)' stands in the file", context: name)
            }
            for file in project.files {
                // Firebase's keys identify a project; they grant no access.
                if file.text.contains("<key>GOOGLE_APP_ID</key>") { continue }
                if file.path.hasSuffix(".plist") {
                    for entry in PropertyListLines(file).entries {
                        guard let value = entry.strings.first else { continue }
                        check(entry.key, value: value.text, in: file.path, at: value.line)
                    }
                } else if file.path.hasSuffix(".xcconfig") {
                    for (index, line) in file.lines.enumerated() where !line.hasPrefix("//") {
                        let parts = line.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " } }
                        if parts.count == 2 { check(parts[0], value: parts[1], in: file.path, at: index + 1) }
                    }
                }
            }
        }
    )
}

/// Whether an entry is called a password, and its value may be one that a person chose.
private func isPassword(_ name: String, _ value: String) -> Bool {
    guard let last = SecretName.words(name).last, ["password", "passwd", "passphrase"].contains(last),
        (4..<64).contains(value.count)
    else { return false }
    let lower = value.lowercased()
    let placeholders = [
        "password", "passwort", "your", "change", "example", "placeholder", "xxx", "todo", "secret", "<",
    ]
    return !value.contains(" ") && !placeholders.contains { lower.contains($0) } && value.contains(where: \.isNumber)
}

/// A write of a secret to a file.
private enum FileWrite {
    static func all(_ file: SourceFile) -> [(name: String, range: ByteRange)] {
        let values = LocalValues(file.tree.statements)
        let carriers = SecretCarriers(file.tree.statements)
        return SyntaxWalk.expressions(file.tree.statements).compactMap {
            expression -> (name: String, range: ByteRange)? in
            guard case .call(let callee, let arguments) = expression.kind,
                let (base, target) = written(by: callee, arguments)
            else { return nil }
            let path = values.sources(of: target).flatMap {
                SyntaxWalk.expressions([Statement(.expression($0), $0.range)]).compactMap(\.literalText)
            }
            guard path.contains(where: { $0.hasSuffix("plist") || $0.hasSuffix("json") || $0.hasSuffix("txt") }) else {
                return nil
            }
            let sources = values.sources(of: base)
            let text = ([expression] + sources).map { file.text($0.range).lowercased() }.joined(separator: " ")
            if ["encrypt", "seal", "cipher", "fileprotection"].contains(where: { text.contains($0) }) { return nil }
            let parts = sources.flatMap { SyntaxWalk.expressions([Statement(.expression($0), $0.range)]) }
            let names = parts.compactMap { part -> String? in
                if case .name(let name) = part.kind { return name }
                if case .member(_?, let name) = part.kind { return name }
                return nil
            }
            let named = names.first { SecretName.isSecret($0) && !SecretName.isExcused($0) }
            let carried = parts.lazy.compactMap { carriers.secret(encodedBy: $0) }.first
            return (named ?? carried).map { ($0, expression.range) }
        }
    }

    /// What a call writes, and where to: `data.write(to: url)`, `createFile(atPath: path, contents: data)`.
    private static func written(
        by callee: Expression,
        _ arguments: [CallArgument]
    ) -> (value: Expression, target: Expression)? {
        guard case .member(let base?, let name) = callee.kind, let first = arguments.first else { return nil }
        if name == "write", first.label == "to" || first.label == "toFile" { return (base, first.value) }
        guard name == "createFile", first.label == "atPath" else { return nil }
        return arguments.first { $0.label == "contents" }.map { ($0.value, first.value) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Rule {
    static let migrationLeavesSource = Rule(
        "migration-leaves-source",
        severity: .warning,
        confidence: .medium,
        family: .results,
        title: "A secret is copied into the keychain, and stays where it was",
        reason: """
            As long as the old copy lies in user defaults, nothing is gained: it goes on being backed up in the \
            clear.
            """,
        remedy: "Remove the old copy when the new one was read back.",
        flagged: """
            import Foundation
            func migrate(_ defaults: UserDefaults) throws {
                guard let token = defaults.string(forKey: "authToken") else { return }
                try vault.set(token, "authToken")
            }
            """,
        accepted: """
            import Foundation
            func migrate(_ defaults: UserDefaults) throws {
                guard let token = defaults.string(forKey: "authToken") else { return }
                try vault.set(token, "authToken")
                defaults.removeObject(forKey: "authToken")
            }
            """,
        check: .file(mentioning: ["Defaults"]) { facts, report in
            let text = facts.source.text(ByteRange(0, facts.source.text.count))
            // The file removes it somewhere.
            if text.contains("removeObject(") || text.contains("removePersistentDomain") || text.contains("set(nil") {
                return
            }
            for statement in SyntaxWalk.statements(facts.source.tree.statements) {
                guard case .function(let function) = statement.kind, let body = function.body else { continue }
                let expressions = SyntaxWalk.expressions(body)
                var read: String?
                var write: Expression?
                for expression in expressions {
                    guard case .call(let callee, let arguments) = expression.kind,
                        case .member(let base?, let name) = callee.kind
                    else {
                        continue
                    }
                    if ["string", "data", "object", "value"].contains(name), arguments.first?.label == "forKey",
                        facts.source.text(base.range).lowercased().contains("defaults"),
                        let key = arguments[0].value.literalText ?? arguments[0].value.bare.lastName,
                        SecretName.isSecret(key),
                        !SecretName.isExcused(key)
                    {
                        read = key
                    }
                    let receiver = facts.source.text(base.range).lowercased()
                    let isKeychain = receiver.contains("keychain") || receiver.contains("vault")
                    if read != nil, isKeychain, ["set", "save", "store", "write", "add", "put"].contains(name) {
                        write = expression
                    }
                }
                guard let read, let write else { continue }
                report.add(
                    Place(file: facts.file, range: write.range),
                    "copies '\(read)' from user defaults into the keychain, and leaves it there",
                    context: read
                )
            }
        }
    )
}

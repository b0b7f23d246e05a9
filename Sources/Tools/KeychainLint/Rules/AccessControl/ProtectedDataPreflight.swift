// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let protectedDataPreflight = Rule(
        "protected-data-preflight",
        severity: .note,
        confidence: .high,
        family: .accessControl,
        title: "A look at the lock state decides about the keychain",
        reason: """
            isProtectedDataAvailable may change before the next line runs. Only the call itself knows, and says \
            errSecInteractionNotAllowed.
            """,
        remedy: "Make the call, and handle errSecInteractionNotAllowed.",
        flagged: """
            import UIKit
            func read() throws -> Data? {
                guard UIApplication.shared.isProtectedDataAvailable else { throw Locked() }
                return try vault.read()
            }
            """,
        accepted: #"""
            import UIKit
            func report() { log("available: \(UIApplication.shared.isProtectedDataAvailable)") }
            """#,
        check: .file(mentioning: ["isProtectedDataAvailable"]) { facts, report in
            for statement in SyntaxWalk.statements(facts.source.tree.statements) {
                let conditions: [Statement.Condition]
                switch statement.kind {
                case .condition(let list, _, _), .guarded(let list, _): conditions = list
                default: continue
                }
                for case .expression(let condition) in conditions {
                    let statement = Statement(.expression(condition), condition.range)
                    guard
                        SyntaxWalk.expressions([statement]).contains(where: {
                            $0.lastName == "isProtectedDataAvailable"
                        })
                    else { continue }
                    report.add(
                        Place(file: facts.file, range: condition.range),
                        "decides by isProtectedDataAvailable, which may have changed at the next line"
                    )
                }
            }
        }
    )
}

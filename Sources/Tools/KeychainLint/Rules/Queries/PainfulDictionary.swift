// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let painfulDictionary = Rule(
        "painful-dictionary",
        severity: .note,
        confidence: .medium,
        family: .style,
        title: "A dictionary is made of parallel lists of pointers",
        reason: """
            CFDictionaryCreate takes keys and values as two lists of unsafe pointers: one too few in either, and \
            the call reads past its end.
            """,
        remedy: "Write a dictionary literal, and cast it with as CFDictionary.",
        flagged: """
            import Security
            func make(_ k: inout [UnsafeRawPointer?], _ v: inout [UnsafeRawPointer?]) -> CFDictionary? { CFDictionaryCreate(nil, &k, &v, 2, nil, nil) }
            """,
        accepted: """
            import Security
            let d = [kSecClass: kSecClassKey] as CFDictionary
            """,
        check: .file(mentioning: ["CFDictionaryCreate"]) { facts, report in
            for expression in SyntaxWalk.expressions(facts.source.tree.statements) {
                guard case .call(let callee, _) = expression.kind, callee.path == ["CFDictionaryCreate"] else {
                    continue
                }
                report.add(Place(file: facts.file, range: expression.range), "write a dictionary literal instead")
            }
        }
    )
}

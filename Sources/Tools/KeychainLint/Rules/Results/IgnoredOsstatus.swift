// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Rule {
    static let ignoredOsstatus = Rule(
        "ignored-osstatus",
        severity: .warning,
        confidence: .high,
        family: .results,
        in: .all,
        title: "The status of a call is dropped",
        reason: """
            Every keychain call can fail: locked, cancelled, no entitlement, full disk. Without a look at the \
            status a failure passes for success, and the result variable says nothing reliable.
            """,
        remedy: "Look at the status; for a delete errSecItemNotFound is success too.",
        flagged: """
            import Security
            func forget() { SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary) }
            """,
        accepted: """
            import Security
            func forget() -> OSStatus { return SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary) }
            """,
        check: .module { all, report in
            for facts in all.functions { reportSites(facts, &report) }
            let words = ByteSearch.Words(statusFunctions.sorted())
            for (number, file) in all.module.files.enumerated() where words.areFound(in: file.text) {
                for (name, range) in droppedCalls(file.tree.statements) {
                    report.add(
                        Place(file: number, range: range),
                        "drops the status of \(name)",
                        severity: file.isTest ? .note : nil,
                        context: name
                    )
                }
            }
        }
    )
}

private func reportSites(_ facts: FunctionFacts, _ report: inout Report) {
    for site in facts.sites {
        if let discard = site.discards.first(where: { $0.depth == 0 }) {
            let isCleanUp = facts.isTest || site.isDeferred
            report.add(
                discard.place,
                "drops the status of \(site.function.rawValue)",
                severity: isCleanUp ? .note : nil,
                context: site.context
            )
        } else if site.isReported, site.statusDepth == 0, let name = site.statusVariable, !site.isStatusRead,
            site.discards.isEmpty,
            !site.isInClosure
        {
            report.add(
                site.reportPlace,
                "the status of \(site.function.rawValue) is kept in '\(name)' and never read",
                context: site.context
            )
        }
    }
}

/// Functions around items that return a status, and their results through a pointer.
private let statusFunctions: Set<String> = [
    "SecIdentityCopyCertificate", "SecIdentityCopyPrivateKey", "SecIdentityCreateWithCertificate", "SecPKCS12Import",
    "SecItemImport", "SecItemExport", "SecKeyGeneratePair", "SecCertificateCopyCommonName",
]

/// The calls of such functions whose status is discarded.
private func droppedCalls(_ statements: [Statement]) -> [(name: String, range: ByteRange)] {
    // The only expression of a body is what it returns.
    var returned: Set<ByteRange> = []
    for statement in SyntaxWalk.statements(statements) {
        switch statement.kind {
        case .function(let function):
            if function.result != nil, let body = function.body, body.count == 1 { returned.insert(body[0].range) }
        case .variable(let variable):
            for case .some(let getter) in variable.bindings.map(\.getter) where getter.count == 1 {
                returned.insert(getter[0].range)
            }
        default: break
        }
    }
    for expression in SyntaxWalk.expressions(statements) {
        if case .closure(let closure) = expression.kind, closure.body.count == 1 {
            returned.insert(closure.body[0].range)
        }
    }
    return SyntaxWalk.statements(statements).compactMap { statement in
        guard case .expression(var call) = statement.kind, !returned.contains(statement.range) else { return nil }
        if case .assign(let target, let value) = call.kind {
            guard target.lastName == "_" || target.lastName == nil else { return nil }
            call = value
        }
        guard case .call(let callee, _) = call.bare.kind, let name = callee.lastName, statusFunctions.contains(name)
        else { return nil }
        return (name, call.range)
    }
}

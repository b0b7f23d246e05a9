// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let secureEnclaveUnguarded = Rule(
        "secure-enclave-unguarded",
        severity: .warning,
        confidence: .high,
        family: .accessControl,
        in: .all,
        title: "A key of the Secure Enclave is made without asking whether there is one",
        reason: """
            The simulator, virtual machines and older Macs have no Secure Enclave: making the key throws there, \
            in tests and on CI first.
            """,
        remedy: "Ask SecureEnclave.isAvailable, or catch the failure and use a software key.",
        flagged: """
            import CryptoKit
            func make() throws -> SecureEnclave.P256.Signing.PrivateKey { try SecureEnclave.P256.Signing.PrivateKey() }
            """,
        accepted: """
            import CryptoKit
            func make() throws -> any Key {
                guard SecureEnclave.isAvailable else { return SoftwareKey() }
                return try SecureEnclave.P256.Signing.PrivateKey()
            }
            """,
        check: .file(mentioning: ["SecureEnclave"]) { facts, report in
            if facts.module.types["SecureEnclave"] != nil { return }
            // A project that checks anywhere in the file, or decides by the platform, is accepted.
            let text = facts.source.text(ByteRange(0, facts.source.text.count))
            let guards = [
                "SecureEnclave.isAvailable", "targetEnvironment(simulator)", "isSecureEnclaveAvailable",
                "hasSecureEnclave",
                "secureEnclaveAvailable", "SecureEnclaveAvailable", "XCTSkip", "isSimulator",
            ]
            if guards.contains(where: { text.contains($0) }) { return }
            var excused: [ByteRange] = []
            for statement in SyntaxWalk.statements(facts.source.tree.statements) {
                // A failure that is caught immediately.
                if case .attempt(let body, let catches) = statement.kind, !catches.isEmpty, let first = body.first,
                    let last = body.last
                {
                    excused.append(ByteRange(first.range.start, last.range.end))
                }
            }
            for expression in SyntaxWalk.expressions(facts.source.tree.statements) {
                if case .tryExpression(.optional, let inner) = expression.kind { excused.append(inner.range) }
                guard case .call(let callee, let arguments) = expression.kind else { continue }
                if excused.contains(where: { $0.contains(expression.range) }) { continue }
                let isCryptoKit = callee.path.map { $0.first == "SecureEnclave" && $0.last == "PrivateKey" } ?? false
                if isCryptoKit, arguments.contains(where: { $0.label == "dataRepresentation" }) { continue }
                let isRandomKey = ["SecKeyCreateRandomKey", "SecKeyGeneratePair"].contains(callee.lastName ?? "")
                guard isCryptoKit || (isRandomKey && text.contains("kSecAttrTokenIDSecureEnclave")) else { continue }
                if isRandomKey, !isEnclave(expression, facts) { continue }
                if !facts.source.isTest, isMadeUnderGuard(expression, in: facts, guards: guards) { continue }
                report.add(
                    Place(file: facts.file, range: expression.range),
                    "makes a key of the Secure Enclave without asking whether there is one",
                    severity: facts.source.isTest ? .error : nil
                )
            }
        }
    )
}

/// Whether the function around a call names the token of the Secure Enclave.
private func isEnclave(_ call: Expression, _ facts: FileFacts) -> Bool {
    let around = SyntaxWalk.statements(facts.source.tree.statements).last { statement in
        guard case .function(let function) = statement.kind else { return false }
        return function.range.contains(call.range)
    }
    guard let around else { return false }
    return facts.source.text(around.range).contains("kSecAttrTokenIDSecureEnclave")
}

/// Whether the type around a call is only created in files that check for a Secure Enclave.
private func isMadeUnderGuard(_ call: Expression, in facts: FileFacts, guards: [String]) -> Bool {
    let types = SyntaxWalk.statements(facts.source.tree.statements).compactMap { statement -> String? in
        guard case .type(let type) = statement.kind, statement.range.contains(call.range) else { return nil }
        return type.name
    }
    guard let name = types.first else { return false }
    let construction = Array((name + "(").utf8)
    let makers = facts.module.files.filter {
        !$0.isTest && !ByteSearch.occurrences(of: construction, in: $0.text).isEmpty
    }
    let words = ByteSearch.Words(guards)
    return !makers.isEmpty && makers.allSatisfy { words.areFound(in: $0.text) }
}

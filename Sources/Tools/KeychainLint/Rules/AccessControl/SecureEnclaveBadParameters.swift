// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let secureEnclaveBadParameters = Rule(
        "secure-enclave-bad-parameters",
        severity: .error,
        confidence: .high,
        family: .accessControl,
        title: "A key is asked for that the Secure Enclave does not make",
        reason: """
            Through the Security framework the Secure Enclave makes elliptic keys of 256 bits, from nothing: \
            another type, another size or a given value is refused.
            """,
        remedy: """
            Use kSecAttrKeyTypeECSECPrimeRandom with 256 bits, and an access control with .privateKeyUsage.
            """,
        flagged: """
            import Security
            let a: [CFString: Any] = [kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 2048]
            """,
        accepted: """
            import Security
            let a: [CFString: Any] = [kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom,
                kSecAttrKeySizeInBits: 256]
            """,
        check: .file(mentioning: ["TokenIDSecureEnclave"]) { facts, report in
            func named(_ expression: Expression) -> String? { expression.bare.lastName.map { KeyTable.canonical($0) } }
            func check(_ pairs: [(key: Expression, value: Expression, range: ByteRange)]) {
                guard
                    pairs.contains(where: {
                        named($0.key) == "kSecAttrTokenID" && named($0.value) == "kSecAttrTokenIDSecureEnclave"
                    })
                else { return }
                for pair in pairs {
                    let problem: String?
                    switch named(pair.key) {
                    case "kSecAttrKeyType":
                        let type = named(pair.value) ?? ""
                        let isElliptic = type == "kSecAttrKeyTypeECSECPrimeRandom"
                        problem =
                            type.hasPrefix("kSecAttrKeyType") && !isElliptic
                            ? "the Secure Enclave makes no \(type)" : nil
                    case "kSecAttrKeySizeInBits":
                        if case .integer(let bits?) = pair.value.bare.kind, bits != 256 {
                            problem = "the Secure Enclave makes keys of 256 bits, not of \(bits)"
                        } else {
                            problem = nil
                        }
                    case "kSecValueData": problem = "the Secure Enclave takes no key from outside"
                    default: problem = nil
                    }
                    if let problem {
                        let entry = Place(file: facts.file, range: pair.range)
                        let call = creatingCall(around: pair.range, facts)
                        report.add(call ?? entry, problem, related: call == nil ? [] : [(entry, "the entry")])
                    }
                }
            }
            for expression in SyntaxWalk.expressions(facts.source.tree.statements) {
                guard case .dictionary(let elements) = expression.kind else { continue }
                check(elements.map { ($0.key, $0.value, $0.range) })
            }
            // The entries written to a variable of a function, after the literal that it starts with.
            for statement in SyntaxWalk.statements(facts.source.tree.statements) {
                guard case .function(let function) = statement.kind, let body = function.body else { continue }
                var written: [String: [(key: Expression, value: Expression, range: ByteRange)]] = [:]
                for inner in body {
                    switch inner.kind {
                    case .variable(let variable):
                        for binding in variable.bindings {
                            guard let name = binding.name, case .dictionary(let elements)? = binding.value?.bare.kind
                            else { continue }
                            written[name] = elements.map { ($0.key, $0.value, $0.range) }
                        }
                    case .expression(let expression):
                        guard case .assign(let target, let value) = expression.kind,
                            case .index(let base, let keys) = target.kind,
                            let name = base.path?.first, let key = keys.first?.value, written[name] != nil
                        else { continue }
                        written[name]?.append((key, value, expression.range))
                    default: continue
                    }
                }
                for pairs in written.values { check(pairs) }
            }
        }
    )
}

/// The only call in the function around an entry that creates a key.
private func creatingCall(around range: ByteRange, _ facts: FileFacts) -> Place? {
    let names = ["SecKeyCreateRandomKey", "SecKeyGeneratePair", "SecKeyCreateWithData", "SecItemAdd"]
    let around = SyntaxWalk.statements(facts.source.tree.statements).last { statement in
        guard case .function(let function) = statement.kind else { return false }
        return function.range.contains(range)
    }
    guard let around else { return nil }
    let calls = SyntaxWalk.expressions([around]).filter { expression in
        guard case .call(let callee, _) = expression.kind else { return false }
        return names.contains(callee.lastName ?? "")
    }
    return calls.count == 1 ? Place(file: facts.file, range: calls[0].range) : nil
}

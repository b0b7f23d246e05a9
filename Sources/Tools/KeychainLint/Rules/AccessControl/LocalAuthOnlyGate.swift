// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let localAuthOnlyGate = Rule(
        "local-auth-only-gate",
        severity: .warning,
        confidence: .medium,
        family: .accessControl,
        title: "Authentication decides about a variable, not about a secret",
        reason: """
            evaluatePolicy only answers yes or no: whoever changes the answer, or the variable, is in. Nothing \
            is bound to the owner unless an item of the keychain is.
            """,
        remedy: """
            Keep the secret in an item with an access control, and read it with the context as \
            kSecUseAuthenticationContext.
            """,
        flagged: """
            import LocalAuthentication
            final class Gate {
                var unlocked = false
                func start() {
                    LAContext().evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "x") { ok, _ in self.unlocked = ok }
                }
            }
            """,
        accepted: """
            import LocalAuthentication
            import Security
            final class Gate {
                var unlocked = false
                func start(_ q: inout [CFString: Any]) {
                    let context = LAContext()
                    q[kSecUseAuthenticationContext] = context
                    context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "x") { ok, _ in self.unlocked = ok }
                }
            }
            """,
        check: .module { all, report in
            let module = all.module
            // If the module binds anything to the owner, the variable may depend on that.
            let bound = [
                "kSecUseAuthenticationContext", "kSecAttrAccessControl", "authenticationContext", "SecureEnclaveValet",
                "Valet(",
            ]
            let isBound = module.files.contains { file in
                !file.isTest && bound.contains { !ByteSearch.occurrences(of: Array($0.utf8), in: file.text).isEmpty }
            }
            if isBound { return }
            for (number, file) in module.files.enumerated()
            where !file.isTest && file.imports.contains("LocalAuthentication") {
                for expression in SyntaxWalk.expressions(file.tree.statements) {
                    switch expression.kind {
                    case .assign(let target, let value):
                        guard UnlockName.matches(target), case .call(let callee, _) = value.bare.kind,
                            callee.lastName == "evaluatePolicy"
                        else { continue }
                        report.add(
                            Place(file: number, range: value.bare.range),
                            "the answer of evaluatePolicy is all that protects"
                        )
                    case .call(let callee, let arguments):
                        guard callee.lastName == "evaluatePolicy", let last = arguments.last,
                            case .closure(let closure) = last.value.kind,
                            let answer = closure.parameters.first ?? Optional("$0"),
                            UnlockName.isSet(in: closure.body, by: answer)
                        else { continue }
                        report.add(
                            Place(file: number, range: expression.range),
                            "the answer of evaluatePolicy is all that protects"
                        )
                    default: continue
                    }
                }
            }
        }
    )
}

/// Variables that record that the user is authenticated.
private enum UnlockName {
    static func matches(_ target: Expression) -> Bool {
        let name = (target.lastName ?? "").lowercased()
        return ["unlock", "authenticated", "authorized", "authorised", "loggedin", "signedin"].contains {
            name.contains($0)
        }
            && !name.contains("unlocking") && !name.contains("failed")
    }

    /// Whether such a variable is set to the result, or to true if the result is true.
    static func isSet(in body: [Statement], by answer: String) -> Bool {
        SyntaxWalk.expressions(body).contains { expression in
            guard case .assign(let target, let value) = expression.kind, matches(target) else { return false }
            if case .boolean(true) = value.kind { return true }
            return value.path == [answer]
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let localAuthFailOpen = Rule(
        "local-auth-fail-open",
        severity: .error,
        confidence: .high,
        family: .accessControl,
        title: "Who cannot be authenticated is let in",
        reason: """
            When the policy cannot be evaluated, because no passcode or no biometry is set, the branch goes on \
            as if the owner had been there.
            """,
        remedy: "Refuse, and say how to set a passcode.",
        flagged: """
            import LocalAuthentication
            func unlock(_ done: @escaping (Bool) -> Void) {
                let context = LAContext()
                if context.canEvaluatePolicy(.deviceOwnerAuthentication, error: nil) {
                    context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "x") { ok, _ in done(ok) }
                } else {
                    done(true)
                }
            }
            """,
        accepted: """
            import LocalAuthentication
            func unlock(_ done: @escaping (Bool) -> Void) {
                let context = LAContext()
                if context.canEvaluatePolicy(.deviceOwnerAuthentication, error: nil) {
                    context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "x") { ok, _ in done(ok) }
                } else {
                    done(false)
                }
            }
            """,
        check: .file(mentioning: ["canEvaluatePolicy"]) { facts, report in
            guard facts.source.imports.contains("LocalAuthentication") else { return }
            for statement in SyntaxWalk.statements(facts.source.tree.statements) {
                let body: [Statement]
                switch statement.kind {
                case .condition(let conditions, let then, let otherwise):
                    guard let (isNegated, _) = evaluability(conditions) else { continue }
                    body = isNegated ? then : otherwise ?? []
                case .guarded(let conditions, let otherwise):
                    guard let (isNegated, _) = evaluability(conditions), !isNegated else { continue }
                    body = otherwise
                default: continue
                }
                guard let place = grantingStatement(body) else { continue }
                report.add(
                    Place(file: facts.file, range: place),
                    "lets everybody in when authentication is not available"
                )
            }
        }
    )
}

/// Whether a condition tests only if a policy can be evaluated, and whether it is negated.
private func evaluability(_ conditions: [Statement.Condition]) -> (isNegated: Bool, expression: Expression)? {
    for condition in conditions {
        guard case .expression(let expression) = condition else { continue }
        if case .call(let callee, _) = expression.kind, callee.lastName == "canEvaluatePolicy" {
            return (false, expression)
        }
        if case .prefix("!", let inner) = expression.kind, case .call(let callee, _) = inner.kind,
            callee.lastName == "canEvaluatePolicy"
        {
            return (true, expression)
        }
    }
    return nil
}

private let openNames = ["unlock", "authenticated", "authorized", "authorised", "loggedin", "signedin", "isauth"]

/// The statement of a branch that grants access.
private func grantingStatement(_ body: [Statement]) -> ByteRange? {
    for statement in body {
        switch statement.kind {
        case .returned(let value?): if case .boolean(true) = value.bare.kind { return statement.range }
        case .expression(let expression):
            switch expression.bare.kind {
            case .assign(let target, let value):
                let name = (target.lastName ?? "").lowercased()
                if case .boolean(true) = value.kind, openNames.contains(where: { name.contains($0) }) {
                    return statement.range
                }
            case .call(let callee, let arguments):
                guard let first = arguments.first else { continue }
                let name = (callee.lastName ?? "").lowercased()
                let isAnswer = ["completion", "done", "handler", "callback", "reply", "resume", "result"]
                    .contains { name.contains($0) }
                if case .boolean(true) = first.value.kind, isAnswer { return statement.range }
                if isAnswer, case .call(let inner, let values) = first.value.kind, inner.lastName == "success" {
                    switch values.first?.value.kind {
                    case .boolean(true)?: return statement.range
                    case .tuple(let nothing)? where nothing.isEmpty: return statement.range
                    default: continue
                    }
                }
            default: continue
            }
        default: continue
        }
    }
    return nil
}

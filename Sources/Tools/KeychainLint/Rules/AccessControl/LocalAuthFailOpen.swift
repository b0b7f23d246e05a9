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
        check: .file(mentioning: ["canEvaluatePolicy", "evaluatePolicy"]) { facts, report in
            guard facts.source.imports.contains("LocalAuthentication") else { return }
            let callbacks = successCallbacks(facts.source.tree.statements)
            var seen: Set<ByteRange> = []
            for statement in SyntaxWalk.statements(facts.source.tree.statements) {
                let body: [Statement]
                switch statement.kind {
                case .condition(let conditions, let then, let otherwise):
                    guard let (isNegated, _) = evaluability(conditions) else { continue }
                    body = isNegated ? then : otherwise ?? []
                case .guarded(let conditions, let otherwise):
                    guard let (isNegated, _) = evaluability(conditions), !isNegated else { continue }
                    body = otherwise
                case .attempt(let attempted, let catches):
                    // `try await evaluatePolicy`: whatever it throws, nobody was there.
                    let asks = SyntaxWalk.expressions(attempted).contains { expression in
                        guard case .call(let callee, _) = expression.kind else { return false }
                        return callee.lastName == "evaluatePolicy"
                    }
                    guard asks else { continue }
                    body = catches.flatMap(\.body)
                default: continue
                }
                guard let place = grantingStatement(body, callbacks), seen.insert(place).inserted else { continue }
                report.add(
                    Place(file: facts.file, range: place),
                    "lets everybody in when authentication is not available"
                )
            }
            // `(try? await evaluatePolicy(…)) ?? true`
            for expression in SyntaxWalk.expressions(facts.source.tree.statements) {
                guard case .binary("??", let left, let right) = expression.kind, case .boolean(true) = right.bare.kind,
                    case .call(let callee, _) = left.bare.kind, callee.lastName == "evaluatePolicy"
                else { continue }
                report.add(
                    Place(file: facts.file, range: expression.range),
                    "lets everybody in when authentication fails"
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

/// The functions without arguments that are called once the owner was recognised: `after()` in `if ok { after() }`.
private func successCallbacks(_ statements: [Statement]) -> Set<String> {
    var result: Set<String> = []
    for expression in SyntaxWalk.expressions(statements) {
        guard case .call(let callee, let arguments) = expression.kind, callee.lastName == "evaluatePolicy",
            let last = arguments.last, case .closure(let closure) = last.value.kind
        else { continue }
        let answer = closure.parameters.first ?? "$0"
        for statement in SyntaxWalk.statements(closure.body) {
            guard case .condition(let conditions, let then, _) = statement.kind,
                case .expression(let condition)? = conditions.first, condition.path == [answer]
            else { continue }
            for expression in SyntaxWalk.expressions(then) {
                if case .call(let callee, let arguments) = expression.kind, arguments.isEmpty,
                    let path = callee.path?.joined(separator: ".")
                {
                    result.insert(path)
                }
            }
        }
    }
    return result.filter { !$0.lowercased().contains("dismiss") && !$0.lowercased().contains("stop") }
}

/// The statement of a branch that grants access, also in a branch of that one.
private func grantingStatement(_ body: [Statement], _ callbacks: Set<String>) -> ByteRange? {
    for statement in body {
        switch statement.kind {
        case .returned(let value?): if case .boolean(true) = value.bare.kind { return statement.range }
        case .condition(_, let then, let otherwise):
            let inner = grantingStatement(then, callbacks) ?? grantingStatement(otherwise ?? [], callbacks)
            if let inner { return inner }
        case .choice(_, let cases):
            for item in cases { if let inner = grantingStatement(item.body, callbacks) { return inner } }
        case .expression(let expression): if isGranting(expression, callbacks) { return statement.range }
        default: continue
        }
    }
    return nil
}

private func isGranting(_ expression: Expression, _ callbacks: Set<String>) -> Bool {
    switch expression.bare.kind {
    case .assign(let target, let value):
        let name = (target.lastName ?? "").lowercased()
        if case .boolean(true) = value.kind { return openNames.contains { name.contains($0) } }
        if case .boolean(false) = value.kind {
            return name.hasSuffix("locked") && !name.hasSuffix("unlocked")
        }
        return false
    case .call(let callee, let arguments):
        let name = (callee.lastName ?? "").lowercased()
        guard let first = arguments.first else { return callbacks.contains(callee.path?.joined(separator: ".") ?? "") }
        let words = [
            "completion", "done", "handler", "callback", "reply", "resume", "result", "promise", "success", "answer",
        ]
        let isAnswer = words.contains { name.contains($0) }
        switch first.value.kind {
        case .boolean(true): return isAnswer
        case .call(let inner, let values) where inner.lastName == "success":
            switch values.first?.value.kind {
            case .boolean(true)?: return true
            case .tuple(let nothing)?: return isAnswer && nothing.isEmpty
            default: return false
            }
        // `DispatchQueue.main.async { done(true) }`.
        case .closure(let closure)
        where ["async", "asyncAfter", "run", "perform", "withAnimation", "Task"].contains(callee.lastName ?? ""):
            return grantingStatement(closure.body, callbacks) != nil
        default:
            if let last = arguments.last, last.isTrailingClosure, case .closure(let closure) = last.value.kind,
                ["async", "asyncAfter", "run", "perform", "withAnimation"].contains(callee.lastName ?? "")
            {
                return grantingStatement(closure.body, callbacks) != nil
            }
            return false
        }
    default: return false
    }
}

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
            let bound = [
                "kSecUseAuthenticationContext", "kSecAttrAccessControl", "authenticationContext", "SecureEnclaveValet",
                "Valet(",
            ]
            func binds(_ file: SourceFile) -> Bool {
                bound.contains { !ByteSearch.occurrences(of: Array($0.utf8), in: file.text).isEmpty }
            }
            let isBoundElsewhere = module.files.contains { !$0.isTest && binds($0) }
            for (number, file) in module.files.enumerated()
            where !file.isTest && file.imports.contains("LocalAuthentication") {
                // A context that others get may unlock an item there.
                if binds(file) || (isBoundElsewhere && GateUse.handsOutContext(file)) { continue }
                // So may one that goes on as an argument.
                if GateUse.passesContext(file.tree.statements) { continue }
                for range in GateUse.all(file.tree.statements) {
                    report.add(Place(file: number, range: range), "the answer of evaluatePolicy is all that protects")
                }
            }
        }
    )
}

/// Uses of the answer of `evaluatePolicy`.
private struct GateUse {
    private var found: [ByteRange] = []

    static func all(_ statements: [Statement]) -> [ByteRange] {
        var use = GateUse()
        for expression in SyntaxWalk.expressions(statements) {
            guard case .call(let callee, let arguments) = expression.kind, callee.lastName == "evaluatePolicy",
                let last = arguments.last, case .closure(let closure) = last.value.kind
            else { continue }
            if decides(closure.body, by: closure.parameters.first ?? "$0") { use.found.append(expression.range) }
        }
        for statement in SyntaxWalk.statements(statements) { use.visit(statement) }
        return use.found
    }

    /// Whether a context that was asked goes on to another function.
    static func passesContext(_ statements: [Statement]) -> Bool {
        let expressions = SyntaxWalk.expressions(statements)
        let contexts = Set(
            expressions.compactMap { expression -> [String]? in
                guard case .call(let callee, _) = expression.kind,
                    case .member(let base?, "evaluatePolicy") = callee.kind
                else { return nil }
                return base.path
            }
        )
        return expressions.contains { expression in
            guard case .call(_, let arguments) = expression.kind else { return false }
            return arguments.contains { $0.value.path.map(contexts.contains) ?? false }
        }
    }

    /// Whether a file gives its context to others.
    static func handsOutContext(_ file: SourceFile) -> Bool {
        SyntaxWalk.statements(file.tree.statements).contains { statement in
            switch statement.kind {
            case .function(let function):
                function.result?.contains("LAContext") ?? false
                    || function.parameters.contains { $0.type.contains("LAContext") }
            case .variable(let variable):
                !variable.modifiers.contains("private")
                    && variable.bindings.contains { $0.type?.contains("LAContext") ?? false }
            default: false
            }
        }
    }

    /// The async form: the call is a part of what is assigned, returned or tested.
    private static func asked(_ expression: Expression) -> ByteRange? {
        for part in SyntaxWalk.expressions([Statement(.expression(expression), expression.range)]) {
            if case .closure = part.kind { return nil }
            guard case .call(let callee, let arguments) = part.kind, callee.lastName == "evaluatePolicy" else {
                continue
            }
            if let last = arguments.last, case .closure = last.value.kind { return nil }
            return part.range
        }
        return nil
    }

    private mutating func visit(_ statement: Statement) {
        switch statement.kind {
        case .expression(let expression):
            if case .assign(let target, let value) = expression.kind, UnlockName.matches(target) {
                add(Self.asked(value))
            }
        case .returned(let value?): add(Self.asked(value))
        case .function(let function):
            guard let body = function.body else { return }
            if function.result != nil, body.count == 1, case .expression(let only) = body[0].kind {
                add(Self.asked(only))
            }
            visitBlocks(body)
        case .variable(let variable):
            for binding in variable.bindings { visitBlocks((binding.getter ?? []) + binding.observers) }
        case .condition(let conditions, let then, let otherwise):
            if let range = conditions.lazy.compactMap(Self.asked).first, Self.acts(then) || Self.acts(otherwise ?? []) {
                add(range)
            }
            visitBlocks(then)
            visitBlocks(otherwise ?? [])
        case .guarded(let conditions, _): add(conditions.lazy.compactMap(Self.asked).first)
        case .attempt(let body, _): visitBlocks(body)
        default: break
        }
    }

    private static func asked(_ condition: Statement.Condition) -> ByteRange? {
        switch condition {
        case .expression(let expression): asked(expression)
        case .binding(_, let value?, _): asked(value)
        case .match(_, let value): asked(value)
        default: nil
        }
    }

    /// `let ok = try await c.evaluatePolicy(…)` before statements that depend on the name.
    private mutating func visitBlocks(_ body: [Statement]) {
        for (index, statement) in body.enumerated() {
            if case .variable(let variable) = statement.kind, let binding = variable.bindings.first,
                let name = binding.name, let value = binding.value, let range = Self.asked(value),
                Self.decides(Array(body[(index + 1)...]), by: name)
            {
                add(range)
            }
            // `try await c.evaluatePolicy(…)`, and then what only the owner may.
            if case .expression(let expression) = statement.kind, let range = Self.asked(expression),
                body[(index + 1)...].contains(where: Self.grants)
            {
                add(range)
            }
            if case .expression(let expression) = statement.kind, case .assign(let target, let value) = expression.kind,
                case .text("_") = target.kind, let range = Self.asked(value),
                body[(index + 1)...].contains(where: Self.grants)
            {
                add(range)
            }
        }
    }

    private mutating func add(_ range: ByteRange?) {
        if let range, !found.contains(range) { found.append(range) }
    }

    private static func grants(_ statement: Statement) -> Bool {
        switch statement.kind {
        case .returned(let value?): if case .boolean(true) = value.bare.kind { true } else { false }
        case .expression(let expression):
            if case .assign(let target, let value) = expression.kind, case .boolean(true) = value.kind {
                UnlockName.matches(target)
            } else {
                false
            }
        default: false
        }
    }

    /// Whether statements depend on an answer: pass it on, keep it, or do something only for the owner.
    static func decides(_ body: [Statement], by answer: String) -> Bool {
        for expression in SyntaxWalk.expressions(body) {
            switch expression.kind {
            case .assign(let target, let value):
                if UnlockName.matches(target), value.path == [answer] { return true }
            case .call(let callee, let arguments):
                guard !isLog(callee) else { continue }
                for argument in arguments {
                    if argument.value.path == [answer] { return true }
                    if case .call(let inner, let values) = argument.value.kind, inner.lastName == "success",
                        values.first?.value.path == [answer]
                    {
                        return true
                    }
                }
            default: continue
            }
        }
        for statement in SyntaxWalk.statements(body) {
            switch statement.kind {
            case .returned(let value?): if value.path == [answer] { return true }
            case .condition(let conditions, let then, let otherwise):
                guard let isNegated = tests(conditions, answer) else { continue }
                if acts(isNegated ? otherwise ?? [] : then) { return true }
            case .guarded(let conditions, _): if tests(conditions, answer) != nil { return true }
            default: continue
            }
        }
        return false
    }

    private static func tests(_ conditions: [Statement.Condition], _ answer: String) -> Bool? {
        for case .expression(let expression) in conditions {
            if expression.path == [answer] { return false }
            switch expression.kind {
            case .prefix("!", let inner): if inner.path == [answer] { return true }
            case .binary("==", let left, let right):
                if left.path == [answer], case .boolean(let wanted) = right.kind { return !wanted }
            case .binary("&&", let left, let right): if left.path == [answer] || right.path == [answer] { return false }
            default: continue
            }
        }
        return nil
    }

    /// Whether a body does more than log.
    private static func acts(_ body: [Statement]) -> Bool {
        SyntaxWalk.expressions(body).contains { expression in
            switch expression.kind {
            case .assign: true
            case .call(let callee, _): !isLog(callee)
            default: false
            }
        }
            || body.contains {
                if case .returned(let value?) = $0.kind, case .boolean(true) = value.kind { true } else { false }
            }
    }

    private static func isLog(_ callee: Expression) -> Bool { LogCall.isLog(callee) }
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
}

// SPDX-License-Identifier: Apache-2.0

/// Visits every expression, statement and declaration under some statements, outer before inner.
package struct SyntaxWalk {
    package var onExpression: (Expression) -> Void = { _ in }
    package var onStatement: (Statement) -> Void = { _ in }
    package var entersTypes = true
    package var entersFunctions = true
    package var entersClosures = true

    package init(
        entersTypes: Bool = true,
        entersFunctions: Bool = true,
        entersClosures: Bool = true,
        onStatement: @escaping (Statement) -> Void = { _ in },
        onExpression: @escaping (Expression) -> Void = { _ in }
    ) {
        self.entersTypes = entersTypes
        self.entersFunctions = entersFunctions
        self.entersClosures = entersClosures
        self.onStatement = onStatement
        self.onExpression = onExpression
    }

    package func walk(_ statements: [Statement]) { for statement in statements { walk(statement) } }

    package func walk(_ statement: Statement) {
        onStatement(statement)
        switch statement.kind {
        case .expression(let expression), .thrown(let expression): walk(expression)
        case .variable(let variable):
            for binding in variable.bindings {
                if let value = binding.value { walk(value) }
                if entersFunctions {
                    walk(binding.getter ?? [])
                    walk(binding.setter ?? [])
                    walk(binding.observers)
                }
            }
        case .condition(let conditions, let then, let otherwise):
            walk(conditions)
            walk(then)
            walk(otherwise ?? [])
        case .guarded(let conditions, let otherwise):
            walk(conditions)
            walk(otherwise)
        case .loop(let conditions, let body):
            walk(conditions)
            walk(body)
        case .forEach(_, let sequence, let filter, let body):
            walk(sequence)
            if let filter { walk(filter) }
            walk(body)
        case .choice(let subject, let cases):
            walk(subject)
            for item in cases {
                for pattern in item.patterns {
                    walk(pattern.pattern)
                    if let filter = pattern.filter { walk(filter) }
                }
                walk(item.body)
            }
        case .attempt(let body, let catches):
            walk(body)
            for item in catches {
                for pattern in item.patterns { walk(pattern) }
                for filter in item.filters { walk(filter) }
                walk(item.body)
            }
        case .returned(let expression): if let expression { walk(expression) }
        case .deferred(let body): walk(body)
        case .conditional(let clauses): for clause in clauses { walk(clause.body) }
        case .function(let function):
            guard entersFunctions else { return }
            for parameter in function.parameters { if let value = parameter.defaultValue { walk(value) } }
            walk(function.body ?? [])
        case .type(let type): if entersTypes { walk(type.members) }
        case .leave, .importModule, .alias: break
        }
    }

    private func walk(_ conditions: [Statement.Condition]) {
        for condition in conditions {
            switch condition {
            case .expression(let expression): walk(expression)
            case .binding(_, let value, _): if let value { walk(value) }
            case .match(let pattern, let value):
                walk(pattern)
                walk(value)
            case .availability: break
            }
        }
    }

    private func walk(_ pattern: Pattern) {
        switch pattern {
        case .expression(let expression): walk(expression)
        case .tuple(let patterns): for pattern in patterns { walk(pattern) }
        case .bind(let pattern): walk(pattern)
        case .name, .wildcard, .isType: break
        }
    }

    package func walk(_ expression: Expression) {
        onExpression(expression)
        switch expression.kind {
        case .name, .integer, .float, .boolean, .null, .text: break
        case .member(let base, _): if let base { walk(base) }
        case .call(let callee, let arguments), .index(let callee, let arguments):
            walk(callee)
            for argument in arguments { walk(argument.value) }
        case .string(let parts):
            for case .interpolation(let arguments) in parts { for argument in arguments { walk(argument.value) } }
        case .array(let elements), .unknown(let elements): for element in elements { walk(element) }
        case .dictionary(let elements):
            for element in elements {
                walk(element.key)
                walk(element.value)
            }
        case .cast(let value, _, _), .forceUnwrap(let value), .optionalChain(let value), .prefix(_, let value),
            .tryExpression(_, let value), .address(let value):
            walk(value)
        case .binary(_, let left, let right), .assign(let left, let right):
            walk(left)
            walk(right)
        case .ternary(let condition, let then, let otherwise):
            walk(condition)
            walk(then)
            walk(otherwise)
        case .closure(let closure): if entersClosures { walk(closure.body) }
        case .tuple(let arguments): for argument in arguments { walk(argument.value) }
        case .statement(let statement): walk(statement)
        }
    }
}

extension Expression {
    /// The parts of `a.b.c`, nil if it is not a plain path; `self.a` and `a?.b` count as paths.
    package var path: [String]? {
        switch kind {
        case .name(let name): return [name]
        case .member(let base?, let name): return base.path.map { $0 + [name] }
        case .member(nil, let name): return ["." + name]
        case .optionalChain(let base), .forceUnwrap(let base): return base.path
        default: return nil
        }
    }

    /// The last name of a called or referenced expression: `delete` of `try? store.items.delete(x)`.
    package var lastName: String? {
        switch kind {
        case .name(let name), .member(_, let name): name
        case .call(let callee, _): callee.lastName
        case .optionalChain(let base), .forceUnwrap(let base), .tryExpression(_, let base), .address(let base):
            base.lastName
        case .cast(let base, _, _): base.lastName
        default: nil
        }
    }

    /// Without `try`, `as`, `!` and `?` around it.
    package var bare: Expression {
        switch kind {
        case .optionalChain(let base), .forceUnwrap(let base), .tryExpression(_, let base), .address(let base),
            .cast(let base, _, _):
            base.bare
        default: self
        }
    }

    /// The text of a string literal without interpolations.
    package var literalText: String? {
        guard case .string(let parts) = kind else { return nil }
        var result = ""
        for part in parts {
            guard case .text(let text) = part else { return nil }
            result += text
        }
        return result
    }
}

extension SyntaxWalk {
    /// Every expression under some statements, outer before inner.
    static func expressions(_ statements: [Statement]) -> [Expression] {
        var result: [Expression] = []
        SyntaxWalk(onExpression: { result.append($0) }).walk(statements)
        return result
    }

    /// Every statement under some statements, outer before inner.
    static func statements(_ statements: [Statement]) -> [Statement] {
        var result: [Statement] = []
        SyntaxWalk(onStatement: { result.append($0) }).walk(statements)
        return result
    }
}

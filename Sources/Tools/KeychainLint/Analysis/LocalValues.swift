// SPDX-License-Identifier: Apache-2.0

/// What the functions of a file give to their constants and variables, by syntax alone.
struct LocalValues {
    private struct Scope {
        var range: ByteRange
        var values: [String: [Expression]]
    }

    private var scopes: [Scope] = []

    init(_ statements: [Statement]) {
        for statement in SyntaxWalk.statements(statements) {
            switch statement.kind {
            case .function(let function):
                guard let body = function.body else { continue }
                scopes.append(Scope(range: function.range, values: Self.values(in: body)))
            case .variable(let variable):
                for binding in variable.bindings {
                    let body = (binding.getter ?? []) + (binding.setter ?? []) + binding.observers
                    if !body.isEmpty { scopes.append(Scope(range: binding.range, values: Self.values(in: body))) }
                }
            default: continue
            }
        }
    }

    private static func values(in body: [Statement]) -> [String: [Expression]] {
        var result: [String: [Expression]] = [:]
        func note(_ conditions: [Statement.Condition]) {
            for case .binding(let name, let value?, _) in conditions { result[name, default: []].append(value) }
        }
        for statement in SyntaxWalk.statements(body) {
            switch statement.kind {
            case .variable(let variable):
                for binding in variable.bindings {
                    if let name = binding.name, let value = binding.value { result[name, default: []].append(value) }
                }
            case .condition(let conditions, _, _), .guarded(let conditions, _), .loop(let conditions, _):
                note(conditions)
            case .expression(let expression):
                if case .assign(let target, let value) = expression.kind, case .name(let name) = target.kind {
                    result[name, default: []].append(value)
                }
            default: continue
            }
        }
        return result
    }

    /// An expression, and those that the names in it were given in the function around it.
    func sources(of expression: Expression) -> [Expression] {
        let scope = scopes.filter { $0.range.contains(expression.range) }
            .min { ($0.range.end - $0.range.start) < ($1.range.end - $1.range.start) }
        var result = [expression]
        var seen: Set<String> = []
        var next = 0
        while next < result.count, result.count < 40 {
            let current = result[next]
            next += 1
            for part in SyntaxWalk.expressions([Statement(.expression(current), current.range)]) {
                guard case .name(let name) = part.kind, seen.insert(name).inserted else { continue }
                result += scope?.values[name] ?? []
            }
        }
        return result
    }
}

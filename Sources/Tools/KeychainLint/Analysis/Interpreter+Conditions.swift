// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The environments of the two branches of a condition; nil for one that is never taken.
typealias Ways = (Environment?, Environment?)

extension Interpreter {
    func split(_ conditions: [Statement.Condition], _ start: Environment) -> Ways {
        var yes: Environment? = start
        var no: Environment?
        var hasAvailability = false
        for condition in conditions {
            guard let current = yes else { break }
            if case .availability = condition {
                // Several lists are for different platforms: on each platform, one of them applies.
                if hasAvailability { continue }
                hasAvailability = true
            }
            let (next, other) = split(condition, current)
            yes = next
            no = Environment.join(no, other)
        }
        return (yes, no)
    }

    private func split(_ condition: Statement.Condition, _ start: Environment) -> Ways {
        var environment = start
        switch condition {
        case .expression(let expression): return split(expression, environment)
        case .availability(let text): return (environment.assuming(text, true), environment.assuming(text, false))
        case .binding(let name, let expression, let range):
            let source = expression ?? Expression(.name(name), range)
            let value = evaluate(source, &environment)
            return bindOptional(name, to: value, from: source, in: environment)
        case .match(let pattern, let expression):
            let value = evaluate(expression, &environment)
            if case .expression(let test) = pattern.unbound {
                let (yes, no) = equal(value, evaluate(test, &environment), subject: expression, in: environment)
                var bound = yes
                bound.map {
                    var copy = $0
                    bind(pattern, to: nil, in: &copy)
                    bound = copy
                }
                return (bound, no)
            }
            markRead(value)
            var yes = environment
            bind(pattern, to: value, in: &yes)
            return (yes, environment)
        }
    }

    private func bindOptional(_ name: String, to value: Value, from source: Expression, in start: Environment) -> Ways {
        func bound(_ environment: Environment?, _ value: Value) -> Environment? {
            guard var environment else { return nil }
            if name != "_" { environment.variables[name] = value }
            return environment
        }
        switch value {
        case .null: return (nil, start)
        case .optionalSymbol(let text):
            let yes = start.assuming(text + " != nil", true)
            return (bound(yes, .symbol(text)), start.assuming(text + " != nil", false))
        case .symbol(let text)
        where frames[0].symbol?.function.parameters.contains { $0.name == text && !$0.isOptional } == true:
            // An argument of the analysed function, which is not optional there.
            return (bound(start, value), nil)
        case .outcome(let site, let nilWhen, let someWhen, let inner):
            markRead(value)
            return (bound(start.refined(site, someWhen), inner), start.refined(site, nilWhen))
        case .dictionary, .reference, .string, .pattern, .constant, .accessControl, .kind, .instance:
            // A value that is known to exist; the result of a call that may fail is not.
            if case .accessControl(let index) = value {
                accessControls[index].handling = .bound
                return (bound(start, value), start)
            }
            return (bound(start, value), nil)
        case .either(let values):
            let rest = values.filter { !$0.isNull }
            let inner: Value = rest.count == 1 ? rest[0] : .either(rest)
            return (bound(start, inner), start)
        case .result(let site, _):
            markRead(value)
            // Success, but with an unexpected result.
            var no = start
            if let codes = start.codes[site], codes.contains(.success) {
                no.codes[site] = codes.subtracting(.success).union(.undecodable)
            }
            // There is a result only after success.
            return (bound(start.refined(site, .success) ?? start, value), no)
        case .unknown:
            let text = source.path?.joined(separator: ".")
            let yes = start.assuming(text.map { $0 + " != nil" }, true)
            return (bound(yes, .symbol(name)), start.assuming(text.map { $0 + " != nil" }, false))
        case .symbol(let text):
            return (
                bound(start.assuming(text + " != nil", true), .symbol(text)),
                start.assuming(text + " != nil", false)
            )
        default:
            markRead(value)
            return (bound(start, value), start)
        }
    }

    func split(_ expression: Expression, _ start: Environment) -> Ways {
        var environment = start
        switch expression.kind {
        case .prefix("!", let inner):
            let (yes, no) = split(inner, environment)
            return (no, yes)
        case .binary("&&", let left, let right):
            let (yes, no) = split(left, environment)
            let (both, second) = yes.map { split(right, $0) } ?? (nil, nil)
            return (both, Environment.join(no, second))
        case .binary("||", let left, let right):
            let (yes, no) = split(left, environment)
            let (second, neither) = no.map { split(right, $0) } ?? (nil, nil)
            return (Environment.join(yes, second), neither)
        case .binary("==", let left, let right), .binary("===", let left, let right),
            .binary("~=", let left, let right):
            return compare(left, with: right, in: environment)
        case .binary("!=", let left, let right), .binary("!==", let left, let right):
            let (yes, no) = compare(left, with: right, in: environment)
            return (no, yes)
        case .call(let callee, let arguments):
            if case .member(let base?, "contains") = callee.kind, arguments.count == 1 {
                let values = evaluate(base, &environment)
                let subject = evaluate(arguments[0].value, &environment)
                if case .array(let codes) = values, case .status(let site) = subject {
                    markRead(subject)
                    let set = codes.reduce(CodeSet()) { $0.union(Self.codes($1) ?? .other) }
                    return (environment.refined(site, set), environment.refined(site, CodeSet.all.subtracting(set)))
                }
            }
            return truth(of: evaluate(expression, &environment), at: expression, in: environment)
        default: return truth(of: evaluate(expression, &environment), at: expression, in: environment)
        }
    }

    private func truth(of value: Value, at expression: Expression, in environment: Environment) -> Ways {
        switch value {
        case .boolean(let known): return known ? (environment, nil) : (nil, environment)
        case .test(let site, let whenTrue, let whenFalse):
            markRead(value)
            return (environment.refined(site, whenTrue), environment.refined(site, whenFalse))
        default:
            markRead(value)
            let text = expression.path?.joined(separator: ".") ?? value.identityText ?? conditionText(expression)
            return (environment.assuming(text, true), environment.assuming(text, false))
        }
    }

    /// A text that identifies a condition.
    private func conditionText(_ expression: Expression) -> String? {
        guard expression.range.end - expression.range.start < 120 else { return nil }
        return module.files[frame.file].text(expression.range)
    }

    private func compare(_ left: Expression, with right: Expression, in start: Environment) -> Ways {
        var environment = start
        let first = evaluate(left, &environment)
        let second = evaluate(right, &environment)
        return equal(first, second, subject: left, in: environment)
    }

    func equal(_ first: Value, _ second: Value, subject: Expression, in environment: Environment) -> Ways {
        if case .status(let site) = first, let set = Self.codes(second) {
            return compared(site, with: set, value: first, in: environment)
        }
        if case .status(let site) = second, let set = Self.codes(first) {
            return compared(site, with: set, value: second, in: environment)
        }
        if second.isNull {
            switch first {
            case .null: return (environment, nil)
            case .accessControl(let index):
                accessControls[index].handling = .bound
                return (environment, environment)
            case .outcome(let site, let nilWhen, let someWhen, _):
                markRead(first)
                return (environment.refined(site, nilWhen), environment.refined(site, someWhen))
            case .optionalSymbol(let text), .symbol(let text):
                return (environment.assuming(text + " != nil", false), environment.assuming(text + " != nil", true))
            case .dictionary, .reference, .string, .constant, .instance: return (nil, environment)
            default: break
            }
        }
        if case .boolean(let wanted) = second {
            let (yes, no) = truth(of: first, at: subject, in: environment)
            return wanted ? (yes, no) : (no, yes)
        }
        markRead(first)
        markRead(second)
        if case .either(let values) = first, let set = Self.codes(second),
            values.allSatisfy({ if case .status = $0 { true } else { false } })
        {
            // One of several calls: facts about the last one hold for the path that made it.
            return eitherCompared(values, with: set, in: environment)
        }
        if let left = first.identityText, let right = second.identityText, !left.contains("\\") {
            if isKnown(first), isKnown(second) { return left == right ? (environment, nil) : (nil, environment) }
            return (
                environment.assuming(left + " == " + right, true), environment.assuming(left + " == " + right, false)
            )
        }
        return (environment, environment)
    }

    private func isKnown(_ value: Value) -> Bool {
        switch value {
        case .string, .integer, .constant, .boolean: true
        case .symbol(let text): text.contains(".") && text.first?.isUppercase == true
        default: false
        }
    }

    private func compared(_ site: Int, with set: CodeSet, value: Value, in environment: Environment) -> Ways {
        markRead(value)
        // "Other" stands for many codes: one of them is not all of them.
        let rest = set == .other ? .all : CodeSet.all.subtracting(set)
        return (environment.refined(site, set), environment.refined(site, rest))
    }

    private func eitherCompared(_ values: [Value], with set: CodeSet, in environment: Environment) -> Ways {
        var yes: Environment? = environment
        var no: Environment? = environment
        if case .status(let last)? = values.last {
            // The last call was not made on some paths; there its codes say nothing.
            yes = environment.refined(last, set) ?? environment
            no = environment.refined(last, CodeSet.all.subtracting(set)) ?? environment
        }
        if case .status(let first)? = values.first, values.count == 2 {
            no = no.map { current in
                var copy = current
                copy.codes[first] = (current.codes[first] ?? .all)
                return copy
            }
        }
        return (yes, no)
    }

    /// The codes that a value stands for; nil if it is not a code.
    static func codes(_ value: Value) -> CodeSet? {
        switch value {
        case .constant(let name): CodeSet.number(named: name).map { CodeSet(code: $0) }
        case .integer(let number): CodeSet(code: number)
        case .either(let values):
            values.reduce(CodeSet()) { sum, next in sum.map { $0.union(codes(next) ?? .other) } }
        default: nil
        }
    }

    // MARK: switch

    /// The environment of a case's body, given its patterns; nil if they cannot match.
    ///
    /// `rest` is the set of codes that no case has matched yet.
    func enter(
        _ item: Statement.Case,
        subject: Expression,
        value: Value,
        rest: inout Environment?
    ) -> Environment? {
        var entered: Environment?
        if item.isDefault { swap(&entered, &rest) }
        for (pattern, filter) in item.patterns {
            guard let current = rest else { break }
            var (yes, no) = match(pattern, against: value, subject: subject, in: current)
            if let filter, let matched = yes {
                let (passed, failed) = split(filter, matched)
                yes = passed
                no = Environment.join(no, failed)
            }
            entered = Environment.join(entered, yes)
            rest = no
        }
        return entered
    }

    func executeChoice(of subject: Expression, cases: [Statement.Case], in start: Environment) -> Environment? {
        var environment = start
        let value = evaluate(subject, &environment)
        markRead(value)
        var result: Environment?
        var rest: Environment? = environment
        var fallen: Environment?
        breakTargets.append([])
        for item in cases {
            let entered = Environment.join(fallen, enter(item, subject: subject, value: value, rest: &rest))
            fallen = nil
            guard let entered else { continue }
            if case .leave(.fallThrough)? = item.body.last?.kind {
                fallen = execute(Array(item.body.dropLast()), entered)
            } else {
                result = Environment.join(result, execute(item.body, entered))
            }
        }
        result = breakTargets.removeLast().reduce(result) { Environment.join($0, $1) }
        return result
    }

    func match(_ pattern: Pattern, against value: Value, subject: Expression, in start: Environment) -> Ways {
        var environment = start
        switch pattern {
        case .wildcard: return (environment, nil)
        case .name(let name):
            environment.variables[name] = value
            return (environment, nil)
        case .bind(let inner): return match(inner, against: value, subject: subject, in: environment)
        case .tuple, .isType:
            var yes = environment
            bind(pattern, to: nil, in: &yes)
            return (yes, environment)
        case .expression(let expression):
            if case .member(nil, let name) = expression.kind { return matchCase(name, against: value, in: environment) }
            if case .call(let callee, _) = expression.kind {
                var (yes, no) = matchCase(callee.lastName ?? "", against: value, in: environment)
                if var bound = yes {
                    bind(pattern, to: nil, in: &bound)
                    yes = bound
                }
                return (yes, no)
            }
            return equal(value, evaluate(expression, &environment), subject: subject, in: environment)
        }
    }

    /// `case .name`.
    private func matchCase(_ name: String, against value: Value, in environment: Environment) -> Ways {
        if case .symbol(let text) = value, text.first?.isUppercase == true, let dot = text.lastIndex(of: ".") {
            let known = text[text.index(after: dot)...]
            let type = String(text[..<dot])
            if module.types[type]?.keyword == "enum" {
                return known == name ? (environment, nil) : (nil, environment)
            }
        }
        if name == "some" || name == "none" {
            let isSome = name == "some"
            switch value {
            case .null: return isSome ? (nil, environment) : (environment, nil)
            case .optionalSymbol(let text):
                return (
                    environment.assuming(text + " != nil", isSome), environment.assuming(text + " != nil", !isSome)
                )
            default: return (environment, environment)
            }
        }
        if let text = value.identityText {
            return (
                environment.assuming(text + " == ." + name, true), environment.assuming(text + " == ." + name, false)
            )
        }
        return (environment, environment)
    }
}

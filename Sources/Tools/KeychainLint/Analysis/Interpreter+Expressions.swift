// SPDX-License-Identifier: Apache-2.0

/// The values of expressions.
extension Interpreter {
    func evaluate(_ expression: Expression, _ environment: inout Environment) -> Value {
        budget -= 1
        guard budget > 0 else { return .unknown }
        switch expression.kind {
        case .name(let name): return lookUp(name, &environment)
        case .member(let base, let name): return member(of: base, named: name, at: expression, in: &environment)
        case .call(let callee, let arguments):
            let isStatement = discarding
            discarding = false
            return call(expression, of: callee, with: arguments, isStatement: isStatement, in: &environment)
        case .index(let base, let arguments): return index(base, with: arguments, at: expression, in: &environment)
        case .string(let parts): return string(parts, &environment)
        case .integer(let value): return value.map { .integer($0) } ?? .unknown
        case .float: return .kind(.number)
        case .boolean(let value): return .boolean(value)
        case .null: return .null
        case .array(let elements): return .array(elements.map { evaluate($0, &environment) })
        case .dictionary(let elements): return dictionary(of: elements, at: expression, in: &environment)
        case .cast(let value, let kind, let type):
            return cast(value, kind: kind, to: type, at: expression, in: &environment)
        case .forceUnwrap(let inner):
            let value = evaluate(inner, &environment)
            if case .accessControl(let index) = value {
                // Once the error has been checked, `!` on the variable is safe.
                let isChecked = accessControls[index].passesError && inner.path != nil
                if !isChecked { accessControls[index].handling = .forced }
            }
            if case .outcome(_, _, _, let some) = value {
                record(.forced(value), at: expression.range, in: environment)
                markRead(value)
                return some
            }
            if case .optionalSymbol(let text) = value { return .symbol(text) }
            return value
        case .optionalChain(let inner): return evaluate(inner, &environment)
        case .prefix(let name, let inner):
            let value = evaluate(inner, &environment)
            if name == "!" {
                switch value {
                case .boolean(let known): return .boolean(!known)
                case .test(let site, let yes, let no): return .test(site: site, whenTrue: no, whenFalse: yes)
                default: return .unknown
                }
            }
            return .unknown
        case .binary(let name, let left, let right):
            return binary(name, left: left, right: right, at: expression, in: &environment)
        case .assign(let target, let value):
            assign(to: target, from: value, at: expression.range, in: &environment)
            return .unknown
        case .ternary(let condition, let then, let otherwise):
            return ways(
                split(condition, environment),
                first: { evaluate(then, &$0) },
                second: { evaluate(otherwise, &$0) },
                in: &environment
            )
        case .closure(let closure): return .closure(ClosureValue(closure))
        case .tuple(let arguments):
            for argument in arguments {
                let value = evaluate(argument.value, &environment)
                markRead(value)
            }
            return .unknown
        case .tryExpression(let kind, let inner): return attempt(kind, of: inner, at: expression, in: &environment)
        case .address(let inner): return evaluate(inner, &environment)
        case .statement(let statement): return valueOf(statement, &environment)
        case .text(let text): return .symbol(text)
        case .unknown(let parts):
            for part in parts {
                let value = evaluate(part, &environment)
                markRead(value)
            }
            return .unknown
        }
    }

    private func ways(
        _ ways: Ways,
        first: (inout Environment) -> Value,
        second: (inout Environment) -> Value,
        in environment: inout Environment
    ) -> Value {
        var (yes, no) = ways
        var values: [(Value, Environment)] = []
        if var way = yes {
            let value = first(&way)
            values.append((value, way))
            yes = way
        }
        if var way = no {
            let value = second(&way)
            values.append((value, way))
            no = way
        }
        return merge(values, &environment)
    }

    /// One value and environment from those of several paths.
    func merge(_ values: [(Value, Environment)], _ environment: inout Environment) -> Value {
        guard let first = values.first else { return .unknown }
        guard values.count > 1 else {
            environment = first.1
            return first.0
        }
        let carrier = "(value)"
        var joined: Environment?
        for (value, way) in values {
            var copy = way
            copy.variables[carrier] = value
            joined = Environment.join(joined, copy)
        }
        environment = joined ?? environment
        let value = environment.variables.removeValue(forKey: carrier) ?? .unknown
        if let test = test(values) { return test }
        return value
    }

    /// A condition on the status of a site, from values that depend on it.
    func test(_ values: [(Value, Environment)]) -> Value? {
        let booleans = values.map { value, way -> (Bool, Environment)? in
            if case .boolean(let known) = value { (known, way) } else { nil }
        }
        guard !booleans.contains(where: { $0 == nil }) else { return nil }
        let known = booleans.compactMap { $0 }
        guard known.contains(where: \.0), known.contains(where: { !$0.0 }) else { return nil }
        let candidates = Set(known.flatMap { $0.1.codes.keys }).sorted(by: >)
        for site in candidates {
            let yes = known.filter(\.0).reduce(CodeSet()) { $0.union($1.1.codes[site] ?? .all) }
            let no = known.filter { !$0.0 }.reduce(CodeSet()) { $0.union($1.1.codes[site] ?? .all) }
            if yes != no { return .test(site: site, whenTrue: yes, whenFalse: no) }
        }
        return nil
    }

    /// The value of `if` or `switch` as an expression.
    private func valueOf(_ statement: Statement, _ environment: inout Environment) -> Value {
        func last(_ body: [Statement], _ start: Environment) -> (Value, Environment)? {
            guard let final = body.last else { return nil }
            guard var way = execute(Array(body.dropLast()), start) else { return nil }
            switch final.kind {
            case .expression(let expression):
                let value = evaluate(expression, &way)
                return (value, way)
            case .condition, .choice:
                let value = valueOf(final, &way)
                return (value, way)
            default:
                _ = execute([final], way)
                return nil
            }
        }
        switch statement.kind {
        case .condition(let conditions, let then, let otherwise):
            let (yes, no) = split(conditions, environment)
            let values = [yes.flatMap { last(then, $0) }, no.flatMap { last(otherwise ?? [], $0) }].compactMap { $0 }
            return merge(values, &environment)
        case .choice(let subject, let cases):
            let value = evaluate(subject, &environment)
            markRead(value)
            var rest: Environment? = environment
            var values: [(Value, Environment)] = []
            for item in cases {
                if let entered = enter(item, subject: subject, value: value, rest: &rest),
                    let found = last(item.body, entered)
                {
                    values.append(found)
                }
            }
            return merge(values, &environment)
        default: return .unknown
        }
    }

    private func attempt(
        _ kind: Expression.TryKind,
        of inner: Expression,
        at expression: Expression,
        in environment: inout Environment
    ) -> Value {
        tryDepth += 1
        defer { tryDepth -= 1 }
        guard kind != .plain else { return evaluate(inner, &environment) }
        throwTargets.append([])
        if kind == .optional { optionalTryDepth += 1 }
        let value = evaluate(inner, &environment)
        if kind == .optional { optionalTryDepth -= 1 }
        let thrown = throwTargets.removeLast()
        guard kind == .optional else {
            if let failed = thrown.reduce(nil, { Environment.join($0, $1) }) {
                record(.failure("try!"), at: expression.range, in: failed)
            }
            return value
        }
        guard let failed = thrown.reduce(nil, { Environment.join($0, $1) }) else { return value }
        let result = outcome(some: [(value, environment)], none: [failed])
        environment = Environment.join(environment, failed) ?? environment
        return result ?? value
    }

    /// An optional that is nil depending on the status of a site.
    func outcome(some: [(Value, Environment)], none: [Environment]) -> Value? {
        guard !none.isEmpty else { return nil }
        var some = some
        var none = none
        // A value that was optional before stays so.
        if some.count == 1, case .outcome(let site, let nilWhen, let someWhen, let inner) = some[0].0 {
            if let way = some[0].1.refined(site, nilWhen) { none.append(way) }
            some = some[0].1.refined(site, someWhen).map { [(inner, $0)] } ?? []
        }
        let sites = Set(none.flatMap { $0.codes.keys }).union(some.flatMap { $0.1.codes.keys }).sorted(by: >)
        for site in sites {
            let nilWhen = none.reduce(CodeSet()) { $0.union($1.codes[site] ?? .all) }
            let someWhen = some.reduce(CodeSet()) { $0.union($1.1.codes[site] ?? .all) }
            if nilWhen != someWhen {
                let inner = some.dropFirst().reduce(some.first?.0 ?? .unknown) { $0.joined($1.0) }
                return .outcome(site: site, nilWhen: nilWhen, someWhen: someWhen, inner)
            }
        }
        return nil
    }

    private func binary(
        _ name: String,
        left: Expression,
        right: Expression,
        at expression: Expression,
        in environment: inout Environment
    ) -> Value {
        switch name {
        case "==", "!=", "&&", "||", "===", "!==", "~=":
            let (yes, no) = split(expression, environment)
            return ways((yes, no), first: { _ in .boolean(true) }, second: { _ in .boolean(false) }, in: &environment)
        case "??":
            let value = evaluate(left, &environment)
            switch value {
            case .null: return evaluate(right, &environment)
            case .outcome(let site, let nilWhen, let someWhen, let inner):
                markRead(value)
                return ways(
                    (environment.refined(site, someWhen), environment.refined(site, nilWhen)),
                    first: { _ in inner },
                    second: { evaluate(right, &$0) },
                    in: &environment
                )
            default:
                markStored(value)
                let other = evaluate(right, &environment)
                if case .symbol(let text) = value { return .symbol(text) }
                if case .optionalSymbol(let text) = value, let second = other.identityText {
                    return .symbol(text + " ?? " + second)
                }
                return value.joined(other)
            }
        case "+":
            let first = evaluate(left, &environment)
            let second = evaluate(right, &environment)
            if let one = environment.dictionary(first), let two = environment.dictionary(second) {
                return .dictionary(Self.merged(one, two, newWins: true))
            }
            if environment.dictionary(first) != nil || environment.dictionary(second) != nil { return .unknown }
            if case .array(let one) = first, case .array(let two) = second { return .array(one + two) }
            if case .string(let one) = first, case .string(let two) = second { return .string(one + two) }
            if let one = first.identityText, let two = second.identityText { return .pattern("\\()", [one, two]) }
            return .unknown
        case "+=":
            let second = evaluate(right, &environment)
            let source = environment.dictionary(second)
            modify(left, in: &environment) { old in
                source.map { Self.merged(old, $0, newWins: true) } ?? Self.opened(old)
            }
            return .unknown
        case "*", "-", "/":
            let first = evaluate(left, &environment)
            let second = evaluate(right, &environment)
            if case .integer(let one) = first, case .integer(let two) = second {
                if name == "*" { return .integer(one.multipliedReportingOverflow(by: two).partialValue) }
                if name == "-" { return .integer(one.subtractingReportingOverflow(two).partialValue) }
            }
            return .unknown
        default:
            for side in [left, right] {
                let value = evaluate(side, &environment)
                markRead(value)
            }
            return .unknown
        }
    }

    private func string(_ parts: [StringPart], _ environment: inout Environment) -> Value {
        var text = ""
        var names: [String] = []
        for part in parts {
            switch part {
            case .text(let piece): text += piece
            case .interpolation(let arguments):
                guard let first = arguments.first else { continue }
                let value = evaluate(first.value, &environment)
                markRead(value)
                if case .string(let known) = value {
                    text += known
                } else {
                    text += "\\()"
                    names.append(value.identityText ?? first.value.path?.joined(separator: ".") ?? "?")
                }
            }
        }
        return names.isEmpty && !text.contains("\\()") ? .string(text) : .pattern(text, names)
    }

    // MARK: Dictionaries

    /// The key that a value names; nil if it is unknown.
    static func keyName(_ value: Value) -> String? {
        switch value {
        case .constant(let name): KeyTable.canonical(name)
        case .string(let text): KeyTable.key(string: text) ?? text
        default: nil
        }
    }

    private func dictionary(
        of elements: [DictionaryElement],
        at expression: Expression,
        in environment: inout Environment
    ) -> Value {
        var result = emptyDictionary(place(expression.range))
        for element in elements {
            let key = evaluate(element.key, &environment)
            let value = evaluate(element.value, &environment)
            markStored(value)
            let entry = AbstractDictionary.Entry(value: value, place: place(element.range), depth: depth)
            result = Self.set(result, key: key, to: entry, isLiteral: true)
        }
        return .dictionary(result)
    }

    /// Marks an access control that is put into a dictionary without being unwrapped.
    func markStored(_ value: Value) {
        markRead(value)
        for case .accessControl(let index) in value.alternatives where accessControls[index].handling == .unknown {
            accessControls[index].handling = .optionalValue
        }
    }

    private func index(
        _ base: Expression,
        with arguments: [CallArgument],
        at expression: Expression,
        in environment: inout Environment
    ) -> Value {
        let value = evaluate(base, &environment)
        let keys = arguments.map { evaluate($0.value, &environment) }
        switch value {
        case .result(let site, _):
            sites[site].isResultRead = true
            return .result(site, isWhole: false)
        case .array(let values):
            if case .integer(let number)? = keys.first, values.indices.contains(number) { return values[number] }
        default: break
        }
        if let dictionary = environment.dictionary(value), let name = keys.first.flatMap(Self.keyName) {
            let found = dictionary.variants.map { $0.value(name) }
            guard let first = found.first, let known = first, found.allSatisfy({ $0 == known }) else { return .unknown }
            return known
        }
        return expression.path.map { .symbol($0.joined(separator: ".")) } ?? .unknown
    }

    private func cast(
        _ source: Expression,
        kind: Expression.CastKind,
        to type: String,
        at expression: Expression,
        in environment: inout Environment
    ) -> Value {
        let value = evaluate(source, &environment)
        switch value {
        case .result(let site, let isWhole):
            sites[site].isResultRead = true
            if kind != .bridge, kind != .check {
                sites[site].casts.append(
                    .init(
                        kind: kind,
                        type: type,
                        place: place(expression.range),
                        isWhole: isWhole,
                        codes: environment.codes[site],
                        depth: depth
                    )
                )
            }
            return value
        case .dictionary(let dictionary) where Self.isMutableType(type): return allocate(dictionary, &environment)
        case .accessControl(let index):
            if type.hasPrefix("Any"), accessControls[index].handling == .unknown {
                accessControls[index].handling = .optionalValue
            }
            return value
        case .symbol(let text) where kind == .bridge:
            if symbolTypes[text] == nil { symbolTypes[text] = type }
            return value
        default: return value
        }
    }
}

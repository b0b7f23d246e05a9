// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Calls: resolving the function, and following it.
extension Interpreter {
    func call(
        _ expression: Expression,
        of callee: Expression,
        with arguments: [CallArgument],
        isStatement: Bool,
        in environment: inout Environment
    ) -> Value {
        let name = callee.lastName ?? ""
        if let function = itemFunction(callee, &environment) {
            return site(of: function, at: expression, with: arguments, in: &environment)
        }
        if name == "SecAccessControlCreateWithFlags" {
            return accessControl(at: expression, with: arguments, in: &environment)
        }
        // Evaluated once: a chain of calls has one in each.
        var receiver: Value?
        if case .member(let base?, _) = callee.kind, Self.isDictionaryMethod(name) {
            let value = evaluate(base, &environment)
            receiver = value
            if let answer = dictionaryCall(on: base, value, named: name, with: arguments, in: &environment) {
                return answer
            }
        }
        if case .name(let type) = callee.kind, let value = conversion(to: type, of: arguments, in: &environment) {
            return value
        }
        if name == "withUnsafeMutablePointer" || name == "withUnsafeMutableBytes" || name == "withMemoryRebound" {
            return withPointer(callee, with: arguments, in: &environment)
        }
        if case .closure(let closure) = callee.bare.kind {
            return run(closure, with: arguments.map { evaluate($0.value, &environment) }, in: &environment)
        }
        if case .name(let text) = callee.kind, let value = environment.variables[text] {
            if case .closure(let closure) = value {
                return run(closure.closure, with: arguments.map { evaluate($0.value, &environment) }, in: &environment)
            }
        }
        if let target = resolve(callee, with: arguments, in: &environment) {
            record(
                .call(describe(callee, with: arguments, isStatement: isStatement, symbol: target, in: &environment)),
                at: expression.range,
                in: environment
            )
            if depth < Self.maximumDepth,
                isFollowed(
                    target.function.name,
                    of: target.typeName,
                    result: target.function.result,
                    body: target.function.body
                ),
                !frames.contains(where: { $0.symbol?.function === target.function })
            {
                return interpretBody(
                    of: target,
                    callee: callee,
                    on: receiver,
                    with: arguments,
                    at: expression,
                    in: &environment
                )
            }
        } else {
            if case .name(let text) = callee.kind, let type = module.types[text], type.keyword != "protocol" {
                return construct(
                    text,
                    with: arguments,
                    at: expression,
                    isStatement: isStatement,
                    callee: callee,
                    in: &environment
                )
            }
            record(
                .call(describe(callee, with: arguments, isStatement: isStatement, symbol: nil, in: &environment)),
                at: expression.range,
                in: environment
            )
        }
        return unknownCall(
            of: callee,
            on: receiver,
            with: arguments,
            at: expression,
            isStatement: isStatement,
            in: &environment
        )
    }

    private func describe(
        _ callee: Expression,
        with arguments: [CallArgument],
        isStatement: Bool,
        symbol: FunctionSymbol?,
        in environment: inout Environment
    ) -> Event.Call {
        var receiver: [String]?
        var type: String?
        if case .member(let base, _) = callee.kind {
            receiver = base?.path
            if let text = receiver?.joined(separator: ".") { type = symbolTypes[text] }
            if let base, case .call(let inner, _) = base.bare.kind { type = inner.lastName }
            if type == nil, let base, let path = base.path {
                // Looked up without following getters.
                if path.count == 1, let value = environment.variables[path[0]], case .instance(let known) = value {
                    type = known
                } else if let last = path.last, path.count == 1 || (path.count == 2 && path[0] == "self") {
                    let found = property(last, of: frame.typeName)
                    type = found?.binding.type ?? found?.binding.value.flatMap(Self.constructedType)
                }
            }
        }
        return Event.Call(
            name: callee.lastName ?? "",
            receiver: receiver,
            receiverType: type.map(Module.simpleName),
            arguments: arguments,
            isOptionalTry: optionalTryDepth > 0,
            isDiscarded: isStatement,
            symbol: symbol
        )
    }

    /// `T` of `T(…)` and of `T.shared`.
    static func constructedType(_ expression: Expression) -> String? {
        switch expression.bare.kind {
        case .call(let callee, _): callee.lastName
        case .member(let base?, _): base.lastName
        default: nil
        }
    }

    /// Follows a closure's body in place.
    func run(_ closure: Closure, with arguments: [Value], in environment: inout Environment) -> Value {
        guard !activeClosures.contains(ObjectIdentifier(closure)), activeClosures.count < 6 else { return .unknown }
        activeClosures.append(ObjectIdentifier(closure))
        closureDepth += 1
        defer {
            activeClosures.removeLast()
            closureDepth -= 1
        }
        var names = closure.parameters
        if names.isEmpty { names = arguments.indices.map { "$\($0)" } }
        let hidden = names.map { ($0, environment.variables[$0]) }
        for (index, name) in names.enumerated() {
            environment.variables[name] = index < arguments.count ? arguments[index] : .symbol(name)
        }
        // What the closure returns is not what the function around it returns.
        let outer = frame.returns
        frame.returns = []
        var start = environment
        var end: Environment?
        if closure.body.count == 1, case .expression(let only) = closure.body[0].kind {
            if case .statement(let statement) = only.kind {
                end = execute([statement], start)
            } else {
                if case .assign(let target, let value) = only.kind {
                    assign(to: target, from: value, at: only.range, in: &start)
                    end = start
                } else {
                    let value = evaluate(only, &start)
                    frame.returns.append((value, start, only))
                }
            }
        } else if let parts = Self.builderParts(closure) {
            let value = merged(parts, &start)
            frame.returns.append((value, start, parts[0]))
        } else {
            end = execute(closure.body, start)
        }
        let returned = frame.returns
        frame.returns = outer
        var values = returned.map { ($0.value, $0.environment) }
        if let end { values.append((.unknown, end)) }
        let result = values.isEmpty ? .unknown : merge(values, &environment)
        for (name, value) in hidden { environment.variables[name] = value }
        return result
    }

    /// The dictionaries in a closure for a result builder: as statements they mean nothing elsewhere.
    private static func builderParts(_ closure: Closure) -> [Expression]? {
        guard closure.body.count > 1 else { return nil }
        var parts: [Expression] = []
        for statement in closure.body {
            guard case .expression(let part) = statement.kind, case .dictionary = part.bare.kind else { return nil }
            parts.append(part)
        }
        return parts
    }

    private func merged(_ parts: [Expression], _ environment: inout Environment) -> Value {
        var result: AbstractDictionary?
        for part in parts {
            guard let next = environment.dictionary(evaluate(part, &environment)) else { return .unknown }
            result = result.map { Self.merged($0, next, newWins: true) } ?? next
        }
        return result.map { .dictionary($0) } ?? .unknown
    }

    private func construct(
        _ type: String,
        with arguments: [CallArgument],
        at expression: Expression,
        isStatement: Bool,
        callee: Expression,
        in environment: inout Environment
    ) -> Value {
        let values = arguments.map { evaluate($0.value, &environment) }
        for value in values { markRead(value) }
        record(
            .call(describe(callee, with: arguments, isStatement: isStatement, symbol: nil, in: &environment)),
            at: expression.range,
            in: environment
        )
        // A wrapper around one dictionary is treated as that dictionary.
        if values.count == 1, arguments[0].label == nil, environment.dictionary(values[0]) != nil { return values[0] }
        for (argument, value) in zip(arguments, values) {
            _ = runArgument(argument, value: value, given: [], in: &environment)
        }
        return .instance(type)
    }

    /// A call of something outside of the module.
    private func unknownCall(
        of callee: Expression,
        on receiver: Value?,
        with arguments: [CallArgument],
        at expression: Expression,
        isStatement: Bool,
        in environment: inout Environment
    ) -> Value {
        if case .member(let base?, _) = callee.kind {
            let value = receiver ?? evaluate(base, &environment)
            markRead(value)
        }
        // A look that a release build does not take.
        let isDebugOnly = callee.path == ["assert"]
        let readBefore = isDebugOnly ? sites.map(\.isStatusRead) : []
        let logBefore = readLog.count
        defer {
            if isDebugOnly {
                for (index, isRead) in readBefore.enumerated() { sites[index].isStatusRead = isRead }
                readLog.removeSubrange(logBefore...)
            }
        }
        for argument in arguments {
            let value = evaluate(argument.value, &environment)
            markRead(value)
            if case .address(let target) = argument.value.kind, let path = target.path {
                let name = path.count == 1 ? variableName(path[0], environment) : path.joined(separator: ".")
                if let dictionary = environment.dictionary(environment.variables[name] ?? .unknown) {
                    environment.variables[name] = .dictionary(Self.opened(dictionary))
                } else if case .result? = environment.variables[name] {
                    // The result keeps its value.
                } else {
                    environment.variables[name] = .symbol(name)
                }
            } else if case .reference(let index) = value, let dictionary = environment.heap[index] {
                environment.heap[index] = Self.opened(dictionary)
            }
            let given = elements(of: callee, &environment)
            let answer = runArgument(argument, value: value, given: given, in: &environment)
            if let answer, VoidContext.drops(argument, of: callee, isStatement: isStatement) {
                recordDiscarded(answer, argument.value.singleExpression?.range ?? argument.value.range)
            }
        }
        if tryDepth > 0 { throwTargets[throwTargets.count - 1].append(environment) }
        // The text of a short call serves as its value.
        if expression.range.end - expression.range.start < 80 {
            let text = module.files[frame.file].text(expression.range)
            if callee.lastName?.first?.isUppercase == true {
                return callee.lastName.map { .instance($0) } ?? .unknown
            }
            return .symbol(text)
        }
        return .unknown
    }

    /// The arguments of a closure that iterates over a list of results.
    private func elements(of callee: Expression, _ environment: inout Environment) -> [Value] {
        guard case .member(let base?, let name) = callee.kind, base.path != nil,
            ["map", "compactMap", "flatMap", "forEach", "filter", "first", "contains"].contains(name),
            case .result(let site, _) = evaluate(base, &environment)
        else { return [] }
        return [.result(site, isWhole: false)]
    }

    private func runArgument(
        _ argument: CallArgument,
        value: Value,
        given: [Value],
        in environment: inout Environment
    ) -> Value? {
        guard case .closure(let closure) = value, case .closure = argument.value.kind else { return nil }
        // It may be called at once, later or never.
        var called = environment
        let answer = run(closure.closure, with: given, in: &called)
        environment = Environment.join(environment, called) ?? environment
        return answer
    }
}

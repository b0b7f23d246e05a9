// SPDX-License-Identifier: Apache-2.0

/// Following functions of the module where they are called.
extension Interpreter {
    func interpretBody(
        of target: FunctionSymbol,
        callee: Expression,
        on receiver: Value?,
        with arguments: [CallArgument],
        at expression: Expression,
        in environment: inout Environment
    ) -> Value {
        var selfValue: Value?
        if case .member(let base?, _) = callee.kind, base.path != ["self"] {
            let value = receiver ?? evaluate(base, &environment)
            if case .status = value { selfValue = value }
            if environment.dictionary(value) != nil { selfValue = value }
        } else {
            selfValue = frame.selfValue
        }
        var bound: [String: Value] = [:]
        var copiesBack: [(parameter: String, name: String)] = []
        var index = 0
        for parameter in target.function.parameters {
            let isTrailing =
                index < arguments.count && arguments[index].isTrailingClosure && arguments[index].label == nil
                && parameter.type.contains("->")
            if index < arguments.count, arguments[index].label == parameter.label || isTrailing {
                let argument = arguments[index]
                let value = evaluate(argument.value, &environment)
                for case .accessControl(let number) in value.alternatives {
                    accessControls[number].handling =
                        accessControls[number].handling == .unknown ? .bound : accessControls[number].handling
                }
                if case .address(let variable) = argument.value.kind, let path = variable.path {
                    let name = path.count == 1 ? variableName(path[0], environment) : path.joined(separator: ".")
                    copiesBack.append((parameter.name, name))
                }
                if case .symbol(let text) = value, symbolTypes[text] == nil { symbolTypes[text] = parameter.type }
                if parameter.isOptional, case .unknown = value {
                    bound[parameter.name] = .optionalSymbol(parameter.name)
                } else {
                    bound[parameter.name] = value
                }
                index += 1
                if parameter.type.hasSuffix("...") {
                    while index < arguments.count, arguments[index].label == nil {
                        _ = evaluate(arguments[index].value, &environment)
                        index += 1
                    }
                    bound[parameter.name] = .unknown
                }
            } else if let value = parameter.defaultValue {
                frames.append(
                    Frame(
                        symbol: target,
                        typeName: target.typeName,
                        file: target.file,
                        callPlace: place(expression.range)
                    )
                )
                var own = Environment()
                bound[parameter.name] = evaluate(value, &own)
                frames.removeLast()
            }
        }
        var copied: [String: Value] = [:]
        let value = invoke(target, with: bound, at: place(expression.range), on: selfValue, in: &environment) { end in
            for (parameter, name) in copiesBack { copied[name] = end.variables[parameter] }
        }
        for (_, name) in copiesBack {
            environment.variables[name] = copied[name] ?? .unknown
            if var value = environment.variables[name] {
                lower(&value, depth)
                environment.variables[name] = value
            }
        }
        return value
    }

    /// Follows a function of the module with given arguments.
    func invoke(
        _ target: FunctionSymbol,
        with arguments: [String: Value],
        at callPlace: Place,
        on selfValue: Value?,
        in environment: inout Environment,
        atEnd: ((Environment) -> Void)? = nil
    ) -> Value {
        guard let body = target.function.body else { return .unknown }
        let own = Frame(
            symbol: target,
            typeName: target.typeName,
            file: target.file,
            callPlace: callPlace,
            selfValue: selfValue
        )
        frames.append(own)
        var start = Environment()
        start.codes = environment.codes
        start.heap = environment.heap
        start.assumptions = environment.assumptions
        start.passed = environment.passed
        start.variables = arguments
        if target.typeName == frames[frames.count - 2].typeName {
            for (name, value) in environment.variables where name.hasPrefix("self.") { start.variables[name] = value }
        }
        let outerDeferred = deferredDepth
        let outerTry = tryDepth
        tryDepth = 0
        let thrownBefore = throwTargets[throwTargets.count - 1].count
        let end = execute(body, start, isBody: true)
        deferredDepth = outerDeferred
        tryDepth = outerTry
        // Who catches sees the names of the caller again.
        for index in throwTargets[throwTargets.count - 1].indices.dropFirst(thrownBefore) {
            throwTargets[throwTargets.count - 1][index].variables = environment.variables
        }
        var results = own.returns.map { ($0.value, $0.environment) }
        if let end { results.append((.unknown, end)) }
        frames.removeLast()
        guard !results.isEmpty else {
            return .unknown
        }
        if let joined = results.map(\.1).reduce(nil, { Environment.join($0, $1) }) { atEnd?(joined) }
        var joined = environment
        // An optional that is nil by the status of a site.
        let none = results.filter { $0.0.isNull }
        let some = results.filter { !$0.0.isNull }
        let optional = none.isEmpty || some.isEmpty ? nil : outcome(some: some, none: none.map(\.1))
        var value = merge(results, &joined)
        if let optional { value = optional }
        environment.codes = joined.codes
        environment.passed = joined.passed
        environment.heap = joined.heap
        lower(&value, depth)
        if target.typeName == frame.typeName {
            for (name, value) in joined.variables where name.hasPrefix("self.") { environment.variables[name] = value }
        }
        return value
    }
}

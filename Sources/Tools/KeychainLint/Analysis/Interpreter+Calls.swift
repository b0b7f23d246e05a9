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
        if case .member(let base?, _) = callee.kind,
            let value = dictionaryCall(on: base, named: name, with: arguments, in: &environment)
        {
            return value
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
                return interpretBody(of: target, callee: callee, with: arguments, at: expression, in: &environment)
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
        return unknownCall(of: callee, with: arguments, at: expression, isStatement: isStatement, in: &environment)
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

    // MARK: Functions of the module

    /// The module's function that a call refers to, if it is unambiguous.
    func resolve(
        _ callee: Expression,
        with arguments: [CallArgument],
        in environment: inout Environment
    ) -> FunctionSymbol? {
        guard let name = callee.lastName, let candidates = module.functions[name] else { return nil }
        let fitting = candidates.filter { $0.accepts(arguments) && $0.function.body != nil }
        guard !fitting.isEmpty else { return nil }
        let types = fitting.count > 1 ? arguments.map { writtenType($0.value, environment) } : []
        func nearest(_ symbols: [FunctionSymbol]) -> FunctionSymbol? {
            if symbols.count == 1 { return symbols[0] }
            let here = symbols.filter { $0.file == frame.file }
            if here.count == 1 { return here[0] }
            let typed = symbols.filter { $0.acceptsTypes(types) }
            if typed.count == 1 { return typed[0] }
            // A function that calls one of the same name calls another one.
            let others = symbols.filter { symbol in !frames.contains { $0.symbol === symbol } }
            return others.count == 1 ? others[0] : nil
        }
        switch callee.kind {
        case .name:
            if let type = frame.typeName {
                let types = module.inherited(type).union([type])
                let own = fitting.filter { $0.typeName == type }
                if let found = nearest(own.isEmpty ? fitting.filter { $0.typeName.map(types.contains) ?? false } : own)
                {
                    return found
                }
            }
            return nearest(fitting.filter { $0.typeName == nil })
                ?? nearest(fitting.filter { $0.typeName == frame.typeName })
        case .member(let base?, _):
            guard let type = type(of: base, &environment) else { return nil }
            let types = module.inherited(type).union([type])
            let own = fitting.filter { $0.typeName == type }
            if let found = nearest(own.isEmpty ? fitting.filter { $0.typeName.map(types.contains) ?? false } : own) {
                return found
            }
            return nearest(fitting.filter { $0.typeName == module.conformer(of: type) })
        default: return nil
        }
    }

    /// The type of an argument, as far as it is written down: to choose between functions that differ only in their
    /// parameters.
    private func writtenType(_ argument: Expression, _ environment: Environment) -> String? {
        switch argument.bare.kind {
        case .string: return "String"
        case .boolean: return "Bool"
        case .name(let name):
            let text = environment.variables[name]?.identityText ?? name
            return (symbolTypes[text] ?? symbolTypes[name]).map(Module.simpleName)
        case .call(let callee, _):
            guard case .name(let name) = callee.kind, name.first?.isUppercase == true else { return nil }
            return name
        default: return nil
        }
    }

    /// The type of an expression, if it is written down nearby.
    func type(of base: Expression, _ environment: inout Environment) -> String? {
        let bare = base.bare
        switch bare.kind {
        case .name("self"), .name("Self"): return frame.typeName
        case .name("super"):
            return frame.typeName.flatMap { name in
                module.types[name]?.inherited.first { module.types[$0]?.keyword == "class" }
            }
        case .name(let name):
            if let value = environment.variables[name] ?? environment.variables["self." + name] {
                if case .instance(let type) = value { return type }
                if let type = symbolTypes[name].map(Module.simpleName), module.types[type] != nil { return type }
                return nil
            }
            if let found = property(name, of: frame.typeName) { return declaredType(found) }
            return module.types[name] != nil ? name : nil
        case .member(let inner?, let name):
            if inner.path == ["self"] { return property(name, of: frame.typeName).flatMap(declaredType) }
            guard let owner = type(of: inner, &environment) else { return nil }
            return property(name, of: owner).flatMap(declaredType)
        case .call(let callee, _):
            guard let name = callee.lastName else { return nil }
            if module.types[name] != nil { return name }
            if name == "init", case .member(let inner?, _) = callee.kind { return type(of: inner, &environment) }
            return nil
        default: return nil
        }
    }

    private func declaredType(_ symbol: PropertySymbol) -> String? {
        let name = symbol.binding.type.map(Module.simpleName) ?? symbol.binding.value.flatMap(Self.constructedType)
        if name == "Self" { return symbol.typeName }
        return name.flatMap { module.types[$0] == nil ? nil : $0 }
    }

    private func interpretBody(
        of target: FunctionSymbol,
        callee: Expression,
        with arguments: [CallArgument],
        at expression: Expression,
        in environment: inout Environment
    ) -> Value {
        var selfValue: Value?
        if case .member(let base?, _) = callee.kind, base.path != ["self"] {
            let value = evaluate(base, &environment)
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
        with arguments: [CallArgument],
        at expression: Expression,
        isStatement: Bool,
        in environment: inout Environment
    ) -> Value {
        if case .member(let base?, _) = callee.kind {
            let value = evaluate(base, &environment)
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

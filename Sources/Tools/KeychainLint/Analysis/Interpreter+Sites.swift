// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Calls of the item functions and of `SecAccessControlCreateWithFlags`: the sites that rules check.
extension Interpreter {
    func itemFunction(_ callee: Expression, _ environment: inout Environment) -> ItemFunction? {
        switch callee.kind {
        case .name(let name):
            if let function = ItemFunction(rawValue: name), module.functions[name] == nil { return function }
            guard ItemFunction(rawValue: name) == nil,
                environment.variables[name] != nil
                    || module.properties[name] != nil
            else { return nil }
            if case .function(let function) = lookUp(name, &environment) { return function }
            return nil
        case .member(let base?, let name):
            if base.path == ["Security"], let function = ItemFunction(rawValue: name) { return function }
            if let type = type(of: base, &environment), let function = module.closureMembers.function(name, of: type) {
                return function
            }
            guard let symbols = module.properties[name],
                symbols.contains(where: { $0.binding.value?.lastName.flatMap(ItemFunction.init(rawValue:)) != nil })
            else { return nil }
            if case .function(let function) = evaluate(callee, &environment) { return function }
            return nil
        default: return nil
        }
    }

    // MARK: Item functions

    func site(
        of function: ItemFunction,
        at expression: Expression,
        with arguments: [CallArgument],
        in environment: inout Environment
    ) -> Value {
        guard let first = arguments.first else { return .unknown }
        let query = dictionaryArgument(first.value, &environment)
        var attributes: AbstractDictionary?
        var pointer = Site.Pointer.none
        if arguments.count > 1 {
            if function == .update {
                attributes = dictionaryArgument(arguments[1].value, &environment)
            } else {
                pointer = resultPointer(arguments[1].value, &environment)
            }
        }
        let reportDepth = min(depth, max(0, query.depth))
        let index = sites.count
        let actual = place(expression.range)
        sites.append(
            Site(
                index: index,
                function: function,
                place: actual,
                reportPlace: reportDepth < depth ? frames[reportDepth + 1].callPlace ?? actual : actual,
                depth: depth,
                reportDepth: reportDepth,
                rootCall: frames.count > 1 ? frames[1].callPlace ?? actual : actual,
                query: query,
                attributes: attributes,
                pointer: pointer,
                queryName: first.value.bare.path?.joined(separator: "."),
                symbol: frames[reportDepth].symbol,
                callers: frames.compactMap { $0.symbol?.function.name },
                codes: environment.codes,
                assumptions: environment.assumptions,
                passed: environment.passed,
                isDeferred: deferredDepth > 0,
                isInClosure: closureDepth > 0
            )
        )
        environment.passed.insert(index)
        if case .variable(let name) = pointer { environment.variables[name] = .result(index, isWhole: true) }
        record(.site(index), at: expression.range, in: environment)
        return .status(index)
    }

    private func dictionaryArgument(_ expression: Expression, _ environment: inout Environment) -> AbstractDictionary {
        let value = evaluate(expression, &environment)
        if let dictionary = environment.dictionary(value) { return dictionary }
        return AbstractDictionary(variants: [.init(isOpen: true)], depth: depth, origin: nil, identity: 0)
    }

    private func resultPointer(_ expression: Expression, _ environment: inout Environment) -> Site.Pointer {
        if case .address(let target) = expression.bareCast.kind {
            guard let path = target.path else { return .unknown }
            if path.count == 1 { return .variable(variableName(path[0], environment)) }
            if path.count == 2, path[0] == "self" { return .variable("self." + path[1]) }
            return .unknown
        }
        switch evaluate(expression, &environment) {
        case .null: return .none
        case .pointer(let name): return .variable(name)
        default: return .unknown
        }
    }

    func accessControl(
        at expression: Expression,
        with arguments: [CallArgument],
        in environment: inout Environment
    ) -> Value {
        let values = arguments.map { evaluate($0.value, &environment) }
        var flags: Set<String> = []
        var areKnown = true
        if values.count > 2 {
            func collect(_ value: Value) {
                switch value {
                case .symbol(let text) where text.hasPrefix("."): flags.insert(String(text.dropFirst()))
                case .symbol(let text) where text.hasPrefix("SecAccessControlCreateFlags."):
                    flags.insert(String(text.dropFirst("SecAccessControlCreateFlags.".count)))
                case .array(let items): for item in items { collect(item) }
                case .either(let items):
                    for item in items { collect(item) }
                    areKnown = false
                default: areKnown = false
                }
            }
            collect(values[2])
        }
        let passesError: Bool
        if arguments.count > 3, case .null = arguments[3].value.kind {
            passesError = false
        } else {
            passesError = arguments.count > 3
        }
        let index = accessControls.count
        accessControls.append(
            AccessControlUse(
                place: place(expression.range),
                depth: depth,
                protection: values.count > 1 ? values[1] : .unknown,
                flags: flags,
                areFlagsKnown: areKnown,
                handling: .unknown,
                passesError: passesError
            )
        )
        record(.accessControl(index), at: expression.range, in: environment)
        return .accessControl(index)
    }

    func withPointer(
        _ callee: Expression,
        with arguments: [CallArgument],
        in environment: inout Environment
    ) -> Value {
        var target: Value = .unknown
        if let first = arguments.first, case .address(let variable) = first.value.kind, let path = variable.path {
            target = .pointer(path.count == 1 ? variableName(path[0], environment) : path.joined(separator: "."))
        } else if case .member(let base?, _) = callee.kind {
            target = evaluate(base, &environment)
        }
        guard let last = arguments.last else { return .unknown }
        if case .closure(let closure) = last.value.kind { return run(closure, with: [target], in: &environment) }
        return .unknown
    }

    // MARK: Closures
}

extension Expression {
    /// Without casts and pointer conversions around an `&variable`.
    fileprivate var bareCast: Expression {
        switch kind {
        case .cast(let base, _, _): base.bareCast
        case .call(let callee, let arguments)
        where arguments.count == 1 && callee.lastName?.hasPrefix("Unsafe") == true:
            arguments[0].value.bareCast
        default: self
        }
    }
}

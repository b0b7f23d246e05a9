// SPDX-License-Identifier: Apache-2.0

/// The functions of the module that calls refer to.
extension Interpreter {
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
}

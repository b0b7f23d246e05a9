// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Interpreter {
    /// The property with a name, of a type, of one of its supertypes or of the file.
    func property(_ name: String, of typeName: String?) -> PropertySymbol? {
        guard let candidates = module.properties[name] else { return nil }
        if let typeName {
            let types = module.inherited(typeName).union([typeName])
            let own = candidates.filter { $0.typeName == typeName }
            let fitting = own.isEmpty ? candidates.filter { $0.typeName.map(types.contains) ?? false } : own
            if let found = preferred(fitting) { return found }
        }
        return preferred(candidates.filter { $0.typeName == nil })
    }

    /// One of several with the same name: that of this file, else one under no contrary condition, else none.
    private func preferred(_ symbols: [PropertySymbol]) -> PropertySymbol? {
        if symbols.count == 1 { return symbols[0] }
        let here = symbols.filter { $0.file == frame.file }
        if here.count == 1 { return here[0] }
        let unconditional = symbols.filter { symbol in
            !symbol.conditions.contains { $0.contains("os(macOS)") && !$0.hasPrefix("!") }
        }
        return unconditional.count == 1 ? unconditional[0] : nil
    }

    func lookUp(_ name: String, _ environment: inout Environment) -> Value {
        if let value = environment.variables[name] { return value }
        if let value = environment.variables["self." + name] { return value }
        if name == "self" { return frame.selfValue ?? frame.typeName.map { .instance($0) } ?? .unknown }
        if name == "Self" { return frame.typeName.map { .typeName($0) } ?? .unknown }
        if let function = ItemFunction(rawValue: name) { return .function(function) }
        if name.hasPrefix("kSec") || name.hasPrefix("errSec") || name == "noErr" {
            if property(name, of: nil) == nil { return .constant(KeyTable.canonical(name)) }
        }
        switch name {
        case "kCFBooleanTrue": return .boolean(true)
        case "kCFBooleanFalse": return .boolean(false)
        default: break
        }
        if let symbol = property(name, of: frame.typeName) {
            return evaluate(symbol, receiver: "self", selfValue: frame.selfValue, &environment)
        }
        if module.types[name] != nil || name.first?.isUppercase == true {
            return .typeName(module.typeAliases[name].map(Module.simpleName) ?? name)
        }
        return .symbol(name)
    }

    /// The value of a property: that of its getter, else its initial value, else only its name.
    func evaluate(
        _ symbol: PropertySymbol,
        receiver: String,
        selfValue: Value?,
        _ environment: inout Environment
    ) -> Value {
        let name = symbol.binding.name ?? ""
        let isOptional = symbol.binding.type?.hasSuffix("?") ?? false
        let text = (symbol.isStatic ? symbol.typeName ?? receiver : receiver) + "." + name
        let key = symbol.typeName == nil ? name : text
        if let type = symbol.binding.type { symbolTypes[key] = type }
        let fallback: Value = isOptional ? .optionalSymbol(key) : .symbol(key)
        guard depth < Self.maximumDepth, frames.filter({ $0.symbol == nil && $0.callPlace != nil }).count < 4 else {
            return fallback
        }
        if let getter = symbol.binding.getter {
            let function = Function(
                name: name,
                parameters: [],
                result: symbol.binding.type,
                throws: false,
                isAsync: false,
                modifiers: symbol.variable.modifiers,
                attributes: [],
                body: getter,
                range: symbol.binding.range,
                nameRange: symbol.binding.range
            )
            let target = FunctionSymbol(
                function,
                typeName: symbol.typeName,
                file: symbol.file,
                conditions: symbol.conditions
            )
            if !isFollowed(name, of: symbol.typeName, result: symbol.binding.type, body: getter) { return fallback }
            let value = invoke(target, with: [:], at: place(symbol.binding.range), on: selfValue, in: &environment)
            if case .unknown = value { return fallback }
            return value
        }
        guard let value = symbol.binding.value, symbol.variable.isConstant || isNeverAssigned(name) else {
            return fallback
        }
        if case .closure = value.kind { return .unknown }
        frames.append(
            Frame(symbol: nil, typeName: symbol.typeName, file: symbol.file, callPlace: place(symbol.binding.range))
        )
        var own = Environment()
        own.assumptions = environment.assumptions
        let before = events.count
        var result = evaluate(value, &own)
        frames.removeLast()
        events.removeSubrange(before...)
        lower(&result, depth)
        if case .reference(let index) = result, let dictionary = own.heap[index] {
            environment.heap[index] = environment.heap[index] ?? dictionary
        }
        switch result {
        case .unknown, .symbol, .optionalSymbol, .typeName: return fallback
        case .instance(let type):
            if symbolTypes[key] == nil { symbolTypes[key] = type }
            return .instance(type)
        default: return result
        }
    }

    private func isNeverAssigned(_ name: String) -> Bool { !module.assignedNames.contains(name) }

    /// Whether a function of the module is worth following.
    func isFollowed(_ name: String, of typeName: String?, result: String?, body: [Statement]?) -> Bool {
        if module.reaches(name, of: typeName) { return true }
        guard let body, body.count <= 12 else { return false }
        // A long switch is a table, not a choice between queries.
        if body.contains(where: { if case .choice(_, let cases) = $0.kind { cases.count > 16 } else { false } }) {
            return false
        }
        guard let result else { return body.count <= 8 }
        let type = module.typeAliases[Module.simpleName(result)] ?? result
        return Self.isDictionaryType(type) || Self.isFoldedType(type)
    }

    private static func isFoldedType(_ type: String) -> Bool {
        let text = type.filter { $0 != "?" && $0 != "!" && $0 != " " }
        return [
            "CFString", "String", "NSString", "Bool", "OSStatus", "Any", "AnyObject", "CFTypeRef", "SecAccessControl",
            "CFBoolean", "NSNumber", "Int",
        ].contains(text)
    }

    /// Dictionaries that a call returns belong to the caller.
    func lower(_ value: inout Value, _ depth: Int) {
        switch value {
        case .dictionary(var dictionary):
            if dictionary.depth > depth {
                dictionary.depth = depth
                value = .dictionary(dictionary)
            }
        case .either(var values):
            for index in values.indices { lower(&values[index], depth) }
            value = .either(values)
        case .outcome(let site, let nilWhen, let someWhen, var inner):
            lower(&inner, depth)
            value = .outcome(site: site, nilWhen: nilWhen, someWhen: someWhen, inner)
        default: break
        }
    }

    func member(
        of base: Expression?,
        named name: String,
        at expression: Expression,
        in environment: inout Environment
    ) -> Value {
        guard let base else { return .symbol("." + name) }
        if base.path == ["Security"] { return lookUp(name, &environment) }
        if base.path == ["self"] {
            if let value = environment.variables["self." + name] { return value }
            if let symbol = property(name, of: frame.typeName) {
                return evaluate(symbol, receiver: "self", selfValue: frame.selfValue, &environment)
            }
            return .symbol("self." + name)
        }
        let value = evaluate(base, &environment)
        switch value {
        case .typeName(let type):
            if module.enumValues[type + "." + name] != nil { return .symbol(type + "." + name) }
            if module.types[type] != nil, let symbol = property(name, of: type) {
                return evaluate(symbol, receiver: type, selfValue: nil, &environment)
            }
            return .symbol(type + "." + name)
        case .symbol(let text):
            if name == "rawValue" {
                if let raw = module.enumValues[text] {
                    return evaluate(raw, &environment)
                }
                if let dot = text.lastIndex(of: "."), module.types[String(text[..<dot])]?.keyword == "enum" {
                    return .string(String(text[text.index(after: dot)...]))
                }
                return .symbol(text + ".rawValue")
            }
            return typedMember(text, of: value, named: name, in: &environment) ?? .symbol(text + "." + name)
        case .constant, .string, .pattern:
            // `kSecClass.string` and similar properties are the same value with another type.
            if ["count", "isEmpty", "hashValue", "length"].contains(name) { return .kind(.number) }
            return name == "utf8" ? .kind(.data) : value
        case .status:
            markRead(value)
            for type in ["OSStatus", "Int32"] {
                if let symbol = property(name, of: type) {
                    return evaluate(symbol, receiver: "status", selfValue: value, &environment)
                }
            }
            return .unknown
        case .result(let site, _):
            sites[site].isResultRead = true
            return .result(site, isWhole: false)
        case .instance(let type):
            if let symbol = property(name, of: type) {
                return evaluate(symbol, receiver: type + "()", selfValue: nil, &environment)
            }
            return .symbol(type + "()." + name)
        case .dictionary, .reference:
            if ["count", "isEmpty", "keys", "values", "description"].contains(name) { return .unknown }
            return value
        case .optionalSymbol(let text): return .symbol(text + "." + name)
        case .either(let values):
            let members = values.map { item -> Value in
                if case .symbol(let text) = item, name == "rawValue", let raw = module.enumValues[text] {
                    return evaluate(raw, &environment)
                }
                return .unknown
            }
            guard let first = members.first else { return .unknown }
            return members.dropFirst().reduce(first) { $0.joined($1) }
        default:
            markRead(value)
            return .unknown
        }
    }

    /// A member of a base whose type is written down.
    private func typedMember(
        _ text: String,
        of value: Value,
        named name: String,
        in environment: inout Environment
    ) -> Value? {
        var type = symbolTypes[text].map(Module.simpleName)
        if type == nil, let dot = text.lastIndex(of: ".") {
            let owner = String(text[..<dot])
            if module.types[owner]?.keyword == "enum" { type = owner }
        }
        guard let type, module.types[type] != nil, let symbol = property(name, of: type) else { return nil }
        guard symbol.binding.getter != nil else { return nil }
        return evaluate(symbol, receiver: text, selfValue: value, &environment)
    }
}

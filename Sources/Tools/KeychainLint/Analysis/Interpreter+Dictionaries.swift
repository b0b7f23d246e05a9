// SPDX-License-Identifier: Apache-2.0

extension Interpreter {
    /// Whether dictionaries have a method with a name.
    static func isDictionaryMethod(_ name: String) -> Bool { methods.contains(name) }

    /// A method of a dictionary; nil if the receiver is not one.
    func dictionaryCall(
        on base: Expression,
        _ receiver: Value,
        named name: String,
        with arguments: [CallArgument],
        in environment: inout Environment
    ) -> Value? {
        if name == "map" || name == "flatMap" {
            // `group.map { query[kSecAttrAccessGroup] = $0 }`
            guard case .optionalSymbol(let text) = receiver, let closure = arguments.first,
                case .closure(let body) = closure.value.kind
            else { return nil }
            var taken = environment.assuming(text + " != nil", true)
            if var way = taken {
                _ = run(body, with: [.symbol(text)], in: &way)
                taken = way
            }
            environment = Environment.join(taken, environment.assuming(text + " != nil", false)) ?? environment
            return .symbol(text)
        }
        guard let dictionary = environment.dictionary(receiver) else { return nil }
        func value(_ index: Int) -> Value {
            index < arguments.count ? evaluate(arguments[index].value, &environment) : .unknown
        }
        func entry(_ index: Int, _ range: ByteRange) -> AbstractDictionary.Entry {
            .init(value: value(index), place: place(range), depth: depth)
        }
        let range = ByteRange(base.range.start, arguments.last?.value.range.end ?? base.range.end)
        switch name {
        case "removeValue", "removeObject":
            let key = value(0)
            modify(base, in: &environment) { Self.removed($0, key) }
            return .unknown
        case "removeObjects":
            guard case .array(let keys) = value(0) else {
                modify(base, in: &environment, Self.opened)
                return .unknown
            }
            modify(base, in: &environment) { keys.reduce($0) { Self.removed($0, $1) } }
            return .unknown
        case "removeAll", "removeAllObjects":
            modify(base, in: &environment) { old in
                var empty = old
                empty.variants = [.init()]
                return empty
            }
            return .unknown
        case "updateValue", "setObject", "setValue":
            let new = entry(0, range)
            let key = value(1)
            modify(base, in: &environment) { Self.set($0, key: key, to: new) }
            return .unknown
        case "merge", "merging", "addEntries":
            let other = value(0)
            let newWins = name == "addEntries" || arguments.last.map(Self.keepsNewValue) ?? true
            let source = environment.dictionary(other)
            let merged: (AbstractDictionary) -> AbstractDictionary = { old in
                source.map { Self.merged(old, $0, newWins: newWins) } ?? Self.opened(old)
            }
            if name == "merging" { return .dictionary(merged(dictionary)) }
            modify(base, in: &environment, merged)
            return .unknown
        case "mutableCopy": return allocate(dictionary, &environment)
        case "copy": return .dictionary(dictionary)
        case "filter", "mapValues", "compactMapValues", "reduce": return .dictionary(Self.opened(dictionary))
        case "forEach":
            guard let closure = arguments.first, case .closure(let body) = closure.value.kind, body.body.count == 1,
                case .expression(let only) = body.body[0].kind, case .assign(let target, _) = only.kind,
                case .index(let targetBase, _) = target.kind
            else { return nil }
            modify(targetBase, in: &environment) { Self.merged($0, dictionary, newWins: true) }
            return .unknown
        default: return nil
        }
    }

    private static let methods: Set<String> = [
        "removeValue", "removeObject", "removeObjects", "removeAll", "removeAllObjects", "updateValue", "setObject",
        "setValue", "merge", "merging", "addEntries", "mutableCopy", "copy", "filter", "mapValues", "compactMapValues",
        "reduce", "forEach", "map", "flatMap",
    ]

    /// The value that the closure of `merging` chooses.
    private static func keepsNewValue(_ argument: CallArgument) -> Bool {
        guard case .closure(let closure) = argument.value.kind, let last = closure.body.last else { return true }
        let taken: Expression? =
            switch last.kind {
            case .expression(let expression): expression
            case .returned(let expression): expression
            default: nil
            }
        guard case .name(let name)? = taken?.kind else { return true }
        if name == "$0" { return false }
        if let first = closure.parameters.first, first == name { return false }
        return true
    }

    /// A type's name used to convert a value; nil for other calls.
    func conversion(to type: String, of arguments: [CallArgument], in environment: inout Environment) -> Value? {
        switch type {
        case "NSMutableDictionary", "NSDictionary", "Dictionary":
            guard let first = arguments.first else {
                identities += 1
                let empty = AbstractDictionary(variants: [.init()], depth: depth, origin: nil, identity: identities)
                return type == "NSMutableDictionary" ? allocate(empty, &environment) : .dictionary(empty)
            }
            let value = evaluate(first.value, &environment)
            if first.label == "objects", arguments.count == 2 {
                return paired(evaluate(arguments[1].value, &environment), with: value, by: first, in: &environment)
            }
            let isEmpty = first.label == "capacity" || first.label == "minimumCapacity"
            identities += 1
            let fallback = AbstractDictionary(
                variants: [.init(isOpen: !isEmpty)],
                depth: depth,
                origin: nil,
                identity: identities
            )
            let dictionary = environment.dictionary(value) ?? fallback
            return type == "NSMutableDictionary" ? allocate(dictionary, &environment) : .dictionary(dictionary)
        case "String", "NSString":
            guard arguments.count == 1 || arguments.first?.label == "describing" else {
                for argument in arguments { _ = evaluate(argument.value, &environment) }
                return .kind(.string)
            }
            let value = evaluate(arguments[0].value, &environment)
            markRead(value)
            switch value {
            case .constant, .string, .pattern: return value
            case .symbol(let text): return .pattern("\\()", [text])
            default: return .kind(.string)
            }
        case "Data", "NSData":
            for argument in arguments { markRead(evaluate(argument.value, &environment)) }
            return .kind(.data)
        case "NSNumber", "Bool", "Int", "CFBoolean", "Int32", "UInt":
            guard let first = arguments.first else { return nil }
            let value = evaluate(first.value, &environment)
            markRead(value)
            switch value {
            case .boolean, .integer, .status: return value
            case .symbol: return value
            default: return .kind(.number)
            }
        case "Set", "Array":
            guard arguments.count == 1, arguments[0].label == nil else { return nil }
            let value = evaluate(arguments[0].value, &environment)
            if case .array = value { return value }
            return nil
        case "CFDictionaryCreate":
            let values = arguments.map { evaluate($0.value, &environment) }
            if values.count > 2 { return paired(values[1], with: values[2], by: arguments[0], in: &environment) }
            return nil
        case "CFDictionarySetValue", "CFDictionaryAddValue":
            guard arguments.count == 3 else { return nil }
            let key = evaluate(arguments[1].value, &environment)
            let range = ByteRange(arguments[0].value.range.start, arguments[2].value.range.end)
            let entry = AbstractDictionary.Entry(
                value: evaluate(arguments[2].value, &environment),
                place: place(range),
                depth: depth
            )
            modify(arguments[0].value, in: &environment) { Self.set($0, key: key, to: entry) }
            return .unknown
        case "LAContext":
            if module.types["LAContext"] == nil { return .instance("LAContext") }
            return nil
        case "UnsafeMutablePointer":
            guard arguments.count == 1 else { return nil }
            if case .address(let target) = arguments[0].value.kind, let path = target.path {
                return .pointer(variableName(path.joined(separator: "."), environment))
            }
            return evaluate(arguments[0].value, &environment)
        default: return nil
        }
    }

    /// A new dictionary without entries.
    func emptyDictionary(_ origin: Place) -> AbstractDictionary {
        identities += 1
        return AbstractDictionary(variants: [.init()], depth: depth, origin: origin, identity: identities)
    }

    /// A dictionary of parallel lists of keys and values.
    private func paired(
        _ keys: Value,
        with values: Value,
        by argument: CallArgument,
        in environment: inout Environment
    ) -> Value {
        var result = emptyDictionary(place(argument.value.range))
        guard case .array(let names) = keys, case .array(let items) = values, names.count == items.count else {
            return .dictionary(Self.opened(result))
        }
        for (name, item) in zip(names, items) {
            let entry = AbstractDictionary.Entry(value: item, place: place(argument.value.range), depth: depth)
            result = Self.set(result, key: name, to: entry, isLiteral: true)
        }
        return .dictionary(result)
    }

    static func set(
        _ dictionary: AbstractDictionary,
        key: Value,
        to entry: AbstractDictionary.Entry,
        isLiteral: Bool = false
    ) -> AbstractDictionary {
        guard let name = keyName(key) else { return opened(dictionary) }
        var result = dictionary
        var more: [AbstractDictionary.Variant] = []
        for index in result.variants.indices {
            switch entry.value {
            case .null where !isLiteral: result.variants[index].entries[name] = nil
            case .optionalSymbol(let text) where !isLiteral:
                // Assigning nil removes the key.
                var without = result.variants[index]
                without.entries[name] = nil
                without.assumptions[text + " != nil"] = false
                if result.variants[index].assumptions[text + " != nil"] != true { more.append(without) }
                result.variants[index].entries[name] = entry
                result.variants[index].entries[name]?.value = .symbol(text)
                result.variants[index].assumptions[text + " != nil"] = true
            default: result.variants[index].entries[name] = entry
            }
        }
        if result.variants.count + more.count <= AbstractDictionary.limit { result.variants += more }
        return result
    }

    static func opened(_ dictionary: AbstractDictionary) -> AbstractDictionary {
        var result = dictionary
        for index in result.variants.indices { result.variants[index].isOpen = true }
        return result
    }

    static func removed(_ dictionary: AbstractDictionary, _ key: Value) -> AbstractDictionary {
        guard let name = keyName(key) else { return opened(dictionary) }
        var result = dictionary
        for index in result.variants.indices { result.variants[index].entries[name] = nil }
        return result
    }

    static func merged(_ left: AbstractDictionary, _ right: AbstractDictionary, newWins: Bool) -> AbstractDictionary {
        var variants: [AbstractDictionary.Variant] = []
        var seen: Set<AbstractDictionary.Variant> = []
        for one in left.variants {
            for two in right.variants {
                // Both were made under the same conditions.
                if one.assumptions.contains(where: { two.assumptions[$0.key] == !$0.value }) { continue }
                let variant = AbstractDictionary.Variant(
                    entries: one.entries.merging(two.entries) { newWins ? $1 : $0 },
                    isOpen: one.isOpen || two.isOpen,
                    assumptions: one.assumptions.merging(two.assumptions) { $1 }
                )
                if seen.insert(variant).inserted { variants.append(variant) }
            }
        }
        if variants.isEmpty || variants.count > AbstractDictionary.limit { variants = [.init(isOpen: true)] }
        return AbstractDictionary(
            variants: variants,
            depth: left.depth,
            origin: left.origin ?? right.origin,
            identity: left.identity
        )
    }
}

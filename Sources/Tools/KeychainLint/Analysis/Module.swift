// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A function and its context.
package final class FunctionSymbol: Sendable {
    package let function: Function
    package let typeName: String?
    package let file: Int
    package let conditions: [String]

    init(_ function: Function, typeName: String?, file: Int, conditions: [String]) {
        self.function = function
        self.typeName = typeName
        self.file = file
        self.conditions = conditions
    }

    /// Whether arguments of these types (nil if unknown) match the parameters; at least one has to decide.
    func acceptsTypes(_ types: [String?]) -> Bool {
        guard types.count == function.parameters.count else { return false }
        var isDecided = false
        for (type, parameter) in zip(types, function.parameters) {
            guard let type else { continue }
            guard Module.simpleName(parameter.type) == type else { return false }
            isDecided = true
        }
        return isDecided
    }

    package var isStatic: Bool { function.modifiers.contains("static") || function.modifiers.contains("class") }
    package var qualifiedName: String { (typeName.map { $0 + "." } ?? "") + function.name }

    /// Whether a call with these labels can refer to the function.
    func accepts(_ arguments: [CallArgument]) -> Bool {
        var index = 0
        for parameter in function.parameters {
            if index < arguments.count, arguments[index].label == parameter.label {
                index += 1
                if parameter.type.hasSuffix("...") {
                    while index < arguments.count, arguments[index].label == nil { index += 1 }
                }
            } else if index < arguments.count, arguments[index].isTrailingClosure, arguments[index].label == nil,
                parameter.type.contains("->")
            {
                index += 1
            } else if parameter.defaultValue == nil, !parameter.type.hasSuffix("...") {
                return false
            }
        }
        return index == arguments.count
    }
}

/// A property, or a variable of a file.
package final class PropertySymbol: Sendable {
    package let binding: Variable.Binding
    package let variable: Variable
    package let typeName: String?
    package let file: Int
    package let conditions: [String]

    init(_ binding: Variable.Binding, _ variable: Variable, typeName: String?, file: Int, conditions: [String]) {
        self.binding = binding
        self.variable = variable
        self.typeName = typeName
        self.file = file
        self.conditions = conditions
    }

    package var isStatic: Bool { variable.modifiers.contains("static") || variable.modifiers.contains("class") }
}

/// A type with its extensions.
package struct TypeSymbol: Sendable {
    package var declarations: [(declaration: TypeDeclaration, file: Int)] = []
    package var inherited: Set<String> = []
    package var keyword = "extension"
    package var isTest = false
}

/// The files of one program, and lookup by name.
package final class Module: Sendable {
    package let files: [SourceFile]
    package let functions: [String: [FunctionSymbol]]
    package let properties: [String: [PropertySymbol]]
    package let types: [String: TypeSymbol]
    package let typeAliases: [String: String]
    package let enumValues: [String: Expression]
    /// Names of members that are assigned outside of their declaration.
    package let assignedNames: Set<String>
    /// The members that hold item functions as closures.
    let closureMembers: ClosureMembers
    private let ancestors: [String: Set<String>]
    private let conformers: [String: String]
    /// Functions and accessors from which an item function can be reached: their types by name.
    // Set once, at the end of init: computing them requires all other members.
    private nonisolated(unsafe) var reaching: [String: Set<String>] = [:]
    package let allFunctions: [FunctionSymbol]
    package let allProperties: [PropertySymbol]

    package init(_ files: [SourceFile]) {
        self.files = files
        var index = Index()
        for (number, file) in files.enumerated() {
            index.add(file.tree.statements, typeName: nil, file: number, isTest: file.isTest, conditions: [])
        }
        functions = Dictionary(grouping: index.functions, by: \.function.name)
        properties = Dictionary(grouping: index.properties, by: { $0.binding.name ?? "" })
        types = index.types
        typeAliases = index.typeAliases
        enumValues = index.enumValues
        assignedNames = index.assigned
        allFunctions = index.functions
        allProperties = index.properties
        let types = index.types
        closureMembers = ClosureMembers(files, types: Set(types.keys))
        ancestors = Dictionary(
            uniqueKeysWithValues: types.keys.map { name in
                var result: Set<String> = []
                var open = [name]
                while let next = open.popLast() {
                    for parent in types[next]?.inherited ?? [] where result.insert(parent).inserted {
                        open.append(parent)
                    }
                }
                return (name, result)
            }
        )
        var found: [String: [String]] = [:]
        for (name, symbol) in types where !symbol.isTest && symbol.keyword != "protocol" {
            for parent in symbol.inherited where types[parent]?.keyword == "protocol" {
                found[parent, default: []].append(name)
            }
        }
        conformers = found.compactMapValues { $0.count == 1 ? $0[0] : nil }
        reaching = findReaching()
    }

    /// The types that a type inherits from or conforms to, with those of the types above it.
    package func inherited(_ name: String) -> Set<String> { ancestors[name] ?? [] }

    /// The names that a body mentions, as numbers of the module's names: there are many bodies.
    private struct Mentions {
        var name: String
        var typeName: String?
        var parameters: [Function.Parameter]
        var names: [Int32]
        var isDirect: Bool
    }

    private func mentions(
        of name: String,
        in body: [Statement],
        typeName: String?,
        parameters: [Function.Parameter],
        numbers: [String: Int32]
    ) -> Mentions {
        var names: Set<Int32> = []
        var isDirect = false
        SyntaxWalk(
            entersTypes: false,
            onExpression: { expression in
                switch expression.kind {
                case .name(let name), .member(_, let name):
                    if let number = numbers[name] { names.insert(number) }
                    if name.hasPrefix("Sec"), Self.direct.contains(name) { isDirect = true }
                default: break
                }
            }
        ).walk(body)
        return Mentions(
            name: name,
            typeName: typeName,
            parameters: parameters,
            names: Array(names),
            isDirect: isDirect
        )
    }

    private static let direct: Set<String> = Set(ItemFunction.allCases.map(\.rawValue))
        .union(["SecAccessControlCreateWithFlags"])

    /// The types whose members the names of a body may be.
    private func candidates(_ mentions: Mentions, _ texts: [String]) -> Set<String> {
        var result: Set<String> = [""]
        func add(_ type: String) {
            guard types[type] != nil, result.insert(type).inserted else { return }
            result.formUnion(inherited(type))
            if types[type]?.keyword == "protocol", let only = conformer(of: type) { result.insert(only) }
        }
        if let typeName = mentions.typeName { add(typeName) }
        for parameter in mentions.parameters { add(Module.simpleName(parameter.type)) }
        for number in mentions.names {
            let name = texts[Int(number)]
            if types[name] != nil { add(name) }
            for symbol in properties[name] ?? [] where symbol.typeName == nil || symbol.typeName == mentions.typeName {
                if let type = symbol.binding.type { add(Module.simpleName(type)) }
                if let type = symbol.binding.value.flatMap(Interpreter.constructedType) { add(type) }
            }
        }
        return result
    }

    /// The one type outside of tests that conforms to a protocol.
    package func conformer(of name: String) -> String? { conformers[name] }

    /// The functions and properties from which an item function can be reached in a few calls.
    private func findReaching() -> [String: Set<String>] {
        let texts = Array(
            Set(functions.keys).union(properties.keys).union(types.keys).union(closureMembers.members.map(\.member))
        )
        let numbers = Dictionary(uniqueKeysWithValues: texts.enumerated().map { ($0.element, Int32($0.offset)) })
        var open: [Mentions] = []
        for symbol in allFunctions {
            guard let body = symbol.function.body else { continue }
            let name = symbol.function.name
            open.append(
                mentions(
                    of: name,
                    in: body,
                    typeName: symbol.typeName,
                    parameters: symbol.function.parameters,
                    numbers: numbers
                )
            )
        }
        for symbol in allProperties {
            let binding = symbol.binding
            var body = (binding.getter ?? []) + (binding.setter ?? []) + binding.observers
            if let value = binding.value { body.append(Statement(.expression(value), value.range)) }
            guard !body.isEmpty else { continue }
            open.append(
                mentions(of: binding.name ?? "", in: body, typeName: symbol.typeName, parameters: [], numbers: numbers)
            )
        }
        var result: [String: Set<String>] = [:]
        func extract(_ isReaching: (Mentions) -> Bool) -> Bool {
            var rest: [Mentions] = []
            var found: [Mentions] = []
            for item in open { if isReaching(item) { found.append(item) } else { rest.append(item) } }
            open = rest
            for item in found { result[item.name, default: []].insert(item.typeName ?? "") }
            return !found.isEmpty
        }
        guard extract(\.isDirect) else { return [:] }
        for (type, member) in closureMembers.members { result[member, default: []].insert(type) }
        for _ in 0..<4 {
            let known = Dictionary(
                uniqueKeysWithValues: result.compactMap { name, types in numbers[name].map { ($0, types) } }
            )
            let isMore = extract { mentions in
                let met = mentions.names.compactMap { known[$0] }
                guard !met.isEmpty else { return false }
                let types = candidates(mentions, texts)
                return met.contains { !$0.isDisjoint(with: types) }
            }
            if !isMore { break }
        }
        return result
    }

    /// Whether an item function can be reached from any function or property of a name.
    package func reaches(_ name: String) -> Bool { reaching[name] != nil }

    /// Whether an item function can be reached from a function or property of a type.
    package func reaches(_ name: String, of typeName: String?) -> Bool {
        reaching[name]?.contains(typeName ?? "") ?? false
    }
}

/// Collects the symbols of a module.
private struct Index {
    var functions: [FunctionSymbol] = []
    var properties: [PropertySymbol] = []
    var types: [String: TypeSymbol] = [:]
    var typeAliases: [String: String] = [:]
    var enumValues: [String: Expression] = [:]
    var assigned: Set<String> = []

    mutating func add(_ statements: [Statement], typeName: String?, file: Int, isTest: Bool, conditions: [String]) {
        for statement in statements {
            switch statement.kind {
            case .function(let function):
                functions.append(FunctionSymbol(function, typeName: typeName, file: file, conditions: conditions))
                if let body = function.body { nested(body, typeName: typeName, file: file, conditions: conditions) }
            case .variable(let variable):
                for binding in variable.bindings where binding.name != nil {
                    properties.append(
                        PropertySymbol(binding, variable, typeName: typeName, file: file, conditions: conditions)
                    )
                }
            case .type(let declaration):
                let name = Self.simple(declaration.name)
                var symbol = types[name] ?? TypeSymbol()
                symbol.declarations.append((declaration, file))
                symbol.inherited.formUnion(declaration.inherited.map(Self.simple))
                if declaration.keyword != "extension" { symbol.keyword = declaration.keyword }
                if isTest { symbol.isTest = true }
                types[name] = symbol
                for item in declaration.cases {
                    if let value = item.value { enumValues[name + "." + item.name] = value }
                }
                add(declaration.members, typeName: name, file: file, isTest: isTest, conditions: conditions)
            case .alias(let name, let target): typeAliases[name] = target
            case .conditional(let clauses):
                var negated: [String] = []
                for clause in clauses {
                    let own = clause.condition.map { [$0] } ?? []
                    add(
                        clause.body,
                        typeName: typeName,
                        file: file,
                        isTest: isTest,
                        conditions: conditions + own + negated.map { "!(" + $0 + ")" }
                    )
                    negated += own
                }
            default: break
            }
        }
        guard typeName == nil else { return }
        var found: Set<String> = []
        SyntaxWalk(onExpression: { expression in
            switch expression.kind {
            case .assign(let target, _):
                switch target.kind {
                case .member(_, let name): found.insert(name)
                case .name(let name): found.insert(name)
                case .index(let base, _): if let name = base.lastName { found.insert(name) }
                default: break
                }
            case .address(let target): if let name = target.lastName { found.insert(name) }
            default: break
            }
        }).walk(statements)
        assigned.formUnion(found)
    }

    /// Functions in functions.
    private mutating func nested(_ body: [Statement], typeName: String?, file: Int, conditions: [String]) {
        var found: [Function] = []
        SyntaxWalk(
            entersTypes: false,
            onStatement: { if case .function(let function) = $0.kind { found.append(function) } }
        ).walk(body)
        for function in found {
            functions.append(FunctionSymbol(function, typeName: typeName, file: file, conditions: conditions))
        }
    }

    /// `Vault` of `App.Vault<Item>?`.
    static func simple(_ name: String) -> String {
        var text = name.prefix { $0 != "<" }
        if let dot = text.lastIndex(of: ".") { text = text[text.index(after: dot)...] }
        return String(text.filter { $0 != "?" && $0 != "!" })
    }
}

extension Module {
    /// `Vault` of `App.Vault<Item>?`.
    package static func simpleName(_ name: String) -> String {
        var text = name
        for prefix in ["any ", "some ", "@escaping ", "inout ", "borrowing ", "consuming "] where text.hasPrefix(prefix)
        {
            text = String(text.dropFirst(prefix.count))
        }
        return Index.simple(text)
    }
}

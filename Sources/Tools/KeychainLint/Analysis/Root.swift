// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Code that is analysed from its start: a function, an accessor, the statements of a file.
struct Root: Sendable {
    enum Body: Sendable {
        case function(FunctionSymbol)
        case statements([Statement], typeName: String?, conditions: [String], parameters: [Function.Parameter])
    }

    var body: Body
    var file: Int

    private static let words: Set<String> = Set(ItemFunction.allCases.map(\.rawValue)).union([
        "SecAccessControlCreateWithFlags", "SecKeyCreateRandomKey", "SecKeyGeneratePair",
    ])

    /// The code of a module from which the keychain can be reached.
    static func all(in module: Module) -> [Root] {
        var roots: [Root] = []
        for symbol in module.allFunctions {
            guard symbol.function.body != nil, module.reaches(symbol.function.name, of: symbol.typeName) else {
                continue
            }
            roots.append(Root(body: .function(symbol), file: symbol.file))
        }
        for symbol in module.allProperties {
            let binding = symbol.binding
            var bodies: [([Statement], [Function.Parameter])] = []
            if let getter = binding.getter { bodies.append((getter, [])) }
            if let setter = binding.setter {
                let type = binding.type ?? ""
                bodies.append(
                    (setter, [.init(label: nil, name: binding.setterParameter, type: type, defaultValue: nil)])
                )
            }
            if !binding.observers.isEmpty { bodies.append((binding.observers, [])) }
            if let value = binding.value { bodies.append(([Statement(.expression(value), value.range)], [])) }
            guard module.reaches(binding.name ?? "", of: symbol.typeName) else { continue }
            for (body, parameters) in bodies {
                if body.count == 1, binding.getter == nil, case .expression(let value) = body[0].kind, !calls(value) {
                    continue
                }
                roots.append(
                    Root(
                        body: .statements(
                            body,
                            typeName: symbol.typeName,
                            conditions: symbol.conditions,
                            parameters: parameters
                        ),
                        file: symbol.file
                    )
                )
            }
        }
        for (number, file) in module.files.enumerated() {
            let statements = file.tree.statements.filter {
                switch $0.kind {
                case .function, .type, .importModule, .alias, .conditional: false
                default: true
                }
            }
            guard statements.contains(where: { if case .variable = $0.kind { false } else { true } }),
                isInteresting(statements, module)
            else { continue }
            roots.append(
                Root(body: .statements(statements, typeName: nil, conditions: [], parameters: []), file: number)
            )
        }
        return roots
    }

    private static func calls(_ expression: Expression) -> Bool {
        var found = false
        SyntaxWalk(onExpression: { if case .call = $0.kind { found = true } }).walk(expression)
        return found
    }

    /// Whether statements of a file may reach the keychain.
    private static func isInteresting(_ body: [Statement], _ module: Module) -> Bool {
        SyntaxWalk.expressions(body).contains { expression in
            switch expression.kind {
            case .name(let name), .member(_, let name): words.contains(name) || module.reaches(name)
            default: false
            }
        }
    }

    func facts(_ module: Module, _ manifests: Manifests) -> FunctionFacts {
        let interpreter = Interpreter(module)
        var symbol: FunctionSymbol?
        var type: String?
        switch body {
        case .function(let function):
            symbol = function
            type = function.typeName
            interpreter.run(function)
        case .statements(let statements, let typeName, let conditions, let parameters):
            type = typeName
            interpreter.run(
                statements,
                typeName: typeName,
                file: file,
                conditions: conditions,
                parameters: parameters
            )
        }
        return FunctionFacts(
            module: module,
            symbol: symbol,
            typeName: type,
            file: file,
            sites: interpreter.sites,
            events: interpreter.events,
            accessControls: interpreter.accessControls,
            isCutShort: interpreter.budget <= 0,
            platforms: manifests.platforms(of: module.files[file])
        )
    }
}

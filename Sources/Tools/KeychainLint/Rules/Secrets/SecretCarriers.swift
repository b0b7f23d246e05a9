// SPDX-License-Identifier: Apache-2.0

/// Variables whose types hold secrets, such as `login` of `let login: Credentials`.
struct SecretCarriers: Sendable {
    /// The types of parameters and variables of a file.
    private var types: [String: String] = [:]
    /// The secret property of a type of the file.
    private var properties: [String: String] = [:]

    init(_ statements: [Statement]) {
        for statement in SyntaxWalk.statements(statements) {
            switch statement.kind {
            case .function(let function):
                for parameter in function.parameters { types[parameter.name] = Module.simpleName(parameter.type) }
            case .variable(let variable):
                for binding in variable.bindings {
                    guard let name = binding.name else { continue }
                    let type = binding.type ?? binding.value.flatMap(Interpreter.constructedType)
                    if let type { types[name] = Module.simpleName(type) }
                }
            case .type(let declaration):
                for case .variable(let variable) in declaration.members.map(\.kind) {
                    for binding in variable.bindings {
                        guard let name = binding.name, binding.getter == nil, SecretName.isSecret(name),
                            !SecretName.isExcused(name), Self.isText(binding.type ?? "")
                        else { continue }
                        properties[Module.simpleName(declaration.name)] = name
                    }
                }
            default: break
            }
        }
    }

    private static func isText(_ type: String) -> Bool {
        ["", "String", "Data", "[UInt8]"].contains(type.filter { $0 != "?" && $0 != " " })
    }

    /// The name of what is secret in the value of an encoding: `encode(login)`, `archivedData(withRootObject: login)`.
    func secret(encodedBy expression: Expression) -> String? {
        guard case .call(let callee, let arguments) = expression.kind,
            ["encode", "archivedData", "data"].contains(callee.lastName ?? ""),
            let name = arguments.first?.value.bare.lastName, let type = types[name]
        else { return nil }
        return SecretName.isSecret(type) && !SecretName.isExcused(type) ? type : properties[type]
    }
}

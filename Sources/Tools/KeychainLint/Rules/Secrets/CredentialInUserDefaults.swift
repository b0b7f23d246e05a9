// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let credentialInUserDefaults = Rule(
        "credential-in-user-defaults",
        severity: .error,
        confidence: .high,
        family: .secrets,
        title: "A credential is kept in user defaults",
        reason: """
            User defaults are a property list in the clear: they are in every backup, and readable by whoever \
            gets at the file.
            """,
        remedy: "Keep it in the keychain.",
        flagged: """
            import SwiftUI
            struct Settings { @AppStorage("refreshToken") var refreshToken = "" }
            """,
        accepted: """
            import Foundation
            func save(_ hasPassword: Bool) { UserDefaults.standard.set(hasPassword, forKey: "hasPassword") }
            """,
        check: .file(mentioning: ["Defaults", "AppStorage", "SceneStorage", "KeyValueStore"]) { facts, report in
            for use in DefaultsUse.all(facts) {
                guard let name = use.names.first(where: SecretName.isSecret),
                    !use.names.contains(where: SecretName.isExcused)
                else {
                    continue
                }
                report.add(
                    Place(file: facts.file, range: use.range),
                    "keeps '\(name)' in user defaults, in the clear",
                    severity: use.isEncrypted ? .note : nil,
                    confidence: use.isEncrypted ? .medium : nil,
                    context: name
                )
            }
        }
    )
}

/// A write to user defaults.
struct DefaultsUse {
    var range: ByteRange
    /// The written value, and its key.
    var names: [String]
    var isEncrypted: Bool

    static func all(_ facts: FileFacts) -> [DefaultsUse] {
        var walk = Walk(facts)
        walk.visit(facts.source.tree.statements, property: nil, type: nil)
        return walk.found
    }

    private struct Walk {
        let facts: FileFacts
        let values: LocalValues
        let carriers: SecretCarriers
        var found: [DefaultsUse] = []
        /// Names of variables that hold user defaults.
        var holders: Set<String> = []

        init(_ facts: FileFacts) {
            self.facts = facts
            values = LocalValues(facts.source.tree.statements)
            carriers = SecretCarriers(facts.source.tree.statements)
            for statement in SyntaxWalk.statements(facts.source.tree.statements) {
                switch statement.kind {
                case .variable(let variable):
                    for binding in variable.bindings {
                        let type = Module.simpleName(binding.type ?? "")
                        let isDefaults = binding.value.map(Self.isDefaults) ?? false
                        if isDefaults || Self.types.contains(type), let name = binding.name { holders.insert(name) }
                    }
                case .function(let function):
                    for parameter in function.parameters
                    where Self.types.contains(Module.simpleName(parameter.type)) {
                        holders.insert(parameter.name)
                    }
                default: break
                }
            }
        }

        static let types: Set<String> = ["UserDefaults", "NSUserDefaults", "NSUbiquitousKeyValueStore"]

        static func isDefaults(_ expression: Expression) -> Bool {
            switch expression.bare.kind {
            case .member(let base?, let name):
                return (base.lastName.map(types.contains) ?? false) && ["standard", "default", "shared"].contains(name)
            case .call(let callee, _): return callee.lastName.map(types.contains) ?? false
            case .binary("??", let left, _): return isDefaults(left)
            default: return false
            }
        }

        private func isHolder(_ base: Expression) -> Bool {
            if Self.isDefaults(base) { return true }
            guard let name = base.bare.lastName, case .call = base.bare.kind else {
                return base.bare.lastName.map { holders.contains($0) } ?? false
            }
            return holders.contains(name)
        }

        mutating func visit(_ statements: [Statement], property: String?, type: String?) {
            for statement in statements {
                switch statement.kind {
                case .type(let declaration):
                    visit(declaration.members, property: nil, type: Module.simpleName(declaration.name))
                case .conditional(let clauses):
                    for clause in clauses { visit(clause.body, property: property, type: type) }
                case .variable(let variable):
                    wrapper(variable)
                    for binding in variable.bindings {
                        if let setter = binding.setter { body(setter, property: binding.name, type: type) }
                        body(binding.observers, property: binding.name, type: type)
                        body(binding.getter ?? [], property: nil, type: type)
                        if let value = binding.value {
                            body([Statement(.expression(value), value.range)], property: nil, type: type)
                        }
                    }
                case .function(let function): body(function.body ?? [], property: nil, type: type)
                default: body([statement], property: property, type: type)
                }
            }
        }

        /// `@AppStorage("key") var name`.
        private mutating func wrapper(_ variable: Variable) {
            for attribute in variable.attributes where ["AppStorage", "SceneStorage"].contains(attribute.name) {
                for binding in variable.bindings {
                    guard isText(binding.type, binding.value) else { continue }
                    var names = [binding.name ?? ""]
                    if let key = attribute.arguments.first.flatMap({ text($0.value) }) { names.append(key) }
                    let start = variable.attributes.isEmpty ? binding.range.start : binding.range.start
                    found.append(.init(range: ByteRange(start, binding.range.end), names: names, isEncrypted: false))
                }
            }
        }

        private func isText(_ type: String?, _ value: Expression?) -> Bool {
            if let type { return ["String", "Data", "String?", "Data?"].contains(type) }
            if let value, case .string = value.kind { return true }
            return false
        }

        private func text(_ expression: Expression) -> String? {
            if let literal = expression.literalText { return literal }
            guard let path = expression.bare.path else { return nil }
            let parts = path.filter { $0 != "rawValue" }
            // The value of a constant of the module.
            if let last = parts.last {
                let symbols = facts.module.properties[last] ?? []
                if symbols.count == 1, let value = symbols[0].binding.value?.literalText { return value }
            }
            return parts.last
        }

        private mutating func body(_ statements: [Statement], property: String?, type: String?) {
            for expression in SyntaxWalk.expressions(statements) {
                switch expression.kind {
                case .call(let callee, let arguments):
                    guard ["set", "setValue"].contains(callee.lastName ?? ""), arguments.count == 2,
                        arguments[1].label == "forKey"
                    else { continue }
                    switch callee.kind {
                    case .member(let base?, _): guard isHolder(base) else { continue }
                    case .name: guard type == "UserDefaults" else { continue }
                    default: continue
                    }
                    record(arguments[0].value, under: arguments[1].value, property: property, at: expression.range)
                case .assign(let target, let value):
                    guard case .index(let base, let keys) = target.kind, let key = keys.first, isHolder(base) else {
                        continue
                    }
                    record(value, under: key.value, property: property, at: expression.range)
                default: continue
                }
            }
        }

        private mutating func record(_ value: Expression, under key: Expression, property: String?, at range: ByteRange)
        {
            switch value.bare.kind {
            case .null, .boolean, .integer, .float: return
            case .call(let callee, _) where ["Date", "Int", "Bool"].contains(callee.lastName ?? ""): return
            case .binary("==", _, _), .binary("!=", _, _), .prefix("!", _): return
            default: break
            }
            var names: [String] = []
            if let name = text(key) { names.append(name) }
            if let name = value.bare.lastName, name != "newValue", value.literalText == nil { names.append(name) }
            // The name of the property, also for a key of `#function`.
            if let property { names.append(property) }
            func isEncrypted(_ expression: Expression) -> Bool {
                let written = facts.source.text(expression.range).lowercased()
                return ["encrypt", "seal", "cipher"].contains { written.contains($0) }
            }
            let sources = values.sources(of: value)
            // A value that was encrypted before is what belongs here.
            if sources.dropFirst().contains(where: isEncrypted) { return }
            // The encoding of what is called credentials, under whatever key.
            for source in sources {
                let parts = SyntaxWalk.expressions([Statement(.expression(source), source.range)])
                names += parts.compactMap { carriers.secret(encodedBy: $0) }
                for case .call(let callee, let arguments) in parts.map(\.kind) {
                    guard ["encode", "archivedData", "data"].contains(callee.lastName ?? ""),
                        let first = arguments.first,
                        let name = first.value.bare.lastName, name != "newValue"
                    else { continue }
                    names.append(name)
                }
            }
            found.append(.init(range: range, names: names, isEncrypted: isEncrypted(value)))
        }
    }
}

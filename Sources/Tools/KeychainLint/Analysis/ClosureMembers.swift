// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The members of types that hold an item function as a closure, so that tests can replace it: `Calls(add: {
/// SecItemAdd($0, $1) }, delete: SecItemDelete)`.
struct ClosureMembers: Sendable {
    /// The functions, by type name and member name.
    private var functions: [String: [String: ItemFunction]] = [:]

    init(_ files: [SourceFile], types: Set<String>) {
        for file in files
        where !file.isTest && !ByteSearch.occurrences(of: Array("SecItem".utf8), in: file.text).isEmpty {
            for expression in SyntaxWalk.expressions(file.tree.statements) {
                guard case .call(let callee, let arguments) = expression.kind,
                    let type = Self.constructed(callee, types)
                else { continue }
                for argument in arguments {
                    guard let label = argument.label, let function = Self.function(argument.value) else { continue }
                    functions[type, default: [:]][label] = function
                }
            }
        }
    }

    /// The item function that a member of a type calls.
    func function(_ member: String, of type: String) -> ItemFunction? { functions[type]?[member] }

    /// The types with the names of their members.
    var members: [(type: String, member: String)] {
        functions.flatMap { type, members in members.keys.map { (type, $0) } }
    }

    private static func constructed(_ callee: Expression, _ types: Set<String>) -> String? {
        switch callee.kind {
        case .name(let name): types.contains(name) ? name : nil
        case .member(let base?, "init"): base.lastName.flatMap { types.contains($0) ? $0 : nil }
        default: nil
        }
    }

    /// The item function that a value refers to, or that a single-statement closure calls with its arguments.
    private static func function(_ value: Expression) -> ItemFunction? {
        guard case .closure(let closure) = value.bare.kind else {
            guard case .name(let name) = value.bare.kind else { return nil }
            return ItemFunction(rawValue: name)
        }
        guard closure.body.count == 1 else { return nil }
        let call: Expression
        switch closure.body[0].kind {
        case .expression(let expression), .returned(let expression?): call = expression.bare
        default: return nil
        }
        guard case .call(let callee, let arguments) = call.kind, let name = callee.lastName else { return nil }
        let given = Set(closure.parameters).union(["$0", "$1"])
        let passesOn = arguments.allSatisfy { argument in
            argument.value.bare.lastName.map { given.contains($0) } ?? false
        }
        return passesOn ? ItemFunction(rawValue: name) : nil
    }
}

// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Rule {
    static let migrationDestroysSourceUnverified = Rule(
        "migration-destroys-source-unverified",
        severity: .error,
        confidence: .high,
        family: .results,
        title: "The old copy is removed without knowing that the new one is there",
        reason: """
            When the write fails and its failure is dropped, the removal that follows destroys the only copy.
            """,
        remedy: "Let the write throw, read the value back, compare, and remove the old copy then.",
        flagged: """
            import Security
            func migrate(_ d: Data, from old: KeychainStore, to new: KeychainStore) {
                try? new.set(d, "k")
                try? old.remove("k")
            }
            """,
        accepted: """
            func migrate(_ d: Data, from old: KeychainStore, to new: KeychainStore) throws {
                try new.set(d, "k")
                guard try new.get("k") == d else { throw Migration.verify }
                try old.remove("k")
            }
            """,
        check: .file(mentioning: ["eychain", "ault", "ecureStor", "igrat"]) { facts, report in
            for statement in SyntaxWalk.statements(facts.source.tree.statements) {
                guard case .function(let function) = statement.kind, let body = function.body else { continue }
                for block in MigrationBlock.blocks(body) {
                    guard let found = MigrationBlock.problem(block, in: function, facts.module) else { continue }
                    report.add(
                        Place(file: facts.file, range: found.removal.range),
                        found.isBefore
                            ? "removes the old copy before the new one is written"
                            : "removes the old copy although the write before may have failed unseen",
                        severity: found.isCertain ? nil : .warning,
                        confidence: found.isCertain ? nil : .medium,
                        related: [(Place(file: facts.file, range: found.write.range), "the write")],
                        context: function.name
                    )
                }
            }
        }
    )
}

/// Statements in which a value moves from one place to another.
enum MigrationBlock {
    /// A body and its nested bodies, each separately.
    static func blocks(_ body: [Statement]) -> [[Statement]] {
        var result = [body]
        for statement in body {
            switch statement.kind {
            case .condition(_, let then, let otherwise): result += blocks(then) + blocks(otherwise ?? [])
            case .forEach(_, _, _, let inner), .loop(_, let inner), .deferred(let inner): result += blocks(inner)
            case .attempt(let inner, let catches): result += blocks(inner) + catches.flatMap { blocks($0.body) }
            default: break
            }
        }
        return result
    }

    private static let writes: Set<String> = [
        "set", "save", "store", "write", "setString", "setData", "setValue", "add", "insert", "put", "persist",
        "setObject", "saveString", "saveData",
    ]
    private static let removals: Set<String> = [
        "remove", "delete", "removeObject", "removeValue", "deleteItem", "removeItem", "deleteValue", "removeData",
        "removeAll", "deleteAll", "removeAllItems", "removePersistentDomain", "clear", "removeAllObjects",
    ]

    private struct Step {
        var name: String
        var receiver: String
        var key: String?
        var isUnchecked: Bool
        /// Whether a failure is certain to go unseen: `try?`, `_ =`, a Bool that nobody takes.
        var isCertain: Bool
        var statement: Statement

        var isItemFunction: Bool { name == "SecItemAdd" || name == "SecItemUpdate" }
        var isWrite: Bool { isItemFunction || MigrationBlock.begins(name, with: MigrationBlock.writes) }
        var isRemoval: Bool { MigrationBlock.begins(name, with: MigrationBlock.removals) }
    }

    /// Whether a name is one of some verbs, or such a verb with an object: `saveToken`, `deleteLegacyItem`.
    private static func begins(_ name: String, with verbs: Set<String>) -> Bool {
        if verbs.contains(name) { return true }
        guard let end = name.firstIndex(where: \.isUppercase) else { return false }
        return verbs.contains(String(name[..<end]))
    }

    private static func step(_ statement: Statement, _ module: Module) -> Step? {
        guard case .expression(var expression) = statement.kind else { return nil }
        var isTried = false
        var isDropped = false
        if case .assign(let target, let value) = expression.kind {
            if let step = subscriptStep(target, assigned: value, in: statement) { return step }
            guard target.lastName == "_" || target.path == nil, case .text("_") = target.kind else { return nil }
            expression = value
            isDropped = true
        }
        if case .tryExpression(let kind, let inner) = expression.kind {
            expression = inner
            isTried = true
            isDropped = kind == .optional || (isDropped && kind != .plain)
        }
        guard case .call(let callee, let arguments) = expression.kind else { return nil }
        let receiver: String
        let name: String
        switch callee.kind {
        case .member(let base?, let member):
            guard let path = base.path ?? base.bare.memberPath else { return nil }
            receiver = path.joined(separator: ".")
            name = member
        case .name(let own):
            receiver = "self"
            name = own
        default: return nil
        }
        let key =
            arguments.first { ($0.label?.lowercased().contains("key") ?? false) || $0.label == "for" }
            ?? arguments.last
        // Without `try` the result is all that tells of a failure, and nobody takes it.
        let known = module.functions[name]?.filter { $0.accepts(arguments) } ?? []
        let answers = known.contains { $0.function.result != nil && $0.function.result != "Void" }
        let handles = !known.isEmpty && !answers
        var isRemoved = false
        if let first = arguments.first, case .null = first.value.kind, arguments.count > 1 { isRemoved = true }
        return Step(
            // `set(nil, forKey:)`
            name: isRemoved && name.hasPrefix("set") ? "remove" : name,
            receiver: receiver,
            key: key.flatMap { $0.value.literalText ?? $0.value.path?.joined(separator: ".") },
            isUnchecked: isDropped || (!isTried && !handles),
            isCertain: isDropped || answers || name.hasPrefix("SecItem"),
            statement: statement
        )
    }

    /// `keychain["token"] = value`, which cannot say that it failed, or `= nil`.
    private static func subscriptStep(
        _ target: Expression,
        assigned value: Expression,
        in statement: Statement
    ) -> Step? {
        guard case .index(let base, let keys) = target.kind, keys.count == 1,
            let receiver = base.path ?? base.bare.memberPath
        else { return nil }
        let isRemoval = if case .null = value.kind { true } else { false }
        return Step(
            name: isRemoval ? "remove" : "set",
            receiver: receiver.joined(separator: "."),
            key: keys[0].value.literalText ?? keys[0].value.path?.joined(separator: "."),
            isUnchecked: true,
            isCertain: false,
            statement: statement
        )
    }

    private static func isKeychain(_ receiver: String) -> Bool {
        let lower = receiver.lowercased()
        return lower.contains("keychain") || lower.contains("vault") || lower.contains("securestor")
    }

    static func problem(
        _ block: [Statement],
        in function: Function,
        _ module: Module
    )
        -> (write: Statement, removal: Statement, isBefore: Bool, isCertain: Bool)?
    {
        var parameters = Dictionary(function.parameters.map { ($0.name, $0.type) }) { first, _ in first }
        for case .variable(let variable) in SyntaxWalk.statements(function.body ?? []).lazy.map(\.kind) {
            for binding in variable.bindings {
                guard let name = binding.name else { continue }
                parameters[name] = binding.type ?? binding.value.flatMap(Interpreter.constructedType)
            }
        }
        func keychain(_ step: Step) -> Bool {
            step.isItemFunction || isKeychain(step.receiver) || isKeychain(parameters[step.receiver] ?? "")
                || (step.receiver == "self" && module.reaches(step.name))
        }
        let steps = block.compactMap { step($0, module) }
        let moves = function.name.lowercased().contains("migrat") || function.name.lowercased().contains("move")
        for (index, first) in steps.enumerated() {
            for second in steps[(index + 1)...] {
                // Own methods move things in functions that are called so.
                let isOwn = first.receiver == "self" || second.receiver == "self"
                guard isOwn ? moves : first.receiver != second.receiver else { continue }
                if first.isWrite, second.isRemoval, first.isUnchecked, keychain(first), first.key == second.key || moves
                {
                    return (first.statement, second.statement, false, first.isCertain)
                }
                if first.isRemoval, second.isWrite, moves, keychain(first), keychain(second), first.key == second.key,
                    !isOwn
                {
                    return (second.statement, first.statement, true, true)
                }
            }
        }
        return nil
    }
}

extension Expression {
    /// `UserDefaults.standard` of `UserDefaults(suiteName: s).x`: the names along a chain of calls.
    fileprivate var memberPath: [String]? {
        switch kind {
        case .call(let callee, _): callee.path
        case .member(let base?, let name): base.bare.memberPath.map { $0 + [name] }
        default: path
        }
    }
}

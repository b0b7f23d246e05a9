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
        check: .file(mentioning: ["eychain", "ault", "ecureStor"]) { facts, report in
            for statement in SyntaxWalk.statements(facts.source.tree.statements) {
                guard case .function(let function) = statement.kind, let body = function.body else { continue }
                for block in MigrationBlock.blocks(body) {
                    guard let found = MigrationBlock.problem(block, function) else { continue }
                    report.add(
                        Place(file: facts.file, range: found.removal.range),
                        found.isBefore
                            ? "removes the old copy before the new one is written"
                            : "removes the old copy although the write before may have failed unseen",
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
    ]

    private struct Step {
        var name: String
        var receiver: String
        var key: String?
        var isUnchecked: Bool
        var isDiscarded: Bool
        var statement: Statement
    }

    private static func step(_ statement: Statement) -> Step? {
        guard case .expression(var expression) = statement.kind else { return nil }
        var isUnchecked = false
        var isDiscarded = false
        if case .assign(let target, let value) = expression.kind {
            guard target.lastName == "_" || target.path == nil, case .text("_") = target.kind else { return nil }
            expression = value
            isUnchecked = true
            isDiscarded = true
        }
        if case .tryExpression(let kind, let inner) = expression.kind {
            expression = inner
            if kind == .optional { isUnchecked = true } else { isUnchecked = isDiscarded && kind != .plain }
        }
        guard case .call(let callee, let arguments) = expression.kind, case .member(let base?, let name) = callee.kind,
            let receiver = base.path?.joined(separator: ".")
        else { return nil }
        let key =
            arguments.first { ($0.label?.lowercased().contains("key") ?? false) || $0.label == "for" }
            ?? arguments.last
        return Step(
            name: name,
            receiver: receiver,
            key: key.flatMap { $0.value.literalText ?? $0.value.path?.joined(separator: ".") },
            isUnchecked: isUnchecked,
            isDiscarded: isDiscarded,
            statement: statement
        )
    }

    private static func isKeychain(_ receiver: String) -> Bool {
        let lower = receiver.lowercased()
        return lower.contains("keychain") || lower.contains("vault") || lower.contains("securestor")
    }

    static func problem(
        _ block: [Statement],
        _ function: Function
    )
        -> (write: Statement, removal: Statement, isBefore: Bool)?
    {
        let parameters = Dictionary(function.parameters.map { ($0.name, $0.type) }) { first, _ in first }
        func keychain(_ step: Step) -> Bool { isKeychain(step.receiver) || isKeychain(parameters[step.receiver] ?? "") }
        let steps = block.compactMap(step)
        let moves = function.name.lowercased().contains("migrat") || function.name.lowercased().contains("move")
        for (index, first) in steps.enumerated() {
            for second in steps[(index + 1)...] where first.receiver != second.receiver {
                if writes.contains(first.name), removals.contains(second.name), first.isUnchecked, keychain(first),
                    first.key == second.key || moves
                {
                    return (first.statement, second.statement, false)
                }
                if removals.contains(first.name), writes.contains(second.name), moves, keychain(first),
                    keychain(second),
                    first.key == second.key
                {
                    return (second.statement, first.statement, true)
                }
            }
        }
        return nil
    }
}

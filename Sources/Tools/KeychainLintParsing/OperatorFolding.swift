// SPDX-License-Identifier: Apache-2.0
#if Lint
import KeychainLint
import SwiftSyntax

/// Operands and operators in a row, folded by the precedences of the standard library.
///
/// Done on the linter's own tree, in a loop: rewriting the tree of SwiftSyntax takes longer than parsing does.
struct OperatorFolding {
    private struct Operation {
        var kind: Kind
        var precedence: Int
        var isRightAssociative: Bool
    }

    private enum Kind {
        case binary(String)
        case assignment
        /// `a ? b : c`, with what stands between the signs.
        case ternary(Expression)
    }

    private var operands: [Expression]
    private var operations: [Operation] = []

    init(_ first: Expression) { operands = [first] }

    /// An operator with what follows it.
    mutating func add(binary name: String, _ operand: Expression) {
        let (precedence, isRightAssociative) = Self.precedence(name)
        push(Operation(kind: .binary(name), precedence: precedence, isRightAssociative: isRightAssociative), operand)
    }

    mutating func add(assignment operand: Expression) {
        push(Operation(kind: .assignment, precedence: 1, isRightAssociative: true), operand)
    }

    mutating func add(ternary then: Expression, _ otherwise: Expression) {
        push(Operation(kind: .ternary(then), precedence: 2, isRightAssociative: true), otherwise)
    }

    mutating func add(cast kind: Expression.CastKind, to type: String, endingAt end: Int) {
        reduce(above: Operation(kind: .binary("as"), precedence: 8, isRightAssociative: false))
        guard let operand = operands.popLast() else { return }
        operands.append(Self.hoisted(operand, end) { .cast($0, kind, type) })
    }

    /// The folded expression.
    mutating func result() -> Expression? {
        while !operations.isEmpty { reduce() }
        return operands.first
    }

    private mutating func push(_ operation: Operation, _ operand: Expression) {
        reduce(above: operation)
        operations.append(operation)
        operands.append(operand)
    }

    private mutating func reduce(above next: Operation) {
        while let top = operations.last,
            top.precedence > next.precedence || (top.precedence == next.precedence && !next.isRightAssociative)
        {
            reduce()
        }
    }

    private mutating func reduce() {
        guard let operation = operations.popLast(), let right = operands.popLast(), let left = operands.popLast() else {
            return
        }
        operands.append(
            Self.hoisted(left, right.range.end) { left in
                switch operation.kind {
                case .binary(let name): .binary(name, left, right)
                case .assignment: .assign(left, right)
                case .ternary(let then): .ternary(left, then, right)
                }
            }
        )
    }

    /// `try` at the left covers everything to its right.
    private static func hoisted(
        _ left: Expression,
        _ end: Int,
        _ make: (Expression) -> Expression.Kind
    ) -> Expression {
        let range = ByteRange(left.range.start, end)
        guard case .tryExpression(let kind, let inner) = left.kind else { return Expression(make(left), range) }
        return Expression(.tryExpression(kind, Expression(make(inner), ByteRange(inner.range.start, end))), range)
    }

    /// Operators of the program's own have the precedence that Swift gives them by default.
    private static func precedence(_ name: String) -> (precedence: Int, isRightAssociative: Bool) {
        switch name {
        case "||": return (4, false)
        case "&&": return (5, false)
        case "==", "!=", "<", ">", "<=", ">=", "===", "!==", "~=", ".==", ".!=", ".<", ".>", ".<=", ".>=":
            return (6, false)
        case "??": return (7, true)
        case "...", "..<": return (9, false)
        case "+", "-", "&+", "&-", "|", "^": return (10, false)
        case "*", "/", "%", "&*", "&": return (11, false)
        case "<<", ">>", "&<<", "&>>": return (12, false)
        default:
            let isAssignment = name.hasSuffix("=") && name.count > 1
            return isAssignment ? (1, true) : (3, false)
        }
    }
}
#endif

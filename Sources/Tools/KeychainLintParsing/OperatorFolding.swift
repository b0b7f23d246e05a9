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

    /// An operand, and whether it begins with `try`, which covers what follows unless there are parentheses around it.
    struct Operand {
        var expression: Expression
        var isTry: Bool
    }

    private var operands: [Operand]
    private var operations: [Operation] = []

    init(_ first: Operand) { operands = [first] }

    /// An operator with what follows it.
    mutating func add(binary name: String, _ operand: Operand) {
        let (precedence, isRightAssociative) = Self.precedence(name)
        push(Operation(kind: .binary(name), precedence: precedence, isRightAssociative: isRightAssociative), operand)
    }

    mutating func add(assignment operand: Operand) {
        push(Operation(kind: .assignment, precedence: 1, isRightAssociative: true), operand)
    }

    mutating func add(ternary then: Expression, _ otherwise: Operand) {
        push(Operation(kind: .ternary(then), precedence: 2, isRightAssociative: true), otherwise)
    }

    mutating func add(cast kind: Expression.CastKind, to type: String, endingAt end: Int) {
        reduce(above: Operation(kind: .binary("as"), precedence: 8, isRightAssociative: false))
        guard let operand = operands.popLast() else { return }
        operands.append(Self.hoisted(operand, endingAt: end) { .cast($0, kind, type) })
    }

    /// The folded expression.
    mutating func result() -> Expression? {
        while !operations.isEmpty { reduce() }
        return operands.first?.expression
    }

    private mutating func push(_ operation: Operation, _ operand: Operand) {
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
        let last = right.expression
        operands.append(
            Self.hoisted(left, endingAt: last.range.end) { left in
                switch operation.kind {
                case .binary(let name): .binary(name, left, last)
                case .assignment: .assign(left, last)
                case .ternary(let then): .ternary(left, then, last)
                }
            }
        )
    }

    /// `try` at the left covers everything to its right.
    private static func hoisted(
        _ left: Operand,
        endingAt end: Int,
        _ make: (Expression) -> Expression.Kind
    ) -> Operand {
        let start = left.expression.range.start
        guard left.isTry, case .tryExpression(let kind, let inner) = left.expression.kind else {
            return Operand(expression: Expression(make(left.expression), ByteRange(start, end)), isTry: false)
        }
        let covered = Expression(make(inner), ByteRange(inner.range.start, end))
        return Operand(
            expression: Expression(.tryExpression(kind, covered), ByteRange(start, end)),
            isTry: true
        )
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

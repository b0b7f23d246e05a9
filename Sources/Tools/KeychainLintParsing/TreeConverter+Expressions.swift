// SPDX-License-Identifier: Apache-2.0
#if Lint
import KeychainLint
import SwiftSyntax

extension TreeConverter {
    mutating func expression(_ node: ExprSyntax) -> Expression {
        let kind = nested(.unknown([])) { $0.kind(node) }
        return Expression(kind, range(node, of: kind))
    }

    /// The range of an expression.
    ///
    /// What begins with another expression begins where that one does: SwiftSyntax would look for its first token
    /// through all calls of a chain, for each of them.
    private func range(_ node: ExprSyntax, of kind: Expression.Kind) -> ByteRange {
        switch node.kind {
        case .memberAccessExpr, .functionCallExpr, .subscriptCallExpr, .forceUnwrapExpr, .optionalChainingExpr:
            switch kind {
            case .member(let base?, _), .call(let base, _), .index(let base, _), .forceUnwrap(let base),
                .optionalChain(let base):
                return ByteRange(base.range.start, node.endPositionBeforeTrailingTrivia.utf8Offset)
            default: return range(node)
            }
        default: return range(node)
        }
    }

    private mutating func kind(_ node: ExprSyntax) -> Expression.Kind {
        switch node.as(ExprSyntaxEnum.self) {
        case .declReferenceExpr(let name): return .name(self.name(name.baseName))
        case .memberAccessExpr(let access):
            return .member(access.base.map { expression($0) }, self.name(access.declName.baseName))
        case .functionCallExpr(let call): return callKind(call)
        case .subscriptCallExpr(let call):
            return .index(expression(call.calledExpression), arguments(call.arguments))
        case .stringLiteralExpr(let literal): return .string(parts(literal))
        case .simpleStringLiteralExpr(let literal):
            return .string(literal.segments.map { .text($0.content.text) })
        case .integerLiteralExpr(let literal): return .integer(integer(literal.literal.text))
        case .floatLiteralExpr(let literal):
            return .float(Double(literal.literal.text.filter { $0 != "_" }))
        case .booleanLiteralExpr(let literal): return .boolean(literal.literal.text == "true")
        case .nilLiteralExpr: return .null
        case .arrayExpr(let array): return .array(array.elements.map { expression($0.expression) })
        case .dictionaryExpr(let dictionary):
            guard case .elements(let elements) = dictionary.content else { return .dictionary([]) }
            return .dictionary(
                elements.map {
                    let value = expression($0.value)
                    return DictionaryElement(
                        key: expression($0.key),
                        value: value,
                        range: ByteRange(range($0.key).start, value.range.end)
                    )
                }
            )
        case .forceUnwrapExpr(let unwrap): return .forceUnwrap(expression(unwrap.expression))
        case .optionalChainingExpr(let chain): return .optionalChain(expression(chain.expression))
        case .prefixOperatorExpr(let operation):
            let operand = expression(operation.expression)
            if operation.operator.text == "-", case .integer(let value) = operand.kind {
                return .integer(value.map { -$0 })
            }
            return .prefix(operation.operator.text, operand)
        case .postfixOperatorExpr(let operation): return .unknown([expression(operation.expression)])
        case .closureExpr(let closure): return .closure(self.closure(closure))
        case .tupleExpr(let tuple):
            if tuple.elements.count == 1, let only = tuple.elements.first, only.label == nil {
                return kind(only.expression)
            }
            return .tuple(arguments(tuple.elements))
        case .tryExpr(let attempt):
            let kind: Expression.TryKind =
                switch attempt.questionOrExclamationMark?.text {
                case "?": .optional
                case "!": .forced
                default: .plain
                }
            return .tryExpression(kind, expression(attempt.expression))
        case .awaitExpr(let expression): return kind(expression.expression)
        case .unsafeExpr(let expression): return kind(expression.expression)
        case .borrowExpr(let expression): return kind(expression.expression)
        case .copyExpr(let expression): return kind(expression.expression)
        case .consumeExpr(let expression): return kind(expression.expression)
        case .inOutExpr(let expression): return .address(self.expression(expression.expression))
        case .ifExpr(let condition): return .statement(Statement(ifKind(condition), range(node)))
        case .switchExpr(let choice):
            return .statement(
                Statement(.choice(expression(choice.subject), cases(choice.cases)), range(node))
            )
        case .genericSpecializationExpr(let generic): return kind(generic.expression)
        case .sequenceExpr(let sequence): return folded(sequence)
        case .superExpr: return .name("super")
        case .patternExpr(let pattern):
            if case .name(let name) = self.pattern(pattern.pattern) { return .name(name) }
            return .unknown([])
        case .macroExpansionExpr(let macro):
            return .call(
                Expression(.name("#" + macro.macroName.text), range(node)),
                arguments(macro.arguments)
                    + trailing(macro.trailingClosure, macro.additionalTrailingClosures)
            )
        case .typeExpr, .keyPathExpr, .regexLiteralExpr, .discardAssignmentExpr:
            return .text(text(node))
        default: return .unknown([])
        }
    }

    private mutating func callKind(_ call: FunctionCallExprSyntax) -> Expression.Kind {
        let all =
            arguments(call.arguments) + trailing(call.trailingClosure, call.additionalTrailingClosures)
        // `[String: Any]()` is an empty dictionary, `[UInt8](x)` an array of bytes.
        if call.calledExpression.is(DictionaryExprSyntax.self), all.isEmpty { return .dictionary([]) }
        return .call(expression(call.calledExpression), all)
    }

    mutating func arguments(_ list: LabeledExprListSyntax) -> [CallArgument] {
        list.map { CallArgument(label: $0.label.map { name($0) }, value: expression($0.expression)) }
    }

    private mutating func trailing(
        _ closure: ClosureExprSyntax?,
        _ more: MultipleTrailingClosureElementListSyntax
    ) -> [CallArgument] {
        var result: [CallArgument] = []
        if let closure {
            let value = Expression(.closure(self.closure(closure)), range(closure))
            result.append(CallArgument(label: nil, value: value, isTrailingClosure: true))
        }
        for element in more {
            let value = Expression(.closure(self.closure(element.closure)), range(element.closure))
            result.append(CallArgument(label: element.label.text, value: value, isTrailingClosure: true))
        }
        return result
    }

    private func castKind(_ mark: TokenSyntax?) -> Expression.CastKind {
        switch mark?.text {
        case "?": .conditional
        case "!": .forced
        default: .bridge
        }
    }

    private mutating func operand(_ node: ExprSyntax) -> OperatorFolding.Operand {
        OperatorFolding.Operand(expression: expression(node), isTry: Self.beginsWithTry(node))
    }

    private static func beginsWithTry(_ node: ExprSyntax) -> Bool {
        switch node.as(ExprSyntaxEnum.self) {
        case .tryExpr: true
        case .awaitExpr(let inner): beginsWithTry(inner.expression)
        case .unsafeExpr(let inner): beginsWithTry(inner.expression)
        default: false
        }
    }

    /// A row of operands and operators; one that is too long stays a row.
    private mutating func folded(_ sequence: SequenceExprSyntax) -> Expression.Kind {
        var elements = sequence.elements.makeIterator()
        guard let first = elements.next() else { return .unknown([]) }
        if sequence.elements.count > Self.maximumOperandCount {
            isTooDeep = true
            return .unknown(sequence.elements.map { expression($0) })
        }
        var folding = OperatorFolding(operand(first))
        while let operation = elements.next(), let operand = elements.next() {
            switch operation.as(ExprSyntaxEnum.self) {
            case .assignmentExpr: folding.add(assignment: self.operand(operand))
            case .unresolvedTernaryExpr(let ternary):
                folding.add(ternary: expression(ternary.thenExpression), self.operand(operand))
            case .unresolvedAsExpr(let cast):
                folding.add(
                    cast: castKind(cast.questionOrExclamationMark),
                    to: text(operand),
                    endingAt: range(operand).end
                )
            case .unresolvedIsExpr:
                folding.add(cast: .check, to: text(operand), endingAt: range(operand).end)
            default: folding.add(binary: text(operation), self.operand(operand))
            }
        }
        return folding.result()?.kind ?? .unknown([])
    }

    private func integer(_ text: String) -> Int? {
        let digits = text.filter { $0 != "_" }
        for (prefix, radix) in [("0x", 16), ("0b", 2), ("0o", 8)] where digits.hasPrefix(prefix) {
            return Int(digits.dropFirst(2), radix: radix)
        }
        return Int(digits)
    }

    private mutating func parts(_ literal: StringLiteralExprSyntax) -> [StringPart] {
        let isRaw = literal.openingPounds != nil
        return literal.segments.map { segment in
            switch segment {
            case .stringSegment(let text):
                .text(isRaw ? text.content.text : Self.unescaped(text.content.text))
            case .expressionSegment(let interpolation): .interpolation(arguments(interpolation.expressions))
            }
        }
    }

    private static func unescaped(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
        var result = ""
        var isEscaped = false
        for character in text {
            if isEscaped {
                switch character {
                case "n": result.append("\n")
                case "t": result.append("\t")
                case "r": result.append("\r")
                default: result.append(character)
                }
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else {
                result.append(character)
            }
        }
        return result
    }

    mutating func ifKind(_ node: IfExprSyntax) -> Statement.Kind {
        nested(.leave(.loopOrSwitch)) { $0.unboundedIfKind(node) }
    }

    private mutating func unboundedIfKind(_ node: IfExprSyntax) -> Statement.Kind {
        let conditions = self.conditions(node.conditions)
        let then = statements(node.body.statements)
        switch node.elseBody {
        case .ifExpr(let other)?:
            return .condition(conditions, then: then, otherwise: [Statement(ifKind(other), range(other))])
        case .codeBlock(let block)?:
            return .condition(conditions, then: then, otherwise: statements(block.statements))
        case nil: return .condition(conditions, then: then, otherwise: nil)
        }
    }

    mutating func cases(_ list: SwitchCaseListSyntax) -> [Statement.Case] {
        list.flatMap { element -> [Statement.Case] in
            switch element {
            case .switchCase(let item):
                let body = statements(item.statements)
                switch item.label {
                case .default: return [.init(patterns: [], isDefault: true, body: body, range: range(item))]
                case .case(let label):
                    let patterns = label.caseItems.map { item in
                        (pattern: pattern(item.pattern), filter: item.whereClause.map { expression($0.condition) })
                    }
                    return [.init(patterns: patterns, isDefault: false, body: body, range: range(item))]
                }
            case .ifConfigDecl(let config):
                return config.clauses.flatMap { clause -> [Statement.Case] in
                    guard case .switchCases(let nested)? = clause.elements else { return [] }
                    return cases(nested)
                }
            }
        }
    }
}
#endif

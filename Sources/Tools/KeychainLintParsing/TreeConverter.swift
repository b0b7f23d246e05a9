// SPDX-License-Identifier: Apache-2.0
#if Lint
import KeychainLint
import SwiftSyntax

/// Converts SwiftSyntax's trees to the linter's own, which are smaller and have operators folded.
struct TreeConverter {
    /// The file.
    private let source: [UInt8]
    /// The long names found so far: equal ones share their memory.
    private var names: Set<String> = []
    /// How many statements and expressions are around the current one.
    private var depth = 0
    /// Whether something was left out because it is nested too deeply.
    var isTooDeep = false

    /// Deeper code is generated, and everything that follows recurses over it.
    private static let maximumDepth = 500
    /// Longer rows of operators make trees that are as deep.
    static let maximumOperandCount = 2 * maximumDepth

    init(_ source: [UInt8]) { self.source = source }

    /// One level deeper, unless that is too deep.
    mutating func nested<Node>(_ tooDeep: Node, _ convert: (inout TreeConverter) -> Node) -> Node {
        guard depth < Self.maximumDepth else {
            isTooDeep = true
            return tooDeep
        }
        depth += 1
        defer { depth -= 1 }
        return convert(&self)
    }

    mutating func name(_ token: TokenSyntax) -> String {
        let text = token.identifierText
        // A string of up to fifteen bytes allocates no memory.
        return text.utf8.count > 15 ? names.insert(text).memberAfterInsert : text
    }

    /// The text of a node, without what is before and after it.
    func text(_ node: some SyntaxProtocol) -> String {
        let range = range(node)
        return String(decoding: source[range.start..<max(range.start, range.end)], as: UTF8.self)
    }

    func range(_ node: some SyntaxProtocol) -> ByteRange {
        ByteRange(
            node.positionAfterSkippingLeadingTrivia.utf8Offset,
            node.endPositionBeforeTrailingTrivia.utf8Offset
        )
    }

    mutating func statements(_ items: CodeBlockItemListSyntax?) -> [Statement] {
        nested([]) { converter in (items ?? []).flatMap { converter.statements($0.item) } }
    }

    private mutating func statements(_ item: CodeBlockItemSyntax.Item) -> [Statement] {
        switch item {
        case .decl(let declaration): self.declaration(declaration)
        case .stmt(let statement): [self.statement(statement)]
        case .expr(let expression): [self.statement(expression)]
        }
    }

    /// An expression as a statement; `if` and `switch` become plain statements.
    private mutating func statement(_ node: ExprSyntax) -> Statement {
        let expression = self.expression(node)
        if case .statement(let statement) = expression.kind { return statement }
        return Statement(.expression(expression), expression.range)
    }

    mutating func statement(_ node: StmtSyntax) -> Statement {
        Statement(statementKind(node), range(node))
    }

    private mutating func statementKind(_ node: StmtSyntax) -> Statement.Kind {
        switch node.as(StmtSyntaxEnum.self) {
        case .expressionStmt(let statement): return self.statement(statement.expression).kind
        case .returnStmt(let statement): return .returned(statement.expression.map { self.expression($0) })
        case .throwStmt(let statement): return .thrown(expression(statement.expression))
        case .guardStmt(let statement):
            return .guarded(conditions(statement.conditions), otherwise: statements(statement.body.statements))
        case .whileStmt(let statement):
            return .loop(conditions(statement.conditions), body: statements(statement.body.statements))
        case .repeatStmt(let statement):
            return .loop(
                [],
                body: statements(statement.body.statements) + [self.statement(statement.condition)]
            )
        case .forStmt(let statement):
            return .forEach(
                pattern(statement.pattern),
                sequence: expression(statement.sequence),
                filter: statement.whereClause.map { expression($0.condition) },
                body: statements(statement.body.statements)
            )
        case .doStmt(let statement):
            let body = statements(statement.body.statements)
            let catches = statement.catchClauses.map { clause in
                Statement.Catch(
                    patterns: clause.catchItems.compactMap { item in item.pattern.map { pattern($0) } },
                    filters: clause.catchItems.compactMap { item in item.whereClause.map { expression($0.condition) } },
                    body: statements(clause.body.statements)
                )
            }
            return .attempt(body: body, catches: catches)
        case .deferStmt(let statement): return .deferred(statements(statement.body.statements))
        case .breakStmt: return .leave(.loopOrSwitch)
        case .continueStmt: return .leave(.continueLoop)
        case .fallThroughStmt: return .leave(.fallThrough)
        case .labeledStmt(let statement): return statementKind(statement.statement)
        default: return .expression(Expression(.unknown([]), range(node)))
        }
    }

    mutating func conditions(_ list: ConditionElementListSyntax) -> [Statement.Condition] {
        list.map { element in
            switch element.condition {
            case .expression(let expression): return .expression(self.expression(expression))
            case .availability(let condition): return .availability(text(condition))
            case .matchingPattern(let condition):
                return .match(pattern(condition.pattern), expression(condition.initializer.value))
            case .optionalBinding(let binding):
                let value = binding.initializer.map { expression($0.value) }
                guard case .name(let name) = pattern(binding.pattern) else {
                    return .binding("_", value, range(binding))
                }
                return .binding(name, value, range(binding))
            }
        }
    }

    mutating func pattern(_ node: PatternSyntax) -> Pattern { nested(.wildcard) { $0.unboundedPattern(node) } }

    private mutating func unboundedPattern(_ node: PatternSyntax) -> Pattern {
        switch node.as(PatternSyntaxEnum.self) {
        case .identifierPattern(let pattern): return .name(name(pattern.identifier))
        case .wildcardPattern: return .wildcard
        case .valueBindingPattern(let pattern): return .bind(self.pattern(pattern.pattern))
        case .tuplePattern(let pattern): return .tuple(pattern.elements.map { self.pattern($0.pattern) })
        case .expressionPattern(let pattern):
            if let inner = pattern.expression.as(PatternExprSyntax.self) { return self.pattern(inner.pattern) }
            return .expression(expression(pattern.expression))
        case .isTypePattern(let pattern): return .isType(text(pattern.type))
        default: return .wildcard
        }
    }

    mutating func closure(_ node: ClosureExprSyntax) -> Closure {
        var parameters: [String] = []
        switch node.signature?.parameterClause {
        case .simpleInput(let list)?: parameters = list.map { $0.name.identifierText }
        case .parameterClause(let clause)?:
            parameters = clause.parameters.map { ($0.secondName ?? $0.firstName).identifierText }
        case nil: break
        }
        return Closure(parameters: parameters, body: statements(node.statements), range: range(node))
    }
}

extension TokenSyntax {
    /// The name without the backticks that escape a keyword.
    var identifierText: String {
        let text = self.text
        guard text.count > 2, text.hasPrefix("`"), text.hasSuffix("`") else { return text }
        return String(text.dropFirst().dropLast())
    }
}
#endif

// SPDX-License-Identifier: Apache-2.0

/// A statement or a declaration.
package final class Statement: Sendable {
    package let kind: Kind
    package let range: ByteRange

    package init(_ kind: Kind, _ range: ByteRange) {
        self.kind = kind
        self.range = range
    }

    package enum Kind: Sendable {
        case expression(Expression)
        case variable(Variable)
        case condition([Condition], then: [Statement], otherwise: [Statement]?)
        case guarded([Condition], otherwise: [Statement])
        case loop([Condition], body: [Statement])
        case forEach(Pattern, sequence: Expression, filter: Expression?, body: [Statement])
        case choice(Expression, [Case])
        case attempt(body: [Statement], catches: [Catch])
        case returned(Expression?)
        case thrown(Expression)
        case leave(Leave)
        case deferred([Statement])
        case conditional([Clause])
        case function(Function)
        case type(TypeDeclaration)
        case importModule(String)
        case alias(String, String)
    }

    package enum Leave: Sendable { case loopOrSwitch, continueLoop, fallThrough }

    /// A condition of `if`, `guard` or `while`.
    package enum Condition: Sendable {
        case expression(Expression)
        /// `let name = value`; the value is absent in the short form.
        case binding(String, Expression?, ByteRange)
        /// `case pattern = value`.
        case match(Pattern, Expression)
        /// `#available(…)` or `#unavailable(…)`: its text.
        case availability(String)
    }

    /// A `case` of a `switch`; without patterns the default.
    package struct Case: Sendable {
        package var patterns: [(pattern: Pattern, filter: Expression?)]
        package var isDefault: Bool
        package var body: [Statement]
        package var range: ByteRange

        package init(
            patterns: [(pattern: Pattern, filter: Expression?)],
            isDefault: Bool,
            body: [Statement],
            range: ByteRange
        ) {
            self.patterns = patterns
            self.isDefault = isDefault
            self.body = body
            self.range = range
        }
    }

    /// A `catch` clause.
    package struct Catch: Sendable {
        package var patterns: [Pattern]
        /// The conditions after `where`.
        package var filters: [Expression]
        package var body: [Statement]

        package init(patterns: [Pattern], filters: [Expression], body: [Statement]) {
            self.patterns = patterns
            self.filters = filters
            self.body = body
        }
    }

    /// A clause of `#if`; without a condition the `#else`.
    package struct Clause: Sendable {
        package var condition: String?
        package var body: [Statement]

        package init(condition: String?, body: [Statement]) {
            self.condition = condition
            self.body = body
        }
    }
}

/// A pattern.
package indirect enum Pattern: Sendable {
    case name(String)
    case wildcard
    case expression(Expression)
    case tuple([Pattern])
    case bind(Pattern)
    case isType(String)
}

/// `let` and `var`, at any level.
package final class Variable: Sendable {
    package let isConstant: Bool
    package let modifiers: [String]
    package let attributes: [AttributeUse]
    package let bindings: [Binding]

    package init(isConstant: Bool, modifiers: [String], attributes: [AttributeUse], bindings: [Binding]) {
        self.isConstant = isConstant
        self.modifiers = modifiers
        self.attributes = attributes
        self.bindings = bindings
    }

    package struct Binding: Sendable {
        package var pattern: Pattern
        package var name: String?
        package var type: String?
        package var value: Expression?
        package var getter: [Statement]?
        package var setter: [Statement]?
        package var setterParameter: String
        package var observers: [Statement]
        package var range: ByteRange

        package init(
            pattern: Pattern,
            name: String?,
            type: String?,
            value: Expression?,
            getter: [Statement]?,
            setter: [Statement]?,
            setterParameter: String,
            observers: [Statement],
            range: ByteRange
        ) {
            self.pattern = pattern
            self.name = name
            self.type = type
            self.value = value
            self.getter = getter
            self.setter = setter
            self.setterParameter = setterParameter
            self.observers = observers
            self.range = range
        }
    }
}

/// `@name(arguments)`.
package struct AttributeUse: Sendable {
    package var name: String
    package var arguments: [CallArgument]
    package var text: String

    package init(name: String, arguments: [CallArgument], text: String) {
        self.name = name
        self.arguments = arguments
        self.text = text
    }
}

/// A function, an initializer, a deinitializer or a subscript's accessor.
package final class Function: Sendable {
    package let name: String
    package let parameters: [Parameter]
    package let result: String?
    package let `throws`: Bool
    package let isAsync: Bool
    package let modifiers: [String]
    package let attributes: [AttributeUse]
    /// nil for a requirement of a protocol.
    package let body: [Statement]?
    package let range: ByteRange
    /// The place for findings about the function.
    package let nameRange: ByteRange

    package init(
        name: String,
        parameters: [Parameter],
        result: String?,
        throws: Bool,
        isAsync: Bool,
        modifiers: [String],
        attributes: [AttributeUse],
        body: [Statement]?,
        range: ByteRange,
        nameRange: ByteRange
    ) {
        self.name = name
        self.parameters = parameters
        self.result = result
        self.throws = `throws`
        self.isAsync = isAsync
        self.modifiers = modifiers
        self.attributes = attributes
        self.body = body
        self.range = range
        self.nameRange = nameRange
    }

    package struct Parameter: Sendable {
        package var label: String?
        package var name: String
        package var type: String
        package var defaultValue: Expression?

        package init(label: String?, name: String, type: String, defaultValue: Expression?) {
            self.label = label
            self.name = name
            self.type = type
            self.defaultValue = defaultValue
        }

        package var isOptional: Bool { type.hasSuffix("?") || type.hasPrefix("Optional<") }
    }
}

/// A type or an extension of one.
package final class TypeDeclaration: Sendable {
    package let keyword: String
    package let name: String
    package let inherited: [String]
    package let attributes: [AttributeUse]
    package let modifiers: [String]
    package let members: [Statement]
    package let cases: [EnumCase]
    package let range: ByteRange
    package let nameRange: ByteRange

    package init(
        keyword: String,
        name: String,
        inherited: [String],
        attributes: [AttributeUse],
        modifiers: [String],
        members: [Statement],
        cases: [EnumCase],
        range: ByteRange,
        nameRange: ByteRange
    ) {
        self.keyword = keyword
        self.name = name
        self.inherited = inherited
        self.attributes = attributes
        self.modifiers = modifiers
        self.members = members
        self.cases = cases
        self.range = range
        self.nameRange = nameRange
    }

    package struct EnumCase: Sendable {
        package var name: String
        package var value: Expression?
        package var parameters: [String]

        package init(name: String, value: Expression?, parameters: [String]) {
            self.name = name
            self.value = value
            self.parameters = parameters
        }
    }
}

/// A parsed Swift file.
package struct SwiftTree: Sendable {
    package var statements: [Statement]
    package var comments: [Comment]
    package var hasErrors: Bool
    /// Whether something was left out because it is nested too deeply.
    package var isTooDeep: Bool

    package init(statements: [Statement], comments: [Comment], hasErrors: Bool, isTooDeep: Bool) {
        self.statements = statements
        self.comments = comments
        self.hasErrors = hasErrors
        self.isTooDeep = isTooDeep
    }

    /// A comment with a directive for the linter.
    package struct Comment: Sendable {
        package var text: String
        package var offset: Int

        package init(text: String, offset: Int) {
            self.text = text
            self.offset = offset
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A range of UTF-8 offsets in a file; small, because trees contain many.
package struct ByteRange: Sendable, Hashable {
    private var low: UInt32
    private var high: UInt32

    package init(_ start: Int, _ end: Int) {
        low = UInt32(clamping: start)
        high = UInt32(clamping: end)
    }

    package var start: Int { Int(low) }
    package var end: Int { Int(high) }

    package func contains(_ other: ByteRange) -> Bool { low <= other.low && other.high <= high }
}

/// An expression: the subset of Swift's syntax that the rules need, with operators folded.
package final class Expression: Sendable {
    package let kind: Kind
    package let range: ByteRange

    package init(_ kind: Kind, _ range: ByteRange) {
        self.kind = kind
        self.range = range
    }

    package enum Kind: Sendable {
        case name(String)
        /// `base.name`; without a base an implicit member, `.name`.
        case member(Expression?, String)
        case call(Expression, [CallArgument])
        case index(Expression, [CallArgument])
        case string([StringPart])
        case integer(Int?)
        case float(Double?)
        case boolean(Bool)
        case null
        case array([Expression])
        case dictionary([DictionaryElement])
        case cast(Expression, CastKind, String)
        case forceUnwrap(Expression)
        case optionalChain(Expression)
        case prefix(String, Expression)
        case binary(String, Expression, Expression)
        case assign(Expression, Expression)
        case ternary(Expression, Expression, Expression)
        case closure(Closure)
        case tuple([CallArgument])
        case tryExpression(TryKind, Expression)
        case address(Expression)
        /// `if` and `switch` as expressions.
        case statement(Statement)
        /// A type in expression position, a key path, a macro: its text.
        case text(String)
        case unknown([Expression])
    }

    package enum CastKind: Sendable { case bridge, conditional, forced, check }
    package enum TryKind: Sendable { case plain, optional, forced }
}

/// `label: value`; a trailing closure is the last argument or arguments.
package struct CallArgument: Sendable {
    package var label: String?
    package var value: Expression
    package var isTrailingClosure: Bool

    package init(label: String?, value: Expression, isTrailingClosure: Bool = false) {
        self.label = label
        self.value = value
        self.isTrailingClosure = isTrailingClosure
    }
}

/// `key: value` in a dictionary literal.
package struct DictionaryElement: Sendable {
    package var key: Expression
    package var value: Expression
    package var range: ByteRange

    package init(key: Expression, value: Expression, range: ByteRange) {
        self.key = key
        self.value = value
        self.range = range
    }
}

/// A part of a string literal.
package enum StringPart: Sendable {
    case text(String)
    /// The arguments of an interpolation, the interpolated value first.
    case interpolation([CallArgument])
}

/// A closure expression.
package final class Closure: Sendable {
    package let parameters: [String]
    package let body: [Statement]
    package let range: ByteRange

    package init(parameters: [String], body: [Statement], range: ByteRange) {
        self.parameters = parameters
        self.body = body
        self.range = range
    }
}

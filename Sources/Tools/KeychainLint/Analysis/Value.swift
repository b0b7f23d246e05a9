// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A value as far as it is known before the program runs.
package indirect enum Value: Hashable, Sendable {
    case unknown
    /// An unknown value with a stable name: the text by which the program refers to it.
    case symbol(String)
    /// The same, known to be nil or a value: an optional parameter.
    case optionalSymbol(String)
    case null
    case boolean(Bool)
    case integer(Int)
    /// A string literal.
    case string(String)
    /// A string with interpolations: its text with `\()` for each, and the names of the interpolated values.
    case pattern(String, [String])
    /// A constant of the Security framework, by name.
    case constant(String)
    case kind(ValueKind)
    case dictionary(AbstractDictionary)
    /// An `NSMutableDictionary`, by its number in the heap.
    case reference(Int)
    case array([Value])
    /// The status that a site returned.
    case status(Int)
    /// A condition on the status of a site: true for some codes, false for some.
    case test(site: Int, whenTrue: CodeSet, whenFalse: CodeSet)
    /// An optional that is nil depending on the status of a site.
    case outcome(site: Int, nilWhen: CodeSet, someWhen: CodeSet, Value)
    /// The output of a site through its result pointer, or a part of it.
    case result(Int, isWhole: Bool)
    case function(ItemFunction)
    /// A pointer to a variable.
    case pointer(String)
    case accessControl(Int)
    case closure(ClosureValue)
    case instance(String)
    case typeName(String)
    case either([Value])
}

/// The kind of a value that is itself unknown.
package enum ValueKind: Hashable, Sendable {
    case data, string, number, boolean, date, context
}

/// A closure that was bound to a name.
package final class ClosureValue: Hashable, Sendable {
    package let closure: Closure
    package init(_ closure: Closure) { self.closure = closure }
    package static func == (left: ClosureValue, right: ClosureValue) -> Bool { left.closure === right.closure }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(closure)) }
}

/// The known facts about a dictionary: its entries for each way in which it may have been built.
package struct AbstractDictionary: Hashable, Sendable {
    package var variants: [Variant]
    /// The call depth at which the dictionary was created; 0 is the analysed function.
    package var depth: Int
    /// Where it was created.
    package var origin: Place?
    /// Distinguishes literals that are one dictionary in several calls.
    package var identity: Int

    package struct Variant: Hashable, Sendable {
        package var entries: [String: Entry]
        /// Whether it may contain unknown keys.
        package var isOpen: Bool
        /// The assumptions on the path, such as "group != nil".
        package var assumptions: [String: Bool]

        package init(entries: [String: Entry] = [:], isOpen: Bool = false, assumptions: [String: Bool] = [:]) {
            self.entries = entries
            self.isOpen = isOpen
            self.assumptions = assumptions
        }

        package func has(_ key: String) -> Bool { entries[key] != nil }
        package func value(_ key: String) -> Value? { entries[key]?.value }

        /// Whether the flag is present and may be true.
        package func isTrue(_ key: String) -> Bool {
            switch entries[key]?.value {
            case nil: false
            case .boolean(let value)?: value
            case .integer(let value)?: value != 0
            case .constant("kCFBooleanFalse")?, .null?: false
            default: true
            }
        }
        /// Whether the flag is present and certainly true.
        package func isCertainlyTrue(_ key: String) -> Bool {
            switch entries[key]?.value {
            case .boolean(let value)?: value
            case .integer(let value)?: value != 0
            default: false
            }
        }
    }

    package struct Entry: Hashable, Sendable {
        package var value: Value
        package var place: Place
        package var depth: Int
    }

    static let limit = 48

    /// Joins the facts of two paths.
    func joined(_ other: AbstractDictionary) -> AbstractDictionary {
        var result = self
        var seen = Set(variants)
        for variant in other.variants where seen.insert(variant).inserted { result.variants.append(variant) }
        result.depth = min(depth, other.depth)
        if result.variants.count > Self.limit {
            result.variants = [Variant(isOpen: true)]
        }
        return result
    }
}

/// A place in a file.
package struct Place: Hashable, Sendable {
    package var file: Int
    package var range: ByteRange
}

extension Value {
    /// Values without `either` around them.
    package var alternatives: [Value] {
        if case .either(let values) = self { values } else { [self] }
    }

    /// Joins the facts of two paths.
    func joined(_ other: Value) -> Value {
        if self == other { return self }
        if case .unknown = self { return .unknown }
        if case .unknown = other { return .unknown }
        if case .dictionary(let left) = self, case .dictionary(let right) = other {
            return .dictionary(left.joined(right))
        }
        var values = alternatives
        for value in other.alternatives {
            if case .dictionary(let right) = value,
                let index = values.firstIndex(where: { if case .dictionary = $0 { true } else { false } }),
                case .dictionary(let left) = values[index]
            {
                values[index] = .dictionary(left.joined(right))
            } else if !values.contains(value) {
                values.append(value)
            }
        }
        return values.count > 12 ? .unknown : .either(values)
    }

    /// A text by which two values of one program can be compared; nil if nothing is known.
    package var identityText: String? {
        switch self {
        case .symbol(let text), .optionalSymbol(let text): text
        case .string(let text): "\"" + text + "\""
        case .pattern(let text, let names): "\"" + text + "\"" + names.joined(separator: ",")
        case .constant(let name): name
        case .integer(let value): String(value)
        case .boolean(let value): String(value)
        default: nil
        }
    }

    package var isNull: Bool { if case .null = self { true } else { false } }
}

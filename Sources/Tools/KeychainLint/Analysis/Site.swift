// SPDX-License-Identifier: Apache-2.0
import KeychainCore

/// A call of an item function, with the known facts about its arguments and the use of its results.
package struct Site: Sendable {
    package var index: Int
    package var function: ItemFunction
    /// The call of the item function itself.
    package var place: Place
    /// The call where the dictionary stops being a bare parameter; findings point here.
    package var reportPlace: Place
    /// The call depth of the site relative to the analysed function; 0 is in the function itself.
    package var depth: Int
    package var reportDepth: Int
    /// The call in the analysed function through which the site is reached.
    package var rootCall: Place
    package var query: AbstractDictionary
    package var attributes: AbstractDictionary?
    package var pointer: Pointer
    /// The variable that the query was in, if it was in one.
    package var queryName: String?
    package var symbol: FunctionSymbol?
    /// The names of the functions on the path to the call.
    package var callers: [String]
    package var codes: [Int: CodeSet]
    package var assumptions: [String: Bool]
    /// The sites on some path to this one.
    package var passed: Set<Int>
    package var discards: [Discard] = []
    package var isStatusRead = false
    package var statusVariable: String?
    /// The call depth of that variable.
    package var statusDepth = 0
    package var casts: [CastUse] = []
    package var isResultRead = false
    package var isDeferred = false
    package var isInClosure = false

    package enum Pointer: Hashable, Sendable {
        case none
        case variable(String)
        case unknown
    }

    package struct Discard: Sendable, Hashable {
        package var place: Place
        package var depth: Int
    }

    /// `as? T` or `as! T` on the result, or on a part of it.
    package struct CastUse: Sendable {
        package var kind: Expression.CastKind
        package var type: String
        package var place: Place
        package var isWhole: Bool
        package var codes: CodeSet?
        package var depth: Int
    }

    /// Whether findings about the dictionary belong to the function that is analysed.
    package var isReported: Bool { reportDepth == 0 }

    /// The classes that the query may refer to; empty if unknown.
    package func classes(_ variant: AbstractDictionary.Variant) -> [ItemClassValue] {
        (variant.value("kSecClass")?.alternatives ?? []).map { KeyTable.itemClass($0) }
    }
}

/// Something else that happens on a path through a function.
package struct Event: Sendable {
    package enum Kind: Sendable {
        case site(Int)
        case call(Call)
        case thrown(Expression, mentions: Set<Int>)
        case returned(Value, Expression?)
        case failure(String)
        case ended
        case accessControl(Int)
        case forced(Value)
    }

    package struct Call: Sendable {
        package var name: String
        package var receiver: [String]?
        package var receiverType: String?
        package var arguments: [CallArgument]
        package var isOptionalTry: Bool
        package var isDiscarded: Bool
        package var symbol: FunctionSymbol?
    }

    package var kind: Kind
    package var place: Place
    package var depth: Int
    package var codes: [Int: CodeSet]
    package var assumptions: [String: Bool]
    /// The statement of the analysed function in which it happens.
    package var rootPlace: Place
    /// The call in the analysed function through which it happens.
    package var rootCall: Place
    package var isDeferred: Bool
}

/// A call of `SecAccessControlCreateWithFlags`.
package struct AccessControlUse: Sendable {
    package var place: Place
    package var depth: Int
    package var protection: Value
    package var flags: Set<String>
    package var areFlagsKnown: Bool
    package var handling: Handling
    package var passesError: Bool

    package enum Handling: Sendable { case unknown, forced, optionalValue, bound }

    /// Whether its flags, as far as they are known, require the owner's presence.
    package var asksForPresence: Bool { !flags.isDisjoint(with: Self.presenceFlags) }

    private static let presenceFlags: Set<String> = [
        "biometryAny", "biometryCurrentSet", "userPresence", "devicePasscode", "applicationPassword", "touchIDAny",
        "touchIDCurrentSet", "watch", "companion",
    ]
}

package typealias ItemClassValue = ItemClass?

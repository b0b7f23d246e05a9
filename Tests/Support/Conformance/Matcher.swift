// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// What a case says of a result.
indirect enum Matcher {
    /// No result at all.
    case nothing
    /// A result of this kind that meets every condition.
    case value(ResultKind, [Condition])
}

/// The kinds of results that a case can ask for.
enum ResultKind: String {
    case any
    case data
    case string
    case number
    case bool
    case date
    case array
    case dictionary
    case accessControl
    case key
    case certificate
    case identity
}

/// One thing that a case says of a result beyond its kind.
indirect enum Condition {
    case equals(ValueTemplate)
    case notEquals(ValueTemplate)
    case length(Int)
    case prefix(ValueTemplate)
    case count(Int)
    case each(Matcher)
    case contains([Member])
    case absent([Member.Key])
    case unordered([Matcher])
    case after(ValueTemplate)
    /// The class of a key, as its attribute holds it.
    case keyClass(String)

    /// A member that a dictionary must have.
    struct Member {
        var key: Key
        var matcher: Matcher

        /// A dictionary key with the name that the case uses for it.
        struct Key {
            var name: String
            var value: String
        }
    }
}

// MARK: - From JSON

extension Matcher {
    /// Reads the matcher of a whole result, where `null` means that there is none.
    init(_ json: JSONValue) throws(CaseDefect) {
        self = json == .null ? .nothing : try Self.nested(json)
    }

    private static func nested(_ json: JSONValue) throws(CaseDefect) -> Matcher {
        guard case .object(let members) = json else { throw CaseDefect("a matcher is an object, or null at the top") }
        var kind = ResultKind.any
        var conditions: [Condition] = []
        for (name, content) in members.sorted(by: { $0.key < $1.key }) {
            if name == "type" {
                kind = try Self.kind(content)
            } else {
                conditions.append(try condition(name, content))
            }
        }
        return .value(kind, conditions)
    }

    private static func kind(_ json: JSONValue) throws(CaseDefect) -> ResultKind {
        let name = try json.string("\"type\"")
        guard let kind = ResultKind(rawValue: name) else { throw CaseDefect("unknown result type \"\(name)\"") }
        return kind
    }

    private static func condition(_ name: String, _ content: JSONValue) throws(CaseDefect) -> Condition {
        switch name {
        case "equals": return .equals(try ValueTemplate(content))
        case "notEquals": return .notEquals(try ValueTemplate(content))
        case "length": return .length(try content.integer("\"length\""))
        case "prefix": return .prefix(try ValueTemplate(content))
        case "count": return .count(try content.integer("\"count\""))
        case "each": return .each(try nested(content))
        case "contains": return .contains(try contained(content))
        case "absent": return .absent(try absentKeys(content))
        case "unordered": return .unordered(try alternatives(content))
        case "after": return .after(try ValueTemplate(content))
        case "class": return .keyClass(try SymbolName.constant(content.string("\"class\"")))
        default: throw CaseDefect("unknown matcher \"\(name)\"")
        }
    }

    private static func contained(_ json: JSONValue) throws(CaseDefect) -> [Condition.Member] {
        var members: [Condition.Member] = []
        for (name, content) in try json.object("\"contains\"").sorted(by: { $0.key < $1.key }) {
            members.append(Condition.Member(key: try key(name), matcher: try matcherOrValue(content)))
        }
        return members
    }

    /// A member of `contains` is a matcher, or a value that the member must equal.
    private static func matcherOrValue(_ json: JSONValue) throws(CaseDefect) -> Matcher {
        switch json {
        case .object(let members) where members.count == 1 && members.keys.allSatisfy(ValueTemplate.kinds.contains):
            return .value(.any, [.equals(try ValueTemplate(json))])
        case .object:
            return try nested(json)
        case .null:
            throw CaseDefect("null in \"contains\" could mean absent or NSNull; write \"absent\" instead")
        default:
            return .value(.any, [.equals(try ValueTemplate(json))])
        }
    }

    private static func absentKeys(_ json: JSONValue) throws(CaseDefect) -> [Condition.Member.Key] {
        var keys: [Condition.Member.Key] = []
        for name in try json.array("\"absent\"") { keys.append(try key(name.string("a member of \"absent\""))) }
        return keys
    }

    private static func alternatives(_ json: JSONValue) throws(CaseDefect) -> [Matcher] {
        var matchers: [Matcher] = []
        for element in try json.array("\"unordered\"") { matchers.append(try nested(element)) }
        return matchers
    }

    private static func key(_ name: String) throws(CaseDefect) -> Condition.Member.Key {
        Condition.Member.Key(name: name, value: try SymbolName.key(name))
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

/// Where a result differs from what the case says.
struct Mismatch: Equatable {
    var expected: String
    var got: String

    /// The same mismatch, one level further out.
    func nested(in place: String) -> Mismatch {
        Mismatch(expected: "\(place): \(expected)", got: got)
    }
}

extension Matcher {
    /// Compares a result with this matcher; `nil` means that it matches.
    func mismatch(_ result: Any?, _ variables: Variables) throws(CaseDefect) -> Mismatch? {
        switch self {
        case .nothing:
            return result == nil ? nil : Mismatch(expected: "no result", got: ValueDescription.describe(result))
        case .value(let kind, let conditions):
            guard let result, kind.accepts(result) else {
                return Mismatch(expected: "a result of type \(kind.rawValue)", got: ValueDescription.describe(result))
            }
            for condition in conditions {
                if let mismatch = try condition.mismatch(result, variables) { return mismatch }
            }
            return nil
        }
    }
}

extension ResultKind {
    /// Whether a value is of this kind.
    ///
    /// A boolean is no number; a boolean attribute may come back as the number 0 or 1.
    fileprivate func accepts(_ value: Any) -> Bool {
        switch self {
        case .any: true
        case .data: value is Data
        case .string: value is String
        case .number: value is NSNumber && !ComparableValue.isBoolean(value)
        case .bool: ComparableValue.areEqual(value, false) || ComparableValue.areEqual(value, true)
        case .date: value is Date
        case .array: value is [Any]
        case .dictionary: value is [String: Any]
        case .accessControl: value is SecAccessControl
        case .key: value is SecKey
        case .certificate: value is SecCertificate
        case .identity: value is SecIdentity
        }
    }
}

extension Condition {
    fileprivate func mismatch(_ value: Any, _ variables: Variables) throws(CaseDefect) -> Mismatch? {
        let got = ValueDescription.describe(value)
        switch self {
        case .equals(let template):
            let isEqual = ComparableValue.areEqual(value, try template.value(variables))
            return isEqual ? nil : Mismatch(expected: ValueDescription.describe(template, variables), got: got)
        case .notEquals(let template):
            let isEqual = ComparableValue.areEqual(value, try template.value(variables))
            let unwanted = ValueDescription.describe(template, variables)
            return isEqual ? Mismatch(expected: "anything but \(unwanted)", got: got) : nil
        case .length(let length):
            let count = (value as? Data)?.count ?? (value as? String)?.utf8.count
            return count == length ? nil : Mismatch(expected: "\(length) bytes", got: got)
        case .prefix(let template):
            let prefix = try template.value(variables) as? Data
            let matches = (value as? Data).flatMap { data in prefix.map(data.starts) } ?? false
            let wanted = ValueDescription.describe(template, variables)
            return matches ? nil : Mismatch(expected: "data starting with \(wanted)", got: got)
        case .count(let count):
            return (value as? [Any])?.count == count ? nil : Mismatch(expected: "an array of \(count)", got: got)
        case .after(let template):
            let earlier = try template.value(variables) as? Date
            let isLater = (value as? Date).flatMap { date in earlier.map { date > $0 } } ?? false
            let limit = ValueDescription.describe(template, variables)
            return isLater ? nil : Mismatch(expected: "a date after \(limit)", got: got)
        case .each(let matcher): return try Self.each(matcher, in: value, with: variables)
        case .contains(let members): return try Self.contains(members, in: value, with: variables)
        case .absent(let keys): return Self.absent(keys, value)
        case .unordered(let matchers): return try Self.unordered(matchers, in: value, with: variables)
        case .keyClass(let expected):
            let keyClass = Self.keyClass(of: value)
            return keyClass == expected
                ? nil
                : Mismatch(expected: "a key of class \(expected)", got: "\(got) of class \(keyClass ?? "unknown")")
        }
    }

    /// The class of a key as the constants spell it, whether its attribute is a string or a number.
    private static func keyClass(of value: Any) -> String? {
        guard let key = value as? SecKey, let attributes = SecKeyCopyAttributes(key) as? [String: Any] else {
            return nil
        }
        return attributes[kSecAttrKeyClass as String].map { "\($0)" }
    }

    private static func each(
        _ matcher: Matcher,
        in value: Any,
        with variables: Variables
    ) throws(CaseDefect) -> Mismatch? {
        guard let elements = value as? [Any] else {
            return Mismatch(expected: "an array", got: ValueDescription.describe(value))
        }
        for (index, element) in elements.enumerated() {
            if let mismatch = try matcher.mismatch(element, variables) {
                return mismatch.nested(in: "element \(index)")
            }
        }
        return nil
    }

    private static func contains(
        _ members: [Member],
        in value: Any,
        with variables: Variables
    ) throws(CaseDefect) -> Mismatch? {
        guard let dictionary = value as? [String: Any] else {
            return Mismatch(expected: "a dictionary", got: ValueDescription.describe(value))
        }
        for member in members {
            let mismatch = try member.matcher.mismatch(dictionary[member.key.value], variables)
            if let mismatch { return mismatch.nested(in: member.key.name) }
        }
        return nil
    }

    private static func absent(_ keys: [Member.Key], _ value: Any) -> Mismatch? {
        guard let dictionary = value as? [String: Any] else {
            return Mismatch(expected: "a dictionary", got: ValueDescription.describe(value))
        }
        guard let present = keys.first(where: { dictionary[$0.value] != nil }) else { return nil }
        let got = ValueDescription.describe(dictionary[present.value])
        return Mismatch(expected: "no member \(present.name)", got: got)
    }

    /// Every matcher must take one element of its own, and none may be left over.
    private static func unordered(
        _ matchers: [Matcher],
        in value: Any,
        with variables: Variables
    ) throws(CaseDefect) -> Mismatch? {
        let got = ValueDescription.describe(value)
        guard let elements = value as? [Any], elements.count == matchers.count else {
            return Mismatch(expected: "an array of \(matchers.count) in any order", got: got)
        }
        let isMatch = try assign(matchers[...], to: elements, with: variables)
        return isMatch ? nil : Mismatch(expected: "an array that fits \(matchers.count) matchers", got: got)
    }

    /// Tries each remaining element for the first matcher, and backs out when the others then find none.
    private static func assign(
        _ matchers: ArraySlice<Matcher>,
        to elements: [Any],
        with variables: Variables
    ) throws(CaseDefect) -> Bool {
        guard let first = matchers.first else { return elements.isEmpty }
        for (index, element) in elements.enumerated() where try first.mismatch(element, variables) == nil {
            var others = elements
            others.remove(at: index)
            if try assign(matchers.dropFirst(), to: others, with: variables) { return true }
        }
        return false
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

/// Questions about values of any type that both sides of a comparison are asked.
enum ComparableValue {
    /// Whether two values are the same to a case.
    ///
    /// Numbers compare numerically and booleans as 0 and 1. Dates may differ by 1 ms. Nothing else is converted: a
    /// string never equals data or a number.
    static func areEqual(_ left: Any, _ right: Any) -> Bool {
        if let left = left as? NSNumber { return (right as? NSNumber).map { areSame(left, $0) } ?? false }
        if let left = left as? Date { return (right as? Date).map { areClose(left, $0) } ?? false }
        if let left = left as? String { return left == right as? String }
        if let left = left as? Data { return left == right as? Data }
        if let left = left as? SecAccessControl { return left == right as? SecAccessControl }
        if let left = left as? SecCertificate { return (right as? SecCertificate).map { areSame(left, $0) } ?? false }
        if let left = left as? SecKey { return left == right as? SecKey }
        if let left = left as? SecIdentity { return left == right as? SecIdentity }
        if let left = left as? [Any] { return (right as? [Any]).map { areEqual(left, $0) } ?? false }
        if let left = left as? [String: Any] { return (right as? [String: Any]).map { areEqual(left, $0) } ?? false }
        return left is NSNull && right is NSNull
    }

    /// Whether a value is a boolean object, and not the number 0 or 1.
    ///
    /// Both are `NSNumber`; the booleans are told by identity, the way `CFGetTypeID` does on Apple platforms.
    static func isBoolean(_ value: Any) -> Bool {
        guard let number = value as? NSNumber else { return false }
        return number === NSNumber(value: true) || number === NSNumber(value: false)
    }

    private static func areSame(_ left: NSNumber, _ right: NSNumber) -> Bool {
        left.compare(right) == .orderedSame
    }

    /// Certificates are compared by their encoding.
    private static func areSame(_ left: SecCertificate, _ right: SecCertificate) -> Bool {
        SecCertificateCopyData(left).isEqual(SecCertificateCopyData(right))
    }

    private static func areClose(_ left: Date, _ right: Date) -> Bool {
        abs(left.timeIntervalSince(right)) <= 0.001 + roundingError
    }

    private static func areEqual(_ left: [Any], _ right: [Any]) -> Bool {
        left.count == right.count && zip(left, right).allSatisfy { areEqual($0, $1) }
    }

    private static func areEqual(_ left: [String: Any], _ right: [String: Any]) -> Bool {
        left.count == right.count
            && left.allSatisfy { key, value in right[key].map { areEqual(value, $0) } ?? false }
    }

    /// A `Double` of seconds resolves about 0.1 microseconds for dates of our time.
    private static let roundingError = 0.000_001
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore

/// The dictionary of a call as it is logged.
enum RedactedValues {
    static func of(_ dictionary: PropertyDictionary) -> [String: String] {
        Dictionary(uniqueKeysWithValues: dictionary.entries.map { ($0.key, text($0.value, isShown: isShown($0.key))) })
    }

    /// Whether the value of a key is not secret, unless it is data: an attribute, a condition or a flag.
    ///
    /// Values of unknown keys count as secret.
    private static func isShown(_ key: String) -> Bool { shown.contains(key) }

    private static let shown: Set<String> = {
        let attributes = ItemClass.stored.flatMap { ItemSchema.of($0).columns.map(\.name.description) }
        let named = ConstantTable.rows.filter { [.match, .returnKey, .attribute].contains($0.group) }.map(\.value)
        return Set(attributes + named + [PropertyKey.itemClass, PropertyKey.useAuthenticationUI])
            .subtracting([PropertyKey.valueData])
    }()

    private static func text(_ value: PropertyValue, isShown: Bool) -> String {
        switch value {
        case .null: "null"
        case .boolean(let flag): "\(flag)"
        case .number(let number): isShown ? text(number) : "a number"
        case .string(let text): isShown ? text : "a string of \(text.utf8.count) bytes"
        case .data(let bytes): "\(bytes.count) bytes"
        case .date(let date): isShown ? text(date) : "a date"
        case .uuid(let text): isShown ? text : "a UUID"
        case .array(let values): "an array of \(values.count)"
        case .accessControl(let value): "an access control of \(KeychainCall.name(of: value.protection))"
        case .authenticationContext: "an LAContext"
        case .reference(.key): "a SecKey"
        case .reference(.certificate): "a SecCertificate"
        case .reference(.identity): "a SecIdentity"
        case .reference(.keychainItem): "a SecKeychainItem"
        case .policy: "a SecPolicy"
        case .keychain: "a SecKeychain"
        case .access: "a SecAccess"
        case .nested: "a dictionary or a nested array"
        case .oversizedData(let count): "\(count) bytes"
        case .object(let type): "an object: \(type)"
        }
    }

    private static func text(_ number: KeychainNumber) -> String {
        switch number {
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .unsigned(let value): "\(value)"
        }
    }

    private static func text(_ date: Timestamp) -> String {
        Date(timeIntervalSinceReferenceDate: date.secondsSinceReferenceDate).formatted(.iso8601)
    }
}

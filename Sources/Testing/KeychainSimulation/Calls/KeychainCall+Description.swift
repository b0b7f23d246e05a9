// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension KeychainCall: CustomStringConvertible {
    /// One line: the number, the operation, the request with Apple's names, and the result.
    public var description: String {
        let changes = attributes.isEmpty ? "" : " to \(Self.text(attributes))"
        return "\(number). \(operation.rawValue) \(Self.text(query))\(changes) as \(app): \(outcome)"
    }

    private var outcome: String {
        guard let status else { return "under way" }
        let reason = reason.map { ", \($0)" } ?? ""
        return "\(Status(rawValue: status))\(isInjected ? " (injected)" : "")\(reason)"
    }

    private static func text(_ values: [String: String]) -> String {
        let entries = values.map { (name: name(ofKey: $0.key), value: text($0.value, of: $0.key)) }
        return "{" + entries.sorted { $0.name < $1.name }.map { "\($0.name): \($0.value)" }.joined(separator: ", ")
            + "}"
    }

    /// The name of the constant for a dictionary key, such as `kSecAttrAccount`.
    package static func name(ofKey key: String) -> String { names[key] ?? "'\(key)'" }

    /// The name of the constant for a value of a key; `nil` if its values are not constants.
    package static func constant(_ value: String, of key: String) -> String? { constants[key]?[value] }

    private static func text(_ value: String, of key: String) -> String { constant(value, of: key) ?? value }

    private static let keyGroups: Set<ConstantTable.Group> = [.match, .returnKey, .valueKey, .useKey, .attribute]

    private static let names: [String: String] = table { keyGroups.contains($0.group) || $0.name == "kSecClass" }

    /// The names of values, by their keys.
    private static let constants: [String: [String: String]] = [
        PropertyKey.itemClass: table { $0.group == .itemClass && $0.name != "kSecClass" },
        PropertyKey.matchLimit: table { $0.name.hasPrefix("kSecMatchLimit") && $0.name != "kSecMatchLimit" },
        PropertyKey.useAuthenticationUI: table { $0.name.hasPrefix("kSecUseAuthenticationUI") },
        "pdmn": table { $0.group == .accessibility },
        "sync": table { $0.name == "kSecAttrSynchronizableAny" },
        "tkid": table { $0.name == "kSecAttrTokenIDSecureEnclave" },
        "ptcl": table { $0.group == .protocolType },
        "atyp": table { $0.group == .authenticationType },
        "type": table { $0.group == .keyType },
        "kcls": table { $0.group == .keyClass },
    ]

    /// The name of a level's constant, such as `kSecAttrAccessibleWhenUnlocked`.
    static func name(of accessibility: Accessibility) -> String {
        text(accessibility.rawValue, of: "pdmn")
    }

    private static func table(_ isIncluded: (ConstantTable.Row) -> Bool) -> [String: String] {
        Dictionary(ConstantTable.rows.filter(isIncluded).map { ($0.value, $0.name) }) { first, _ in first }
    }
}

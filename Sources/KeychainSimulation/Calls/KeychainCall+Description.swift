// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension KeychainCall: CustomStringConvertible {
    /// One line: the number, the operation, what was asked by Apple's names, and what came of it.
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
        let entries = values.map { (name: names[$0.key] ?? "'\($0.key)'", value: constants[$0.value] ?? $0.value) }
        return "{" + entries.sorted { $0.name < $1.name }.map { "\($0.name): \($0.value)" }.joined(separator: ", ")
            + "}"
    }

    private static let keyGroups: Set<ConstantTable.Group> = [.match, .returnKey, .valueKey, .useKey, .attribute]

    private static let names: [String: String] = table { keyGroups.contains($0.group) || $0.name == "kSecClass" }

    /// Words that stand for nothing else, such as classes and levels; not the numerals of key types.
    private static let constants: [String: String] = table {
        ($0.group == .itemClass || $0.group == .accessibility) && $0.name != "kSecClass"
    }

    private static func table(_ isIncluded: (ConstantTable.Row) -> Bool) -> [String: String] {
        Dictionary(ConstantTable.rows.filter(isIncluded).map { ($0.value, $0.name) }) { first, _ in first }
    }
}

// SPDX-License-Identifier: Apache-2.0
import KeychainCore

extension AbstractDictionary.Variant {
    /// Whether it is only built for the file-based keychain of macOS.
    var isFileBased: Bool {
        has("kSecUseKeychain") || has("kSecAttrAccess") || has("kSecMatchSearchList")
            || assumptions.contains { condition, isTrue in
                condition.hasPrefix("#if ")
                    && (isTrue ? Self.isMacOnly(condition) : Self.excludesMac(condition))
            }
    }

    private static func isMacOnly(_ condition: String) -> Bool {
        condition == "#if os(macOS)" || condition == "#if os(OSX)" || condition == "#if canImport(AppKit)"
            || condition == "#if !os(iOS)" || condition == "#if targetEnvironment(simulator)"
    }

    private static func excludesMac(_ condition: String) -> Bool {
        condition == "#if os(iOS)" || condition == "#if !os(macOS)" || condition == "#if !targetEnvironment(simulator)"
            || condition == "#if canImport(UIKit)" || (condition.contains("os(iOS)") && condition.contains("||"))
    }

    /// The only class that it refers to; nil if unknown.
    var itemClass: ItemClass? {
        guard let value = value("kSecClass") else { return nil }
        let classes = value.alternatives.map { KeyTable.itemClass($0) }
        guard let first = classes.first, classes.allSatisfy({ $0 == first }) else { return nil }
        return first
    }

    /// Whether a list is requested; nil if unknown.
    var asksForMany: Bool? {
        switch value("kSecMatchLimit") {
        case nil: false
        case .constant("kSecMatchLimitAll")?, .string("m_LimitAll")?: true
        case .constant("kSecMatchLimitOne")?, .string("m_LimitOne")?: false
        case .integer(let number)?: number > 1
        default: nil
        }
    }

    /// Whether the limit is at most two: code does that to check for more than one item.
    var looksForASecond: Bool {
        if case .integer(let number)? = value("kSecMatchLimit") { number <= 2 } else { false }
    }

    var hasReference: Bool { KeyTable.referenceKeys.contains { has($0) } }

    /// Whether two dictionaries certainly name the same item: their identifying columns are equal, and not empty.
    func meansSameItem(as other: Self) -> Bool {
        guard let mine = itemClass ?? other.itemClass, let theirs = other.itemClass ?? itemClass, mine == theirs else {
            return false
        }
        var isNamed = false
        for (key, entry) in entries where KeyTable.distinguishesItems(key, in: mine) {
            guard let second = other.entries[key] else { continue }
            guard let text = entry.value.identityText, text == second.value.identityText else { return false }
            if KeyTable.chosenNames.contains(key) || key == "kSecAttrLabel" { isNamed = true }
        }
        // An account that only one of them names makes them different sets of items.
        return isNamed && KeyTable.chosenNames.allSatisfy { has($0) == other.has($0) }
    }
}

extension Site {
    /// The ways in which the query may have been built whose keys are all known.
    var closed: [AbstractDictionary.Variant] { query.variants.filter { !$0.isOpen } }

    /// An identifier of the site that does not change when lines move.
    var context: String {
        (symbol?.qualifiedName ?? "") + " "
            + Set(query.variants.flatMap(\.entries.keys)).sorted().joined(separator: ",")
    }

    /// Where the query was created, for a finding about the call.
    var originRelated: [(place: Place, message: String)] {
        query.origin.map { [($0, "the dictionary is made here")] } ?? []
    }

    /// A key with its entry in any variant of the query.
    func entries(_ dictionary: AbstractDictionary) -> [(key: String, entry: AbstractDictionary.Entry)] {
        var seen: Set<String> = []
        var result: [(String, AbstractDictionary.Entry)] = []
        for variant in dictionary.variants {
            for (key, entry) in variant.entries.sorted(by: { $0.key < $1.key }) where seen.insert(key).inserted {
                result.append((key, entry))
            }
        }
        return result
    }

}

extension ItemClass {
    var isPassword: Bool { self == .genericPassword || self == .internetPassword }
}

/// Names of keys, as text.
func list(_ keys: some Sequence<String>) -> String { keys.sorted().joined(separator: ", ") }

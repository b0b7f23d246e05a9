// SPDX-License-Identifier: Apache-2.0
import KeychainCore

extension Rule {
    static let attributeValueMismatch = Rule(
        "attribute-value-mismatch",
        severity: .error,
        confidence: .high,
        family: .query,
        title: "A value belongs to another key, or is of the wrong kind",
        reason: """
            A constant of another attribute is not understood, and a string as kSecValueData is refused with \
            errSecParam (-50): the value has to be Data.
            """,
        remedy: "Use the constant of the attribute, and Data(text.utf8) for text.",
        flagged: """
            import Security
            func add(_ text: String) -> OSStatus {
                SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecValueData: text, kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked] as CFDictionary, nil)
            }
            """,
        accepted: """
            import Security
            func add(_ text: String) -> OSStatus {
                SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecValueData: Data(text.utf8), kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked] as CFDictionary, nil)
            }
            """,
        check: .site { site, facts, report in
            var seen: Set<String> = []
            let all = site.query.variants + (site.attributes?.variants ?? [])
            for (key, entry) in all.flatMap(\.entries).sorted(by: { $0.key < $1.key }) {
                guard let problem = ValueDomain.problem(for: key, value: entry.value, symbol: facts.symbol),
                    seen.insert(key).inserted
                else {
                    continue
                }
                // The file-based keychain takes texts too.
                if key == "kSecValueData", site.query.variants.allSatisfy({ $0.isFileBased(on: facts.platforms) }) {
                    continue
                }
                report.add(entry.place, problem, related: [(site.reportPlace, "the call")], context: site.context + key)
            }
        }
    )
}

/// The values that a key accepts.
private enum ValueDomain {
    private static let groups: [String: ConstantTable.Group] = [
        "kSecClass": .itemClass, "kSecAttrAccessible": .accessibility, "kSecAttrKeyClass": .keyClass,
        "kSecAttrKeyType": .keyType, "kSecAttrProtocol": .protocolType,
        "kSecAttrAuthenticationType": .authenticationType,
    ]

    private static let names: [String: Set<String>] = groups.mapValues { group in
        Set(ConstantTable.rows(in: group).map(\.name)).subtracting(["kSecClass"])
    }

    /// The problem with a value; nil if none is known.
    static func problem(for key: String, value: Value, symbol: FunctionSymbol?) -> String? {
        if let allowed = names[key] {
            guard case .constant(let name) = value, name.hasPrefix("kSec"), !allowed.contains(name),
                ConstantTable.value(named: name) != nil
            else { return nil }
            return "\(name) is no value of \(key)"
        }
        switch key {
        case "kSecValueData":
            let isText: Bool
            switch value {
            case .string, .pattern, .kind(.string), .boolean, .integer: isText = true
            case .symbol(let text):
                // A parameter that is annotated as a string.
                isText = symbol?.function.parameters.contains { $0.name == text && $0.type == "String" } ?? false
            default: isText = false
            }
            return isText ? "kSecValueData takes Data: anything else is refused (errSecParam)" : nil
        case "kSecMatchLimit":
            switch value {
            case .boolean: return "kSecMatchLimit takes kSecMatchLimitOne, kSecMatchLimitAll or a number"
            case .constant(let name) where !name.hasPrefix("kSecMatchLimit") && name.hasPrefix("kSec"):
                return "\(name) is no value of kSecMatchLimit"
            default: return nil
            }
        default: return nil
        }
    }
}

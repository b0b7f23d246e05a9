// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A dictionary as Swift code that can be pasted, secrets replaced by a name.
struct SwiftLiteral {
    let redaction: Redaction

    /// The lines of a literal.
    func text(_ dictionary: PropertyDictionary, of itemClass: ItemClass?) -> String {
        let keys = dictionary.entries.keys.sorted {
            Self.rank($0) != Self.rank($1) ? Self.rank($0) < Self.rank($1) : $0 < $1
        }
        if keys.isEmpty { return "[:]" }
        let lines = keys.compactMap { key -> String? in
            guard let value = dictionary[key] else { return nil }
            let name = KeyNames.isKnown(key) ? KeyNames.constant(key, of: itemClass) : quoted(key) + " as CFString"
            return "    \(name): \(text(value, for: key)),"
        }
        return (["["] + lines + ["]"]).joined(separator: "\n")
    }

    /// Class first, then attributes, match, return and use keys, values last.
    private static func rank(_ key: String) -> Int {
        if key == PropertyKey.itemClass { return 0 }
        if key.utf8.count == 4 { return 1 }
        return ["m": 2, "u": 3, "r": 4, "v": 5][key.prefix(1)] ?? 6
    }

    private func text(_ value: PropertyValue, for key: String) -> String {
        switch value {
        case _ where key == PropertyKey.valueData: return "secret"
        case .oversizedData: return "secret"
        case .boolean(let flag): return flag ? "true" : "false"
        case .number(let number):
            return redaction.isHashed ? "\"\(redaction.shown(ItemText.plain(number)))\"" : ItemText.plain(number)
        case .string(let text): return KeyNames.constant(ofValue: text, for: key) ?? quoted(text)
        case .uuid(let text): return quoted(text)
        case .data(let data):
            let bytes = data.unprotectedCopy
            if let text = ItemText.printable(bytes) { return "Data(\(quoted(text)).utf8)" }
            return
                "Data([\(redaction.isHashed ? "/* \(bytes.count) bytes */" : bytes.map { String($0) }.joined(separator: ", "))])"
        case .accessControl: return "accessControl"
        case .authenticationContext: return "context"
        case .reference: return "reference"
        case .date: return "date"
        case .policy: return "policy"
        case .keychain: return "keychain"
        case .access: return "access"
        case .null: return "NSNull()"
        case .array, .nested, .object: return "value"
        }
    }

    private func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in redaction.shown(text).unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case _ where scalar.isInvisible:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

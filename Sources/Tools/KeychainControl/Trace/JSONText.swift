// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainCore

/// JSON for a terminal.
enum JSONText {
    /// An object in lines.
    static func indented(_ members: [String: JSONValue]) -> String { indented(.object(members)) }

    /// An array of objects in lines.
    static func indented(array: [[String: JSONValue]]) -> String { indented(.array(array.map { .object($0) })) }

    private static func indented(_ value: JSONValue) -> String {
        // A line at a time: the ends of lines are not in strings.
        value.indentedText.split(separator: "\n").map { escapingInvisible(String($0)) }
            .joined(separator: "\n")
    }

    /// JSON text with escapes (RFC 8259, section 7) for characters that control a terminal, which occur only in
    /// strings.
    static func escapingInvisible(_ json: String) -> String {
        var text = ""
        for scalar in json.unicodeScalars {
            guard scalar.isInvisible else {
                text.unicodeScalars.append(scalar)
                continue
            }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return text
    }
}

// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A JSON value whose objects keep their order.
indirect enum JSONValue {
    case string(String)
    case number(Int)
    case boolean(Bool)
    case array([JSONValue])
    case object([(String, JSONValue)])

    var text: String {
        var result = ""
        write(&result, 0)
        return result + "\n"
    }

    private func write(_ text: inout String, _ depth: Int) {
        switch self {
        case .string(let value): text += KeychainCore.JSONValue.quoted(value)
        case .number(let value): text += String(value)
        case .boolean(let value): text += String(value)
        case .array(let values):
            if values.isEmpty {
                text += "[]"
                return
            }
            text += "["
            for (index, value) in values.enumerated() {
                text += (index > 0 ? "," : "") + Self.line(depth + 1)
                value.write(&text, depth + 1)
            }
            text += Self.line(depth) + "]"
        case .object(let pairs):
            text += "{"
            for (index, pair) in pairs.enumerated() {
                text += (index > 0 ? "," : "") + Self.line(depth + 1)
                text += KeychainCore.JSONValue.quoted(pair.0) + ": "
                pair.1.write(&text, depth + 1)
            }
            text += Self.line(depth) + "}"
        }
    }

    private static func line(_ depth: Int) -> String { "\n" + String(repeating: " ", count: depth) }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One JSON value that keeps `true` and `1` apart.
///
/// `JSONSerialization` hands out `NSNumber` for both; decoding into this enum asks for a boolean before a number.
package indirect enum JSONValue: Sendable, Hashable {
    /// `null`
    case null
    /// `true` or `false`
    case boolean(Bool)
    /// A number without a fraction.
    case integer(Int)
    /// Any other number.
    case real(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object([String: JSONValue])
}

extension JSONValue: Decodable {
    /// Reads any value.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .real(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }
}

extension JSONValue {
    /// The value as text, the members of objects in alphabetical order.
    package var text: String {
        switch self {
        case .null: "null"
        case .boolean(let flag): "\(flag)"
        case .integer(let number): "\(number)"
        case .real(let number): number.isFinite ? "\(number)" : "null"
        case .string(let text): Self.quoted(text)
        case .array(let elements): "[\(elements.map(\.text).joined(separator: ","))]"
        case .object(let members): Self.object(members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        }
    }

    /// The text of an object whose members are in an order.
    static func object(_ members: [(String, JSONValue)]) -> String {
        "{\(members.map { "\(quoted($0.0)):\($0.1.text)" }.joined(separator: ","))}"
    }

    /// A string with what JSON has no room for escaped (RFC 8259, section 7); a line break never stands in it.
    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F || (0x2028...0x2029).contains(scalar.value):
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    var string: String? { if case .string(let text) = self { text } else { nil } }

    var members: [String: JSONValue]? { if case .object(let members) = self { members } else { nil } }

    var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }

    var boolean: Bool? { if case .boolean(let flag) = self { flag } else { nil } }

    var integer: Int? { if case .integer(let number) = self { number } else { nil } }

    var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .real(let number): number
        default: nil
        }
    }
}

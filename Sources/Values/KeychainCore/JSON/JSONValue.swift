// SPDX-License-Identifier: Apache-2.0

/// One JSON value (RFC 8259) that distinguishes `true` and `1`.
///
/// Foundation's `JSONSerialization` uses `NSNumber` for both; decoding into this enum tries a Boolean before a number.
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

    /// An array of strings.
    package static func strings(_ strings: some Sequence<String>) -> JSONValue { .array(strings.map { .string($0) }) }
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

// MARK: - Parts

extension JSONValue {
    /// The text of a string; `nil` for anything else.
    package var string: String? { if case .string(let text) = self { text } else { nil } }

    /// The members of an object; `nil` for anything else.
    package var members: [String: JSONValue]? { if case .object(let members) = self { members } else { nil } }

    /// The elements of an array; `nil` for anything else.
    package var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }

    /// `nil` for anything but `true` and `false`.
    package var boolean: Bool? { if case .boolean(let flag) = self { flag } else { nil } }

    /// `nil` for anything but a number without a fraction.
    package var integer: Int? { if case .integer(let number) = self { number } else { nil } }

    /// Any number; `nil` for anything else.
    package var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .real(let number): number
        default: nil
        }
    }

    /// A member of an object; null if there is none.
    package subscript(key: String) -> JSONValue { members?[key] ?? .null }
}

// MARK: - Text

extension JSONValue {
    /// The value on one line, the members of objects in alphabetical order.
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

    /// The text of an object on one line whose members are in an order.
    package static func object(_ members: [(String, JSONValue)]) -> String {
        "{\(members.map { "\(quoted($0.0)):\($0.1.text)" }.joined(separator: ","))}"
    }

    /// The value over several lines, indented by two spaces, with the members of objects in alphabetical order, without
    /// a line feed at its end.
    package var indentedText: String { indented(by: "") }

    private func indented(by indentation: String) -> String {
        let inner = indentation + "  "
        let lines: [String]
        let brackets: (String, String)
        switch self {
        case .array(let elements) where !elements.isEmpty:
            lines = elements.map { $0.indented(by: inner) }
            brackets = ("[", "]")
        case .object(let members) where !members.isEmpty:
            lines = members.sorted { $0.key < $1.key }.map { "\(Self.quoted($0.key)): \($0.value.indented(by: inner))" }
            brackets = ("{", "}")
        default: return text
        }
        let body = lines.map { inner + $0 }.joined(separator: ",\n")
        return "\(brackets.0)\n\(body)\n\(indentation)\(brackets.1)"
    }

    /// A string with escapes for characters that JSON does not allow (RFC 8259, section 7), and for those that control
    /// a terminal or end a line.
    package static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case _ where isControl(scalar):
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || (0x2028...0x2029).contains(scalar.value)
    }
}

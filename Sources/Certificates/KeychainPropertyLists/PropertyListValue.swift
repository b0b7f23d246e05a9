// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// A value of a property list; `<true/>` and `<integer>1</integer>` are distinguished.
package enum PropertyListValue: Hashable, Sendable {
    case boolean(Bool)
    case integer(Int)
    /// An integer that is too large for ``integer(_:)``.
    case unsigned(UInt64)
    case real(Double)
    case string(String)
    case data(Data)
    case date(Date)
    case array([PropertyListValue])
    case dictionary([String: PropertyListValue])

    /// The value of a list in XML or binary; `nil` if it is no property list, or not a harmless one
    /// (``PropertyListShape``).
    package init?(_ bytes: Data) {
        guard PropertyListShape.isHarmless(bytes),
            let value = try? PropertyListDecoder().decode(PropertyListValue.self, from: bytes)
        else { return nil }
        self = value
    }

    /// The list in XML.
    ///
    /// - Throws: an error of Foundation for a value that cannot be a list of its own, such as a number.
    package func xml() throws -> Data {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        return try encoder.encode(self)
    }

    /// The text; `nil` for other values.
    package var string: String? { if case .string(let text) = self { text } else { nil } }

    /// The elements; `nil` for other values.
    package var elements: [PropertyListValue]? { if case .array(let elements) = self { elements } else { nil } }

    /// The members; `nil` for other values.
    package var members: [String: PropertyListValue]? {
        if case .dictionary(let members) = self { members } else { nil }
    }
}

extension PropertyListValue: Codable {
    /// Reads any value.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let flag = try? container.decode(Bool.self) {
            self = .boolean(flag)
        } else if let number = try? container.decode(Int.self) {
            self = .integer(number)
        } else if let number = try? container.decode(UInt64.self) {
            self = .unsigned(number)
        } else if let number = try? container.decode(Double.self) {
            self = .real(number)
        } else if let text = try? container.decode(String.self) {
            self = .string(text)
        } else if let data = try? container.decode(Data.self) {
            self = .data(data)
        } else if let date = try? container.decode(Date.self) {
            self = .date(date)
        } else if let elements = try? container.decode([PropertyListValue].self) {
            self = .array(elements)
        } else {
            self = .dictionary(try container.decode([String: PropertyListValue].self))
        }
    }

    /// Writes the value.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .boolean(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .unsigned(let value): try container.encode(value)
        case .real(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .data(let value): try container.encode(value)
        case .date(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .dictionary(let value): try container.encode(value)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A JSON value (RFC 8259) whose objects are written in the order of their keys, so that reports can be compared.
package indirect enum ReportValue: Sendable, Equatable {
    case null
    case boolean(Bool)
    case integer(Int)
    case real(Double)
    case string(String)
    case array([ReportValue])
    case object([String: ReportValue])

    /// The text, indented by two spaces, without a line feed at its end.
    package var text: String {
        var text = ""
        write(to: &text, indentation: "")
        return text
    }

    /// A member of an object; null where there is none.
    package subscript(key: String) -> ReportValue {
        if case .object(let members) = self { members[key] ?? .null } else { .null }
    }

    static func strings(_ strings: some Sequence<String>) -> ReportValue { .array(strings.map { .string($0) }) }

    private func write(to text: inout String, indentation: String) {
        switch self {
        case .null: text += "null"
        case .boolean(let flag): text += flag ? "true" : "false"
        case .integer(let number): text += String(number)
        case .real(let number): text += number.isFinite ? String(number) : "null"
        case .string(let string): Self.quote(string, into: &text)
        case .array(let elements):
            Self.write(elements.map { (nil, $0) }, between: "[", "]", to: &text, indentation)
        case .object(let members):
            let sorted = members.sorted { $0.key < $1.key }
            Self.write(sorted.map { ($0.key, $0.value) }, between: "{", "}", to: &text, indentation)
        }
    }

    private static func write(
        _ elements: [(key: String?, value: ReportValue)],
        between open: String,
        _ close: String,
        to text: inout String,
        _ indentation: String
    ) {
        if elements.isEmpty {
            text += open + close
            return
        }
        text += open
        for (index, element) in elements.enumerated() {
            text += (index == 0 ? "\n" : ",\n") + indentation + "  "
            if let key = element.key {
                quote(key, into: &text)
                text += ": "
            }
            element.value.write(to: &text, indentation: indentation + "  ")
        }
        text += "\n" + indentation + close
    }

    private static func quote(_ string: String, into text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F || (0x80...0x9F).contains(scalar.value):
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

/// Says in one line what a value is, for failures.
enum ValueDescription {
    static func describe(_ value: Any?) -> String {
        guard let value else { return "no result" }
        if let number = value as? NSNumber { return describe(number) }
        if let string = value as? String { return "string \"\(string)\"" }
        if let data = value as? Data { return describe(data) }
        if let date = value as? Date { return "date \(date.formatted(dateStyle))" }
        if value is SecAccessControl { return "access control" }
        if let certificate = value as? SecCertificate {
            return "certificate of \(SecCertificateCopyData(certificate).length) bytes"
        }
        if value is SecKey { return "key" }
        if value is SecIdentity { return "identity" }
        if let elements = value as? [Any] { return "[" + elements.map { describe($0) }.joined(separator: ", ") + "]" }
        if let members = value as? [String: Any] { return describe(members) }
        if value is NSNull { return "NSNull" }
        return "\(type(of: value))"
    }

    static func describe(_ template: ValueTemplate, _ variables: Variables) -> String {
        guard let value = try? template.value(variables) else { return "a value that cannot be made" }
        guard case .variable(let name) = template else { return describe(value) }
        return describe(value) + ", saved as \"\(name)\""
    }

    private static func describe(_ number: NSNumber) -> String {
        ComparableValue.isBoolean(number) ? "boolean \(number.boolValue)" : "number \(number)"
    }

    private static func describe(_ data: Data) -> String {
        let size = data.count == 1 ? "1 byte" : "\(data.count) bytes"
        let shown = data.prefix(shownBytes)
        let isText = !data.isEmpty && data.allSatisfy { (0x20..<0x7F).contains($0) }
        if isText { return "data of \(size) \"\(String(decoding: shown, as: UTF8.self))\"" }
        return "data of \(size) <\(shown.map(hexadecimal).joined())>"
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16)
        return byte < 0x10 ? "0" + digits : digits
    }

    private static func describe(_ members: [String: Any]) -> String {
        let sorted = members.sorted { $0.key < $1.key }
        return "{" + sorted.map { "\($0.key): \(describe($0.value))" }.joined(separator: ", ") + "}"
    }

    private static let shownBytes = 64

    private static let dateStyle = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}

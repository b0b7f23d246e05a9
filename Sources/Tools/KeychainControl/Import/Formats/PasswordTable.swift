// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import KeychainCore

/// Passwords as a table of comma-separated values, with the attributes that most of them have.
enum PasswordTable {
    private static let columns: [(name: String, attribute: AttributeName?)] = [
        ("class", nil), ("service", nil), ("account", .account), ("password", nil), ("label", .label),
        ("comment", "icmt"), ("description", "desc"), ("protocol", "ptcl"), ("port", "port"), ("path", "path"),
        ("securityDomain", "sdmn"), ("authenticationType", "atyp"), ("accessGroup", .accessGroup),
        ("accessible", .accessible), ("synchronizable", .synchronizable),
    ]

    /// Whether a header is that of the table.
    static func isHeader(_ header: [String]) -> Bool { header == columns.map(\.name) }

    /// A table of items.
    ///
    /// - Returns: The text, and what it has not.
    static func text(_ items: [ExportedItem]) -> (text: String, leftOut: [(item: ExportedItem, reason: String)]) {
        var records = [columns.map(\.name)]
        var leftOut: [(item: ExportedItem, reason: String)] = []
        for item in items {
            do throws(Refusal) { records.append(try record(item)) } catch { leftOut.append((item, "\(error)")) }
        }
        return (CSVTable.text(records), leftOut)
    }

    private static func record(_ item: ExportedItem) throws(Refusal) -> [String] {
        guard let password = item.secret.withUnsafeBytes({ String(validating: $0, as: UTF8.self) }) else {
            throw Refusal("its password is not UTF-8")
        }
        guard item.lookup == nil else { throw Refusal("it has attributes of the Secret Service") }
        var rest = item.attributes
        let service = item.entry.passwordClass.service
        let record = try columns.map { (column) throws(Refusal) -> String in
            switch column.name {
            case "class": return item.entry.passwordClass.rawValue
            case "password": return password
            case "synchronizable":
                rest[AttributeName.synchronizable.description] = nil
                return item.entry.isSynchronizable ? "yes" : ""
            default: break
            }
            let attribute = column.attribute ?? service
            switch rest.removeValue(forKey: attribute.description) {
            case nil: return ""
            case .string(let text)?: return text
            case .boolean(let flag)?: return flag ? "yes" : "no"
            case .number(.integer(let number))?: return "\(number)"
            default: throw Refusal("its attribute '\(attribute)' is not text")
            }
        }
        guard rest.isEmpty else {
            throw Refusal("it has more attributes: \(rest.keys.sorted().joined(separator: ", "))")
        }
        return record
    }

    /// The items of a table whose header was checked.
    static func file(_ table: CSVTable) throws(Refusal) -> ImportedPasswords {
        guard isHeader(table.header) else { throw LoginTable.unknown(table.header) }
        var file = ImportedPasswords()
        for row in table.rows {
            let place = "line \(row.line)"
            guard let passwordClass = PasswordClass(rawValue: row.fields[0]) else {
                file.refused.append((place, "it is of no class that is known"))
                continue
            }
            var item = ImportedItem(
                service: row.fields[1],
                account: row.fields[2],
                secret: SecretBytes(Array(row.fields[3].utf8)),
                place: place
            )
            item.itemClass = passwordClass.itemClass
            for (column, value) in zip(columns, row.fields).dropFirst(4) {
                guard let attribute = column.attribute, !value.isEmpty else { continue }
                switch attribute {
                case .synchronizable: item.attributes[attribute] = .boolean(value == "yes")
                case "port": item.attributes[attribute] = Int64(value).map { .number(.integer($0)) } ?? .string(value)
                default: item.attributes[attribute] = .string(value)
                }
            }
            file.items.append(item)
        }
        return file
    }
}

// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import KeychainCore

/// A password as lists and JSON show it, without its secret.
extension CredentialStore.Entry {
    var passwordClass: PasswordClass { PasswordClass(itemClass) ?? .generic }

    /// The service of a generic password, the server of an internet password.
    var service: String { text(passwordClass.service) ?? "" }

    var account: String { text(.account) ?? "" }

    var accessGroup: String { text(.accessGroup) ?? "" }

    /// The name that means it on a command line.
    var name: String { account.isEmpty ? service : "\(service)/\(account)" }

    var isSynchronizable: Bool {
        switch attributes[AttributeName.synchronizable.description] {
        case .boolean(let flag)?: flag
        case .number(let number)?: number.exactInteger == 1
        default: false
        }
    }

    private var accessibility: Accessibility? { text(.accessible).flatMap(Accessibility.init(rawValue:)) }

    /// The choice that means this item, or the fewest others.
    var choice: ItemChoice {
        ItemChoice(service: service, account: account, itemClass: itemClass, group: accessGroup)
    }

    /// What tells it from others of its name.
    var distinction: String {
        var parts = ["service '\(service.printable)'", "account '\(account.printable)'", passwordClass.rawValue]
        parts.append("group '\(accessGroup.printable)'")
        if let address { parts.append("at \(address.printable)") }
        if isSynchronizable { parts.append("synchronizable") }
        return parts.joined(separator: ", ")
    }

    /// Protocol, port and path of an internet password, if it has some.
    private var address: String? {
        guard itemClass == .internetPassword else { return nil }
        var text = text("ptcl").flatMap { $0.isEmpty ? nil : ServerAddress.scheme(ofCode: $0) ?? $0 } ?? ""
        if number("port") != 0 { text += ":\(number("port"))" }
        if let path = self.text("path"), !path.isEmpty { text += path.hasPrefix("/") ? path : "/\(path)" }
        return text.isEmpty ? nil : text
    }

    /// The cells of a list: name, class and address, group, day of the last change.
    var cells: [String] {
        let day = date(.modificationDate).map { String(TimeText.text($0).prefix(10)) } ?? ""
        let place = address.map { "\(passwordClass.rawValue) \($0)" } ?? passwordClass.rawValue
        return [name, place, accessGroup, day].map(\.printable)
    }

    /// The attributes that have values, with their names.
    var rows: [(name: String, value: String)] {
        let texts: [(String, String?)] = [
            ("Service", service), ("Account", account), ("Label", text(.label)), ("Kind", text("desc")),
            ("Comment", text("icmt")), ("Address", address), ("Class", passwordClass.rawValue),
            ("Group", accessGroup), ("Readable", accessibility?.constantName),
            ("Synchronizable", isSynchronizable ? "yes" : "no"),
            ("Created", date(.creationDate).map(TimeText.text)),
            ("Changed", date(.modificationDate).map(TimeText.text)),
            ("Reference", SecretReference(choice).text),
        ]
        return texts.compactMap { name, value in
            guard let value, !value.isEmpty else { return nil }
            return (name, value.printable)
        }
    }

    /// The members of its JSON object.
    var json: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "class": .string(passwordClass.rawValue), "service": .string(service), "account": .string(account),
            "accessGroup": .string(accessGroup), "synchronizable": .boolean(isSynchronizable),
            "reference": .string(SecretReference(choice).text),
        ]
        let texts: [(String, String?)] = [
            ("label", text(.label)), ("description", text("desc")), ("comment", text("icmt")),
            ("accessible", accessibility?.constantName), ("created", date(.creationDate).map(TimeText.text)),
            ("modified", date(.modificationDate).map(TimeText.text)),
        ]
        for (name, value) in texts where value?.isEmpty == false { members[name] = value.map { .string($0) } }
        guard itemClass == .internetPassword else { return members }
        if let code = text("ptcl"), !code.isEmpty {
            members["protocol"] = .string(ServerAddress.scheme(ofCode: code) ?? code)
        }
        if let path = text("path"), !path.isEmpty { members["path"] = .string(path) }
        if number("port") != 0 { members["port"] = .integer(Int(number("port"))) }
        return members
    }
}

/// Rows of cells.
enum TextTable {
    /// Lines of aligned columns for a terminal, else of cells with a tab between them.
    static func text(_ rows: [[String]], isAligned: Bool) -> String {
        guard isAligned else { return rows.map { $0.joined(separator: "\t") }.joined(separator: "\n") }
        var widths: [Int] = []
        for row in rows {
            for (column, cell) in row.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], cell.count)
            }
        }
        let lines = rows.map { row in
            row.enumerated().map { column, cell in
                column == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[column] - cell.count + 2)
            }.joined()
        }
        return lines.joined(separator: "\n")
    }
}

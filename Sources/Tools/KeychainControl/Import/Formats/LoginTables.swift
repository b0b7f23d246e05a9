// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Tables of logins, as password managers and browsers write them, by their headers.
struct LoginTable: Sendable {
    let format: ImportFormat

    /// Names of columns in lower case, all of which and no others are there; those after the first `required` ones may
    /// be missing at the end.
    let columns: [String]
    let required: Int

    static let all: [LoginTable] = [
        LoginTable(format: .chromiumCSV, columns: ["name", "url", "username", "password", "note"], required: 4),
        LoginTable(
            format: .firefoxCSV,
            columns: [
                "url", "username", "password", "httprealm", "formactionorigin", "guid", "timecreated", "timelastused",
                "timepasswordchanged",
            ],
            required: 9
        ),
        LoginTable(
            format: .onePasswordCSV,
            columns: ["title", "url", "username", "password", "otpauth", "favorite", "archived", "tags", "notes"],
            required: 9
        ),
        LoginTable(
            format: .appleCSV,
            columns: ["title", "url", "username", "password", "notes", "otpauth"],
            required: 4
        ),
        LoginTable(
            format: .keepassCSV,
            columns: [
                "group", "title", "username", "password", "url", "notes", "totp", "icon", "last modified", "created",
            ],
            required: 6
        ),
    ]

    /// Whether a header is that of the table.
    func isHeader(_ header: [String]) -> Bool {
        header.count >= required && header.map { $0.lowercased() }.elementsEqual(columns.prefix(header.count))
    }

    /// What is said of a header that no table has.
    static func unknown(_ header: [String]) -> Refusal {
        let names = header.map { $0.lowercased() }
        if names.contains("login_uri"), names.contains("login_password") {
            return Refusal("this is a CSV of Bitwarden, which lacks a part of each entry; export as JSON there")
        }
        // A table without a header begins with secrets.
        guard !names.filter(common.contains).isEmpty else {
            return Refusal("the first line has \(Count.text(header.count, "column")), and none with a known name")
        }
        let shown = header.prefix(20).map { $0.shortened(toBytes: 40).printable }.joined(separator: ", ")
        return Refusal("no known program writes a table with these columns: \(shown)")
    }

    /// Names of columns that tell a header from a record.
    private static let common: Set<String> = ["password", "username", "url", "login_password", "title", "website"]

    /// Columns that have no place here.
    private static let leftOut = [
        "formactionorigin": "form address", "guid": "identifier of the browser", "timecreated": "time",
        "timelastused": "time", "timepasswordchanged": "time", "favorite": "mark as favorite",
        "archived": "mark as archived", "tags": "list of tags", "group": "group", "icon": "icon",
        "last modified": "time", "created": "time",
    ]

    /// The logins of a table whose header was checked.
    func file(_ table: CSVTable) -> ImportedPasswords {
        var file = ImportedPasswords()
        for row in table.rows {
            var login = ImportedLogin(place: "line \(row.line)")
            for (name, value) in zip(columns, row.fields) where !value.isEmpty {
                switch name {
                case "name", "title": login.title = value
                case "url": login.addresses = [value]
                case "username": login.user = value
                case "password": login.password = SecretBytes(Array(value.utf8))
                case "note", "notes": login.notes = [value]
                case "otpauth", "totp": login.otp = value
                case "httprealm": login.realm = value
                default: if !["false", "0"].contains(value) { file.leaveOut(Self.leftOut[name] ?? name) }
                }
            }
            login.add(to: &file)
        }
        return file
    }
}

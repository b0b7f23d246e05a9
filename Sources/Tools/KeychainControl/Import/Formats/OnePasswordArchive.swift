// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// An export of 1Password, a ZIP archive with JSON (1PUX, version 3).
enum OnePasswordArchive {
    /// The most bytes of its document.
    static let largestDocument = 256 << 20

    /// The passwords of an archive.
    static func file(_ contents: SecretBytes) throws(Refusal) -> ImportedPasswords {
        let archive = try ZipArchive(contents)
        guard let attributes = try archive.file("export.attributes", atMost: 1 << 20),
            let data = try archive.file("export.data", atMost: largestDocument)
        else { throw Refusal("the archive is no export of 1Password: it has no export.attributes and export.data") }
        let version = try document(attributes)["version"].integer
        guard let version, (1...3).contains(version) else {
            throw Refusal("the export of 1Password has version \(version.map { "\($0)" } ?? "none"), not 1, 2 or 3")
        }
        var file = ImportedPasswords()
        var number = 0
        for account in try document(data)["accounts"].elements ?? [] {
            for vault in account["vaults"].elements ?? [] {
                for element in vault["items"].elements ?? [] {
                    number += 1
                    // Version 1 had each of them in an object, beside its file.
                    let item = element["item"].members == nil ? element : element["item"]
                    add(item, "item \(number)", to: &file)
                }
            }
        }
        file.leaveOut("attachment", archive.names(beginningWith: "files/").filter { !$0.hasSuffix("/") }.count)
        return file
    }

    private static func document(_ bytes: [UInt8]) throws(Refusal) -> JSONValue {
        do { return try JSONParser.parse(bytes, limitsMarks: false) } catch {
            throw Refusal("a document of the archive is no JSON: \(error)")
        }
    }

    private static let kinds = [
        "002": "credit card", "003": "secure note", "004": "identity", "005": "password", "006": "document",
        "114": "SSH key", "112": "API credential", "110": "server", "109": "wireless router", "102": "database",
    ]

    private static func add(_ item: JSONValue, _ place: String, to file: inout ImportedPasswords) {
        let (overview, details) = (item["overview"], item["details"])
        guard item["trashed"].boolean != true else { return file.leaveOut("entry in the trash") }
        guard overview.members != nil else { return file.refused.append((place, "it has no overview")) }
        var login = ImportedLogin(place: place)
        login.title = overview["title"].string ?? ""
        let urls = (overview["urls"].elements ?? []).compactMap { $0["url"].string }
        login.addresses = urls.isEmpty ? [overview["url"].string ?? ""] : urls
        let kind = item["categoryUuid"].string ?? "001"
        if kind != "001" { login.kind = kinds[kind] ?? "category \(kind)" }
        let notes = details["notesPlain"].string ?? ""
        var password = details["password"].string
        for field in details["loginFields"].elements ?? [] {
            let value = field["value"].string ?? ""
            switch field["designation"].string {
            case "username": login.user = value
            case "password": password = value
            default:
                guard !value.isEmpty else { continue }
                let name = field["name"].string ?? field["id"].string ?? "field"
                // A password of a form.
                if field["fieldType"].string == "P" {
                    login.secrets.append((name, value))
                } else {
                    login.notes.append("\(name): \(value)")
                }
            }
        }
        for section in details["sections"].elements ?? [] {
            for field in section["fields"].elements ?? [] { add(field, to: &login, &password) }
        }
        if kind == "003", password == nil {
            login.password = SecretBytes(Array(notes.utf8))
        } else {
            login.password = SecretBytes(Array((password ?? "").utf8))
            login.notes.insert(notes, at: 0)
        }
        file.leaveOut("former password", details["passwordHistory"].elements?.count ?? 0)
        file.leaveOut("time", ["createdAt", "updatedAt"].count { item[$0].number != nil })
        file.leaveOut("tag", overview["tags"].elements?.count ?? 0)
        if item["state"].string == "archived" { file.leaveOut("mark as archived") }
        if (item["favIndex"].integer ?? 0) > 0 { file.leaveOut("mark as favorite") }
        login.add(to: &file)
    }

    private static func add(_ field: JSONValue, to login: inout ImportedLogin, _ password: inout String?) {
        let title = field["title"].string ?? ""
        let name = title.isEmpty ? field["id"].string ?? "field" : title
        guard let (type, value) = field["value"].members?.first else { return }
        let text = value.string ?? (value == .null ? "" : value.text)
        guard !text.isEmpty else { return }
        switch type {
        case "totp":
            if login.otp.isEmpty { login.otp = text } else { login.secrets.append((name, text)) }
        case "string", "url", "phone", "menu", "date", "monthYear", "month", "address", "gender", "reference":
            login.notes.append("\(name): \(text)")
        case "creditCardType": login.notes.append("\(name): \(text)")
        // The archive has it beside the document, where it is counted.
        case "file": break
        case "sshKey": login.secrets.append((name, value["privateKey"].string ?? text))
        case "email": login.notes.append("\(name): \(value["email_address"].string ?? text)")
        // What is concealed, and what is not known.
        default:
            if name == "password", password == nil { password = text } else { login.secrets.append((name, text)) }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// An unencrypted export of Bitwarden and Vaultwarden in JSON.
enum BitwardenExport {
    /// The passwords of a document.
    static func file(_ document: JSONValue) throws(Refusal) -> ImportedPasswords {
        guard let items = document["items"].elements else { throw Refusal("the export has no items") }
        var file = ImportedPasswords()
        for (number, item) in zip(1..., items) { add(item, "item \(number)", to: &file) }
        return file
    }

    private static let kinds = [2: "secure note", 3: "card", 4: "identity", 5: "SSH key"]

    private static func add(_ item: JSONValue, _ place: String, to file: inout ImportedPasswords) {
        guard item["deletedDate"].string == nil else { return file.leaveOut("entry in the trash") }
        guard let type = item["type"].integer else {
            return file.refused.append((place, "it has no type"))
        }
        var login = ImportedLogin(place: place)
        login.title = item["name"].string ?? ""
        let notes = item["notes"].string ?? ""
        switch type {
        case 1:
            login.notes = [notes]
            let values = item["login"]
            login.user = values["username"].string ?? ""
            login.password = SecretBytes(Array((values["password"].string ?? "").utf8))
            login.otp = values["totp"].string ?? ""
            login.addresses = (values["uris"].elements ?? []).compactMap { $0["uri"].string }
            file.leaveOut("passkey", values["fido2Credentials"].elements?.count ?? 0)
        case 2:
            login.kind = kinds[2]
            login.password = SecretBytes(Array(notes.utf8))
        case 3...5:
            login.kind = kinds[type]
            login.notes = [notes]
            // Every part of it, as it is there.
            let values = item[["card", "identity", "sshKey"][type - 3]]
            login.password = SecretBytes(Array(values.indentedText.utf8))
        default: return file.refused.append((place, "Bitwarden's type \(type) is not known"))
        }
        for field in item["fields"].elements ?? [] {
            let name = field["name"].string ?? ""
            switch (field["type"].integer, field["value"]) {
            // A hidden one.
            case (1, .string(let value)): login.secrets.append((name.isEmpty ? "hidden" : name, value))
            case (3, _): file.leaveOut("linked field")
            case (_, .string(let value)): login.notes.append("\(name): \(value)")
            default: break
            }
        }
        file.leaveOut("former password", item["passwordHistory"].elements?.count ?? 0)
        file.leaveOut("attachment", item["attachments"].elements?.count ?? 0)
        file.leaveOut("time", ["creationDate", "revisionDate"].count { item[$0].string != nil })
        if item["folderId"].string != nil { file.leaveOut("folder") }
        if item["collectionIds"].elements?.isEmpty == false { file.leaveOut("collection") }
        if item["favorite"].boolean == true { file.leaveOut("mark as favorite") }
        if item["reprompt"].integer == 1 { file.leaveOut("demand of the master password") }
        login.add(to: &file)
    }
}

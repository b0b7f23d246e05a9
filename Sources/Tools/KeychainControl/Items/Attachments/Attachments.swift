// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import KeychainCore

/// What belongs to one password; no secret of it is opened.
struct Attachments: Sendable {
    private(set) var note: CredentialStore.Entry?
    private(set) var expiry: CredentialStore.Entry?
    private(set) var expires: Timestamp?

    /// The files, in the order of their names.
    private(set) var files: [(name: String, entry: CredentialStore.Entry)] = []

    /// All items of it.
    var entries: [CredentialStore.Entry] { [note, expiry].compactMap(\.self) + files.map(\.entry) }

    /// What it is, in words.
    var parts: [String] {
        var parts: [String] = []
        if note != nil { parts.append("note") }
        if !files.isEmpty { parts.append(Count.text(files.count, "file")) }
        if let expires { parts.append("expires \(TimeText.day(expires))") }
        return parts
    }

    /// The same behind a password; empty if there is nothing.
    var remark: String { parts.isEmpty ? "" : ", with \(parts.joined(separator: ", "))" }

    /// The item of a kind.
    func entry(_ kind: AttachmentKind) -> CredentialStore.Entry? {
        switch kind {
        case .note: note
        case .expiry: expiry
        case .file(let name): files.first { $0.name.hasSameBytes(as: name) }?.entry
        }
    }

    /// Takes an item in.
    mutating func insert(_ item: Attachment) {
        switch item.kind {
        case .note: note = item.entry
        case .expiry: (expiry, expires) = (item.entry, item.expires)
        case .file(let name):
            let place = files.firstIndex { name < $0.name } ?? files.endIndex
            files.insert((name, item.entry), at: place)
        }
    }

    /// The attributes that a command shows, with their names.
    var rows: [(name: String, value: String)] {
        var rows: [(String, String)] = []
        if let expires { rows.append(("Expires", TimeText.text(expires))) }
        if note != nil { rows.append(("Note", "yes")) }
        if !files.isEmpty { rows.append(("Attachments", files.map(\.name.printable).joined(separator: ", "))) }
        return rows
    }

    /// The members of a JSON object.
    var json: [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        if let expires { members["expires"] = .string(TimeText.text(expires)) }
        if note != nil { members["note"] = .boolean(true) }
        if !files.isEmpty { members["attachments"] = .strings(files.map(\.name)) }
        return members
    }
}

/// An item that belongs to a password, which need not be there.
struct Attachment: Sendable {
    let owner: AttachmentOwner
    let kind: AttachmentKind
    let entry: CredentialStore.Entry

    /// When the password expires, if it says that.
    let expires: Timestamp?

    /// The attribute with the time, in the form of RFC 3339.
    static let time: AttributeName = "icmt"

    /// An item of that naming; `nil` for an ordinary one.
    init?(_ entry: CredentialStore.Entry) {
        guard entry.itemClass == .genericPassword, let service = entry.text(.service),
            let owner = AttachmentOwner(service: service),
            let kind = entry.text(.account).flatMap(AttachmentKind.init(account:))
        else { return nil }
        (self.owner, self.kind, self.entry) = (owner, kind, entry)
        expires = kind == .expiry ? entry.text(Self.time).flatMap(InternetTime.seconds).map(Timestamp.init(unix:)) : nil
        // One without a date is not hidden behind its password.
        guard kind != .expiry || expires != nil else { return nil }
    }

    /// Where its password is: what has the same belongs together.
    fileprivate var place: AttachmentPlace {
        AttachmentPlace(service: owner.service, group: entry.accessGroup, isSynchronizable: entry.isSynchronizable)
    }
}

/// The password that items belong to, by bytes: the service has no others than those of ASCII.
private struct AttachmentPlace: Hashable {
    let service: String
    let group: [UInt8]
    let isSynchronizable: Bool

    init(service: String, group: String, isSynchronizable: Bool) {
        (self.service, self.group, self.isSynchronizable) = (service, Array(group.utf8), isSynchronizable)
    }
}

/// A password as lists have it, with what belongs to it.
struct ListedPassword: Sendable {
    let entry: CredentialStore.Entry
    var attachments = Attachments()

    /// The password that this belonged to, and that is gone.
    var lost: AttachmentOwner?

    /// What is searched; the first counts most.
    var searchedTexts: [String] {
        [entry.name, entry.text(.label), entry.text("icmt")].compactMap(\.self) + attachments.files.map(\.name)
    }

    /// The cells of a list: name, class and address, group, day of the last change.
    var cells: [String] {
        var cells = entry.cells
        var parts = attachments.parts
        if let lost {
            parts = ["left of \(CredentialStore.Entry.name(lost.choice.service, lost.choice.account ?? ""))".printable]
        }
        if !parts.isEmpty { cells[1] += " (\(parts.joined(separator: ", ")))" }
        return cells
    }

    /// The members of its JSON object.
    var json: [String: JSONValue] { entry.json.merging(attachments.json) { $1 } }

    /// Passwords, each with what belongs to it; what belongs to none is at the end.
    ///
    /// - Parameters:
    ///   - entries: all items of the access groups that are listed.
    ///   - all: whether what belongs to a password is listed by itself, too.
    /// - Returns: The passwords, in their order.
    static func from(_ entries: [CredentialStore.Entry], all: Bool = false) -> [ListedPassword] {
        var (places, services): ([AttachmentPlace: [Attachment]], Set<String>) = ([:], [])
        var passwords: [ListedPassword] = []
        for entry in entries {
            guard let attachment = Attachment(entry) else {
                passwords.append(ListedPassword(entry: entry))
                continue
            }
            places[attachment.place, default: []].append(attachment)
            services.insert(attachment.owner.choice.service)
        }
        guard !places.isEmpty else { return passwords }
        let attached = places.values.flatMap(\.self)
        for index in passwords.indices where services.contains(passwords[index].entry.service) {
            let entry = passwords[index].entry
            guard let owner = AttachmentOwner(entry) else { continue }
            let place = AttachmentPlace(
                service: owner.service,
                group: entry.accessGroup,
                isSynchronizable: entry.isSynchronizable
            )
            for attachment in places.removeValue(forKey: place) ?? [] {
                passwords[index].attachments.insert(attachment)
            }
        }
        let left = Set(places.keys)
        for attachment in attached where all || left.contains(attachment.place) {
            let lost = left.contains(attachment.place) ? attachment.owner : nil
            passwords.append(ListedPassword(entry: attachment.entry, lost: lost))
        }
        return passwords
    }
}

// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import KeychainCore

/// The password that something belongs to, as the service of that names it: `swift-keychain.attached:REFERENCE`.
///
/// The reference has the class and the primary key of the password, but for access group and synchronizability. Those
/// are the same for both.
struct AttachmentOwner: Sendable {
    /// Class and primary key, without access group and synchronizability.
    let choice: ItemChoice

    /// The service of what belongs to it.
    var service: String { Self.prefix + SecretReference(choice).text }

    private static let prefix = "swift-keychain.attached:"

    private init(_ choice: ItemChoice) {
        var choice = choice
        (choice.group, choice.isSynchronizable) = (nil, nil)
        self.choice = choice
    }

    /// A password; `nil` for one that has no reference.
    init?(_ entry: CredentialStore.Entry) {
        guard entry.hasReference else { return nil }
        self.init(entry.choice)
    }

    /// A password that gets another name.
    init?(_ entry: CredentialStore.Entry, service: String, account: String) {
        guard entry.hasReference else { return nil }
        self.init(entry.choice.with(service: service, account: account))
    }

    /// The one that a service names; `nil` for the service of an ordinary item.
    init?(service: String) {
        guard service.utf8.starts(with: Self.prefix.utf8),
            let reference = try? SecretReference(String(service.utf8.dropFirst(Self.prefix.utf8.count)) ?? ""),
            reference.field == .password, reference.choice.itemClass != nil, reference.choice.account != nil
        else { return nil }
        self.init(reference.choice)
        // Only the text that is searched for: anything else would be hidden, and not found.
        guard self.service.hasSameBytes(as: service) else { return nil }
    }

    /// Whether a command may mean it.
    func isMeant(by choice: ItemChoice, group: String, isSynchronizable: Bool) -> Bool {
        choice.service.hasSameBytes(as: self.choice.service)
            && choice.account.map { $0.hasSameBytes(as: self.choice.account ?? "") } ?? true
            && choice.itemClass.map { $0 == self.choice.itemClass } ?? true
            && choice.group.map { $0.hasSameBytes(as: group) } ?? true
            && choice.isSynchronizable.map { $0 == isSynchronizable } ?? true
            && choice.address.allSatisfy { self.choice.address[$0] == $0.normalized($1) }
    }
}

/// What belongs to a password; its account has the kind.
enum AttachmentKind: Hashable, Sendable {
    case note
    case expiry
    case file(String)

    private static let filePrefix = "file/"

    /// The account of the item.
    var account: String {
        switch self {
        case .note: "note"
        case .expiry: "expiry"
        case .file(let name): Self.filePrefix + name
        }
    }

    /// What the item is called by programs that show labels.
    var label: String {
        switch self {
        case .note: "Note"
        case .expiry: "Expires"
        case .file(let name): name
        }
    }

    /// The kind of an account; `nil` for that of an ordinary item.
    init?(account: String) {
        switch account {
        case "note": self = .note
        case "expiry": self = .expiry
        default:
            guard account.utf8.starts(with: Self.filePrefix.utf8),
                let name = String(account.utf8.dropFirst(Self.filePrefix.utf8.count)), Self.isFileName(name)
            else { return nil }
            self = .file(name)
        }
    }

    /// Whether a text can be the name of a file beside a password: that of a file in some folder.
    static func isFileName(_ name: String) -> Bool {
        !["", ".", ".."].contains(name) && name.utf8.count <= 255
            && !name.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "/") }
    }

    /// The most bytes of a note or a file.
    static let largestByteCount = 1 << 20
}

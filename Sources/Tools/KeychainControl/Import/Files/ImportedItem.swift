// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import KeychainCore

/// A password of a file, as the keychain will have it.
struct ImportedItem: Sendable {
    var itemClass = ItemClass.genericPassword

    /// The service, or the server of an internet password.
    var service: String

    var account: String

    var secret: SecretBytes

    /// Further attributes.
    var attributes: [AttributeName: PropertyValue] = [:]

    /// What programs of the Secret Service find it by, where it has such attributes of its own.
    var lookup: LookupRecord?

    /// Where the file has it, such as "line 3"; never a part of a secret.
    var place: String

    /// What it is in a list of people.
    var line: String { "\(CredentialStore.Entry.name(service, account).printable) (\(place.printable))" }

    /// The access group that it names itself.
    var group: String? {
        get { if case .string(let group)? = attributes[.accessGroup] { group } else { nil } }
        set { attributes[.accessGroup] = newValue.map { .string($0) } }
    }

    /// Everything that an add stores, besides secret and lookup attributes.
    var allAttributes: [AttributeName: PropertyValue] {
        var all = attributes
        let name = PasswordClass(itemClass)?.service ?? .service
        if all[name] == nil { all[name] = .string(service) }
        if all[.account] == nil { all[.account] = .string(account) }
        return all
    }
}

/// What a file has.
struct ImportedPasswords: Sendable {
    var items: [ImportedItem] = []

    /// What cannot be taken, with the reason.
    var refused: [(place: String, reason: String)] = []

    /// What has no place in the keychain, with how often it was there: no secret is among it.
    var leftOut: [String: Int] = [:]

    /// Counts something that has no place.
    mutating func leaveOut(_ what: String, _ count: Int = 1) {
        if count > 0 { leftOut[what, default: 0] += count }
    }
}

/// An entry of a password manager, which becomes an item, and further ones for its further secrets.
struct ImportedLogin {
    var title = ""
    var addresses: [String] = []
    var user = ""
    var password = SecretBytes()
    var notes: [String] = []
    /// A key for one-time passwords.
    var otp = ""
    /// Further secrets, by name.
    var secrets: [(name: String, value: String)] = []
    /// What it is, such as "secure note".
    var kind: String?
    /// The realm of HTTP's own authentication.
    var realm = ""
    var place: String

    init(place: String) { self.place = place }

    /// Adds what it becomes to what a file has.
    func add(to file: inout ImportedPasswords) {
        var comment = notes.filter { !$0.isEmpty }
        var item = ImportedItem(service: title, account: user, secret: password, place: place)
        let addresses = addresses.filter { !$0.isEmpty }
        var rest = addresses[...]
        if let first = addresses.first, let address = WebAddress(first) {
            item.itemClass = .internetPassword
            item.service = address.server.server
            item.attributes = address.server.attributes
            if !realm.isEmpty { item.attributes["sdmn"] = .string(realm) }
            if address.isWhole { rest = rest.dropFirst() }
        } else if title.isEmpty, let first = rest.popFirst() {
            item.service = first
        }
        comment += rest.map { "URL: \($0)" }
        guard !item.service.isEmpty || !user.isEmpty else {
            return file.refused.append((place, "it has neither a title, an address nor a user"))
        }
        item.attributes[.label] = .string(title.isEmpty ? item.service : title)
        if !comment.isEmpty { item.attributes["icmt"] = .string(comment.joined(separator: "\n")) }
        if let kind { item.attributes["desc"] = .string(kind) }
        file.items.append(item)
        let further = (otp.isEmpty ? [] : [(name: Self.otpName, value: otp)]) + secrets
        for secret in further {
            var more = ImportedItem(
                service: "\(title.isEmpty ? item.service : title) (\(secret.name))",
                account: user,
                secret: SecretBytes(Array(secret.value.utf8)),
                place: place
            )
            more.attributes[.label] = .string(more.service)
            if secret.name == Self.otpName { more.attributes["desc"] = .string("one-time password") }
            file.items.append(more)
        }
    }

    /// What the name of an item with a key for one-time passwords ends with.
    static let otpName = "otp"
}

/// The address of a web site, as password managers store it.
struct WebAddress {
    let server: ServerAddress

    /// Whether the address says nothing that the attributes do not have.
    let isWhole: Bool

    /// Reads `https://user@host:port/path?query`; `nil` for an address without a host, or of a scheme without a code.
    init?(_ text: String) {
        // By bytes: with a combining mark behind it, a slash is a part of another character.
        let bytes = Array(text.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else {
            return nil
        }
        let scheme = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
        guard ServerAddress.code(ofScheme: scheme) != nil else { return nil }
        let rest = bytes[(colon + 3)...]
        let end = rest.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
        let authority = rest[..<end]
        let host = authority.lastIndex(of: UInt8(ascii: "@")).map { authority[($0 + 1)...] } ?? authority
        guard let (name, port) = ServerAddress.hostAndPort(String(decoding: host, as: UTF8.self)) else { return nil }
        let server = ServerAddress(scheme: scheme, host: name.lowercased())
        self.server = ServerAddress(
            scheme: scheme,
            host: name.lowercased(),
            port: port.flatMap { Int64($0) == server.defaultPort ? nil : $0 }
        )
        isWhole = host.count == authority.count && [[], [UInt8(ascii: "/")]].contains(Array(rest[end...]))
    }
}

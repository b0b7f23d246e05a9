// SPDX-License-Identifier: Apache-2.0

/// An item of a backup by its attributes, without its secret.
package struct BackedUpItem: Sendable, Hashable {
    /// Its class.
    package let itemClass: ItemClass

    /// Its identifier, which is that of the item in the keychain.
    package let identifier: ItemIdentifier

    /// The service of a generic password, the server of an internet password, else the label; empty if there is none.
    package let service: String

    /// The account; empty if there is none, as for certificates and keys.
    package let account: String

    /// The access group.
    package let accessGroup: String

    /// When it can be read.
    package let accessibility: Accessibility?

    /// When it was created.
    package let created: Timestamp?

    /// When it was changed last.
    package let modified: Timestamp?

    /// The longest text of one of these, in characters: more is cut off.
    package static let longestText = 1_024

    /// An item.
    package init(
        itemClass: ItemClass,
        identifier: ItemIdentifier,
        service: String,
        account: String,
        accessGroup: String,
        accessibility: Accessibility?,
        created: Timestamp?,
        modified: Timestamp?
    ) {
        self.itemClass = itemClass
        self.identifier = identifier
        self.service = service
        self.account = account
        self.accessGroup = accessGroup
        self.accessibility = accessibility
        self.created = created
        self.modified = modified
    }

    /// The item of stored attributes.
    package init(_ itemClass: ItemClass, _ identifier: ItemIdentifier, attributes: Attributes) {
        func text(_ name: AttributeName) -> String {
            switch attributes[name] {
            case .string(let text)?: String(text.prefix(Self.longestText))
            case .data(let bytes)?: String(decoding: bytes.prefix(Self.longestText), as: UTF8.self)
            default: ""
            }
        }
        func date(_ name: AttributeName) -> Timestamp? {
            if case .date(let date)? = attributes[name] { date } else { nil }
        }
        let service: AttributeName =
            switch itemClass {
            case .genericPassword: "svce"
            case .internetPassword: "srvr"
            case .certificate, .key, .identity: "labl"
            }
        self.init(
            itemClass: itemClass,
            identifier: identifier,
            service: text(service),
            account: [.genericPassword, .internetPassword].contains(itemClass) ? text(.account) : "",
            accessGroup: text(.accessGroup),
            accessibility: Accessibility(rawValue: text(.accessible)),
            created: date(.creationDate),
            modified: date(.modificationDate)
        )
    }

    /// Service and account, as a person names the item: `SERVICE/ACCOUNT`, and the service alone without an account.
    package var name: String { account.isEmpty ? service : "\(service)/\(account)" }
}

// SPDX-License-Identifier: Apache-2.0

/// An item that a search by lookup attributes found.
package struct LookupMatch: Sendable, Hashable {
    /// Which item.
    package var identifier: ItemIdentifier
    /// Whether its secret cannot be read now: the device is locked, or the owner has to authenticate.
    package var isLocked: Bool

    /// A match.
    package init(_ identifier: ItemIdentifier, isLocked: Bool) {
        self.identifier = identifier
        self.isLocked = isLocked
    }
}

/// What a program of the Secret Service sees of an item without its secret.
package struct LookupItem: Sendable, Hashable {
    /// Which item.
    package var identifier: ItemIdentifier
    /// Whether its secret cannot be read now.
    package var isLocked: Bool
    /// Its lookup attributes, or those derived from its columns; empty if they cannot be read now.
    package var attributes: LookupAttributes
    /// Its label; empty if it cannot be read now.
    package var label: String
    /// When it was created; `nil` if that cannot be read now.
    package var created: Timestamp?
    /// When it was last changed; `nil` if that cannot be read now.
    package var modified: Timestamp?

    /// An item.
    package init(
        _ identifier: ItemIdentifier,
        isLocked: Bool,
        attributes: LookupAttributes = LookupAttributes(),
        label: String = "",
        created: Timestamp? = nil,
        modified: Timestamp? = nil
    ) {
        self.identifier = identifier
        self.isLocked = isLocked
        self.attributes = attributes
        self.label = label
        self.created = created
        self.modified = modified
    }
}

/// The secret of an item.
package struct LookupSecret: Sendable, Hashable {
    /// Which item.
    package var identifier: ItemIdentifier
    /// The secret.
    package var secret: SecretBytes
    /// The content type that was stored with it, or one that fits its bytes.
    package var contentType: String

    /// A secret.
    package init(_ identifier: ItemIdentifier, _ secret: SecretBytes, contentType: String) {
        self.identifier = identifier
        self.secret = secret
        self.contentType = contentType
    }
}

/// What a program of the Secret Service stores.
package struct LookupContents: Sendable, Hashable {
    /// The lookup attributes.
    package var attributes: LookupAttributes
    /// The label.
    package var label: String
    /// The secret.
    package var secret: SecretBytes
    /// The content type of the secret, which is kept as it is.
    package var contentType: String
    /// When a new item was created; `nil` for now.
    package var created: Timestamp?
    /// When a new item was last changed; `nil` for now.
    package var modified: Timestamp?

    /// Contents.
    package init(
        attributes: LookupAttributes,
        label: String,
        secret: SecretBytes,
        contentType: String,
        created: Timestamp? = nil,
        modified: Timestamp? = nil
    ) {
        self.attributes = attributes
        self.label = label
        self.secret = secret
        self.contentType = contentType
        self.created = created
        self.modified = modified
    }
}

/// A change of one item.
package enum LookupChange: Sendable, Hashable {
    /// Another secret, with its content type.
    case secret(SecretBytes, contentType: String)
    /// Another label.
    case label(String)
    /// Other lookup attributes, which replace all of them.
    case attributes(LookupAttributes)
}

/// What was stored.
package struct LookupStored: Sendable, Hashable {
    /// Which item.
    package var identifier: ItemIdentifier
    /// Whether the item is new, instead of one that was replaced.
    package var isNew: Bool

    /// An item that was stored.
    package init(_ identifier: ItemIdentifier, isNew: Bool) {
        self.identifier = identifier
        self.isNew = isNew
    }
}

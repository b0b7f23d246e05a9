// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The attributes of an item, the secret excepted.
public struct ItemAttributes: Sendable, Hashable {
    /// The primary key, with the item's access group.
    public var key: ItemKey

    /// When the item was added.
    public var creationDate: Date?

    /// When it was last changed.
    public var modificationDate: Date?

    /// In which states of the device it can be read.
    public var accessibility: Protection.Accessibility?

    /// The protection; `nil` if it cannot be determined.
    ///
    /// Apple platforms have no way to read an access control, only to compare it. There, constraints are recognized if
    /// they are among the usual ones, and an item with an access control without constraints is reported as having no
    /// access control.
    public var protection: Protection?

    /// Label, comment and so on.
    public var details: ItemDetails

    /// Attributes.
    public init(
        key: ItemKey,
        creationDate: Date? = nil,
        modificationDate: Date? = nil,
        accessibility: Protection.Accessibility? = nil,
        protection: Protection? = nil,
        details: ItemDetails = .none
    ) {
        self.key = key
        self.creationDate = creationDate
        self.modificationDate = modificationDate
        self.accessibility = accessibility
        self.protection = protection
        self.details = details
    }
}

/// An item that a listing found.
public struct FoundItem<Item: KeychainItem>: Sendable, Hashable {
    /// The item, with its access group.
    public var item: Item

    /// The attributes in the keychain.
    public var attributes: ItemAttributes

    /// Whether it is in the app's default group, which a missing access group refers to.
    public var isInDefaultGroup: Bool

    /// An item with its attributes.
    public init(item: Item, attributes: ItemAttributes, isInDefaultGroup: Bool = false) {
        self.item = item
        self.attributes = attributes
        self.isInDefaultGroup = isInDefaultGroup
    }

    /// Whether this is the item that a name refers to: with the same access group, or with none if it is in the default
    /// one.
    ///
    /// `==` of items compares the names, and the name of a found item always has its group:
    ///
    /// ```swift
    /// let items = try keychain.items(matching: .all(ofService: "com.example.login"))
    /// let isListed = items.contains { $0.isNamed(by: token) }
    /// ```
    public func isNamed(by item: Item) -> Bool {
        self.item == item || isInDefaultGroup && self.item.inAccessGroup(nil) == item
    }
}

// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The attributes of an item, the secret excepted.
public struct ItemAttributes: Sendable, Hashable {
    /// The primary key, with the access group that the item lies in.
    public var key: ItemKey

    /// When the item was added.
    public var creationDate: Date?

    /// When it was last changed.
    public var modificationDate: Date?

    /// In which states of the device it can be read.
    public var accessibility: Protection.Accessibility?

    /// What protects it; `nil` when that cannot be told.
    ///
    /// Apple platforms have no way to read an access control, only to compare it. There, constraints are recognized
    /// when they are among the usual ones, and an item that has an access control with none is told to have no access
    /// control.
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
    /// What names it, with the access group that it lies in.
    public var item: Item

    /// What the keychain says of it.
    public var attributes: ItemAttributes

    /// Whether it lies in the app's default group, which a missing access group stands for.
    public var isInDefaultGroup: Bool

    /// An item with its attributes.
    public init(item: Item, attributes: ItemAttributes, isInDefaultGroup: Bool = false) {
        self.item = item
        self.attributes = attributes
        self.isInDefaultGroup = isInDefaultGroup
    }

    /// Whether this is the item that a name means: with the same access group, or with none where it lies in the
    /// default one.
    ///
    /// `==` of items compares the names, and that of a found item has its group always:
    ///
    /// ```swift
    /// let items = try keychain.items(matching: .all(ofService: "com.example.login"))
    /// let isListed = items.contains { $0.isNamed(by: token) }
    /// ```
    public func isNamed(by item: Item) -> Bool {
        self.item == item || isInDefaultGroup && self.item.inAccessGroup(nil) == item
    }
}

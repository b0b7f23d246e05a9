// SPDX-License-Identifier: Apache-2.0

/// The name of a keychain item: a value whose parts are the primary key of its class.
///
/// The types of this module conform: ``GenericPassword``, ``InternetPassword``, ``KeyItem`` and ``CertificateItem``.
/// Equal values name the same row. A missing access group is the app's default group in every call, reading and
/// deleting included.
public protocol KeychainItem: Hashable, Sendable, CustomStringConvertible {
    /// The whole primary key.
    var key: ItemKey { get }

    /// The item of a primary key; `nil` for a key of another class.
    init?(key: ItemKey)
}

extension KeychainItem {
    /// The access group; `nil` for the app's default group.
    public var accessGroup: String? { key.accessGroup }

    /// Whether the item is in the set that iCloud Keychain synchronizes.
    public var isSynchronizable: Bool { key.isSynchronizable }

    /// The class and the attributes that name the item; nothing secret.
    public var description: String { key.description }

    /// Whether both name the same row.
    public static func == (left: Self, right: Self) -> Bool { left.key == right.key }

    /// Feeds the primary key.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }

    /// The same item in another access group; `nil` means the app's default group.
    public func inAccessGroup(_ accessGroup: String?) -> Self {
        var key = key
        key.accessGroup = accessGroup
        return Self(key: key) ?? self
    }

    /// The same item in the set that is synchronized, or in the local one.
    public func synchronizable(_ isSynchronizable: Bool) -> Self {
        var key = key
        key.isSynchronizable = isSynchronizable
        return Self(key: key) ?? self
    }
}

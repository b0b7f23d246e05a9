// SPDX-License-Identifier: Apache-2.0

/// What is known of a former value of an item without reading it.
package struct FormerValue: Sendable, Hashable {
    /// Which value of the item it is.
    package let identifier: Bytes16

    /// When another value took its place.
    package let replaced: Timestamp

    /// The default access group of the client that replaced it; empty if it had none of its own.
    package let group: String

    /// The number of its bytes.
    package let byteCount: Int

    /// A former value.
    package init(_ identifier: Bytes16, replaced: Timestamp, group: String, byteCount: Int) {
        self.identifier = identifier
        self.replaced = replaced
        self.group = group
        self.byteCount = byteCount
    }
}

/// The former values of an item.
package struct ItemHistory: Sendable, Hashable {
    /// How many former values of the item are kept.
    package var keep: Int

    /// Whether the item has this number of its own, or goes by the one for all items.
    package var isOwn: Bool

    /// Those that are kept, the one that was replaced last first.
    package var values: [FormerValue]

    /// A history.
    package init(keep: Int, isOwn: Bool, values: [FormerValue] = []) {
        self.keep = keep
        self.isOwn = isOwn
        self.values = values
    }

    /// The maximum number of former values of an item.
    package static let maximumCount = 100

    /// The maximum number of bytes of all former values of an item, as they are sealed: older ones give way.
    package static let maximumByteCount = 256 << 10

    /// The maximum number of bytes of a value that is kept: a longer one, such as a file that was stored by mistake,
    /// takes the place of no others.
    package static let maximumValueByteCount = maximumByteCount / 2

    /// The classes whose items have former values: passwords.
    package static let classes: [ItemClass] = [.genericPassword, .internetPassword]
}

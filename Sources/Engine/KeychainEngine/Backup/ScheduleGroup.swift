// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection

/// Tells items of the access group of the secret of scheduled backups, which neither leave a store by a backup nor
/// arrive by one: whoever makes a backup could choose the secret of all later ones.
struct ScheduleGroup {
    private let groups: [ItemClass: AttributeTag]
    private let tags: SearchTags

    init(_ tags: SearchTags) {
        self.tags = tags
        groups = Dictionary(
            ItemClass.stored.compactMap { itemClass in
                Self.tag(itemClass, .string(ScheduledBackup.accessGroup), by: tags).map { (itemClass, $0) }
            },
            uniquingKeysWith: { $1 }
        )
    }

    /// Whether a row is one.
    func has(_ row: StoredRow) -> Bool { groups[row.itemClass].map(row.tags.contains) ?? false }

    /// Whether an item of a backup is one.
    func has(_ item: OpenedBackupRow) -> Bool {
        guard let value = item.attributes[.accessGroup], let group = groups[item.itemClass] else { return false }
        return Self.tag(item.itemClass, value, by: tags) == group
    }

    private static func tag(
        _ itemClass: ItemClass,
        _ group: AttributeValue,
        by tags: SearchTags
    ) -> AttributeTag? {
        tags.tags(ItemSchema.of(itemClass), [.accessGroup: group]).first
    }
}

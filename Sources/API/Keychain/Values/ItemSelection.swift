// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Selects the items of a class for a listing or a deletion of many items.
///
/// None is created by accident: the name of each constructor says how much it selects.
public struct ItemSelection<Item: KeychainItem>: Sendable, Hashable, CustomStringConvertible {
    let itemClass: ItemKey.Class
    var conditions: [String: ItemKey.Value]
    var groups = Groups.every
    var isSynchronizable: Bool?

    /// In which access groups.
    enum Groups: Sendable, Hashable {
        case every
        case defaultGroup
        case named(String)
    }

    init(_ itemClass: ItemKey.Class, _ conditions: [String: ItemKey.Value]) {
        self.itemClass = itemClass
        self.conditions = conditions
    }

    /// Only items in one access group; `nil` means the app's default group.
    ///
    /// Without this, a selection covers every group that the app may use.
    public func inAccessGroup(_ accessGroup: String?) -> Self {
        var selection = self
        selection.groups = accessGroup.map(Groups.named) ?? .defaultGroup
        return selection
    }

    /// Only items that are synchronizable, or only those that are not; without it, both.
    public func synchronizable(_ isSynchronizable: Bool) -> Self {
        var selection = self
        selection.isSynchronizable = isSynchronizable
        return selection
    }

    /// The conditions in words.
    public var description: String {
        let names = PrimaryKeyTable.columns(of: itemClass)
        var parts = names.compactMap { column in conditions[column.name].map { "\(column.title) \($0)" } }
        switch groups {
        case .every: break
        case .defaultGroup: parts.append("the default access group")
        case .named(let accessGroup): parts.append("access group '\(accessGroup)'")
        }
        if let isSynchronizable { parts.append(isSynchronizable ? "synchronizable" : "not synchronizable") }
        return "every \(itemClass.title)" + (parts.isEmpty ? "" : " with \(parts.joined(separator: ", "))")
    }
}

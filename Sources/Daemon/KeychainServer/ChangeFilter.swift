// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The access groups of whose changes a program may be notified.
package struct ChangeFilter: Sendable {
    /// Whether a group is permitted.
    package let contains: @Sendable (String) -> Bool

    /// A filter that permits the groups for which `contains` is true.
    package init(_ contains: @escaping @Sendable (String) -> Bool) { self.contains = contains }

    /// Creates a filter that permits some groups; `*` means every group.
    package init(groups: [String]) {
        let names = Set(groups.map { Array($0.utf8) })
        let hasEvery = groups.contains(Client.everyGroup)
        contains = { hasEvery || names.contains(Array($0.utf8)) }
    }

    /// The permitted part of a notice; `nil` for none.
    func visiblePart(of notice: ChangeNotice) -> ChangeNotice? {
        guard case .changed(let items) = notice else { return notice }
        let visible = items.filter { contains($0.accessGroup) }
        return visible.isEmpty ? nil : .changed(visible)
    }
}

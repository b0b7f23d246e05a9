// SPDX-License-Identifier: Apache-2.0

/// The items of one class in one access group, some of which may have been added, changed or deleted.
package struct ChangedItems: Sendable {
    /// The class, one that has a table.
    package var itemClass: ItemClass

    /// The access group.
    package var accessGroup: String

    /// Items of a class in a group.
    package init(_ itemClass: ItemClass, in accessGroup: String) {
        self.itemClass = itemClass
        self.accessGroup = accessGroup
    }
}

extension ChangedItems: Hashable {
    /// Whether both refer to the same items: groups are compared by their bytes, as in queries.
    package static func == (left: ChangedItems, right: ChangedItems) -> Bool {
        left.itemClass == right.itemClass && left.accessGroup.utf8.elementsEqual(right.accessGroup.utf8)
    }

    /// Hashes the class and the bytes of the group.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(itemClass)
        for byte in accessGroup.utf8 { hasher.combine(byte) }
    }
}

/// A notice of other programs' changes: what to read again, but never the changed values.
package enum ChangeNotice: Sendable, Hashable {
    /// Some of these items may have changed.
    case changed(Set<ChangedItems>)
    /// Anything that the program sees may have changed.
    case unknown

    /// The maximum number of elements; a larger notice becomes ``unknown``, so that it stays small for a slow program.
    package static let maximumItems = 64

    /// The maximum number of bytes of the names of its access groups; the same applies.
    package static let maximumGroupNameBytes = 64 << 10

    /// Merges another notice into this one.
    package mutating func merge(_ other: ChangeNotice) {
        guard case .changed(let items) = self, case .changed(let others) = other else {
            self = .unknown
            return
        }
        self = Self.bounded(items.union(others))
    }

    private static func bounded(_ items: Set<ChangedItems>) -> ChangeNotice {
        let byteCount = items.reduce(0) { $0 + $1.accessGroup.utf8.count }
        return items.count > maximumItems || byteCount > maximumGroupNameBytes ? .unknown : .changed(items)
    }
}

extension ChangeNotice {
    /// The possible changes by a command that was performed; `nil` for none.
    ///
    /// If a command names no access group, its items may be in any group of its client.
    package init?(of command: KeychainCommand) {
        let traits = command.row.traits
        guard !traits.contains(.replacesItems) else {
            self = .unknown
            return
        }
        guard !traits.contains(.changesNothing) else { return nil }
        switch command {
        case .items(let request): self.init(of: request)
        case .explain(let request), .itemsExplained(let request): self.init(of: request.call)
        case .lookup(let request): self.init(ofPasswordsOf: request.client)
        case .history(let request): self.init(ofPasswordsOf: request.client)
        // Keychain files have no groups; a lock is a change as well.
        case .files: self = .unknown
        case .device, .authentication, .enclave, .maintenance: return nil
        }
    }

    private init?(of request: KeychainRequest) {
        let operation = request.operation
        let claimed = request.client.claimedGroups
        let groups: [String]
        switch operation {
        case .copyMatching: return nil
        case .add: groups = operation.namedAccessGroups.isEmpty ? Array(claimed.prefix(1)) : operation.namedAccessGroups
        case .update, .delete, .set:
            let isNamed = operation.mainDictionary.accessGroup != nil
            groups = (isNamed ? [] : claimed) + operation.namedAccessGroups
        }
        self.init(Self.classes(operation), in: groups, of: request.client)
    }

    // Class and group of the item that is changed are known to the keychain alone.
    private init(ofPasswordsOf client: Client) {
        self.init(LookupMapping.classes, in: client.claimedGroups, of: client)
    }

    private init(_ classes: [ItemClass], in groups: [String], of client: Client) {
        guard !groups.contains(Client.everyGroup), !client.isNetworkExtension else {
            self = .unknown
            return
        }
        self = Self.bounded(Set(groups.flatMap { group in classes.map { ChangedItems($0, in: group) } }))
    }

    private static func classes(_ operation: KeychainRequest.Operation) -> [ItemClass] {
        guard case .string(let name)? = operation.mainDictionary[PropertyKey.itemClass],
            let itemClass = ItemClass(rawValue: name)
        else { return ItemClass.stored }
        return itemClass == .identity ? [.certificate, .key] : [itemClass]
    }
}

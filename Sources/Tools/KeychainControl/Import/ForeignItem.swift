// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// An item of another program's Secret Service.
struct ForeignItem: Sendable, Hashable {
    /// The path of its object there.
    let path: String
    /// The collection that has it, as people see it.
    let collection: String
    let contents: LookupContents

    /// What people see of it.
    var name: String { contents.label.isEmpty ? "(unnamed)" : contents.label.printable }

    /// What it is in a list of people.
    var line: String { "\(name) (\(collection.printable))" }
}

/// What another program's Secret Service has.
struct ForeignItems: Sendable {
    /// Those that can be read.
    var items: [ForeignItem] = []
    /// Collections that are locked, with the number of their items.
    var lockedCollections: [(name: String, count: Int)] = []
    /// Items that are locked by themselves.
    var lockedItems: [(name: String, collection: String)] = []
    /// Items that cannot be taken, with the reason.
    var unreadable: [(name: String, reason: String)] = []
    /// Items of the collection that ends with the session, which are left out.
    var temporaryCount = 0

    /// Whether something of it is locked.
    var isLocked: Bool { !lockedCollections.isEmpty || !lockedItems.isEmpty }
}

extension LookupAttributes {
    /// These without a schema that says nothing: gnome-keyring gives it to items that were stored without one, once it
    /// has read its file again.
    var withoutGenericSchema: LookupAttributes {
        guard self[LookupMapping.schemaName]?.hasSameBytes(as: LookupMapping.genericSchema) == true else { return self }
        var attributes = self
        attributes[LookupMapping.schemaName] = nil
        return attributes
    }
}

// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The items that the calls of a history stored and removed, as far as their dictionaries show.
struct StoredByHistory {
    /// An item that an add of the history stored.
    struct Item {
        let itemClass: ItemClass
        var attributes: Attributes
        let addedAt: Int
        let addedBy: String
        /// The position in the history of the last write of the item.
        var writtenAt: Int
        /// What removed the item.
        var removal: Removal?
        /// The position in the history of the removal.
        var removedAt: Int?

        var group: String? {
            if case .string(let name)? = attributes[.accessGroup] { name } else { nil }
        }

        var level: Accessibility {
            if case .accessControl(let accessControl)? = attributes[.accessControl] { return accessControl.protection }
            if case .string(let text)? = attributes[.accessible], let level = Accessibility(rawValue: text) {
                return level
            }
            return ItemSchema.of(itemClass).defaultAccessibility
        }
    }

    /// Why an item is gone.
    enum Removal {
        /// A delete that removed a number of the items.
        case deleted(CallHistory.RecordedCall, count: Int)
        /// The keys of its level went with the passcode, or stayed on the old device.
        case invalidated
    }

    private(set) var items: [Item] = []

    /// The deletes by persistent reference, for which the history does not show which item they removed.
    private(set) var deletesByReference: [(index: Int, itemClass: ItemClass, call: CallHistory.RecordedCall)] = []

    init(_ history: CallHistory) {
        for (index, event) in zip(history.events.indices, history.events) {
            switch event {
            case .call(let call) where call.status == .success: apply(call, at: index)
            case .passcodeRemoved: invalidate(at: index) { $0 == .whenPasscodeSetThisDeviceOnly }
            case .restored: invalidate(at: index, \.isForThisDeviceOnly)
            default: break
            }
        }
    }

    private mutating func apply(_ call: CallHistory.RecordedCall, at index: Int) {
        let examined = call.examined
        if let reference = examined.query[PropertyKey.valuePersistentReference] {
            guard examined.function == .delete, case .data(let bytes) = reference,
                let itemClass = ItemClass(rawValue: String(decoding: bytes.unprotectedCopy.prefix(4), as: UTF8.self))
            else { return }
            deletesByReference.append((index, itemClass, call))
            return
        }
        guard let query = call.named else { return }
        switch examined.function {
        case .add:
            var attributes = query.attributes
            for column in ItemSchema.of(query.itemClass).columns where attributes[column.name] == nil {
                attributes[column.name] = column.defaultValue
            }
            if attributes[.accessGroup] == nil {
                attributes[.accessGroup] = call.request.client.defaultAccessGroup.map { .string($0) }
            }
            items.append(
                Item(
                    itemClass: query.itemClass,
                    attributes: attributes,
                    addedAt: index,
                    addedBy: call.client,
                    writtenAt: index
                )
            )
        case .copyMatching: break
        case .update:
            guard let new = examined.attributes.map({ NamedAttributes(of: query.itemClass, $0) }) else { return }
            for item in matches(query, call) {
                items[item].attributes.merge(new.attributes) { $1 }
                items[item].writtenAt = index
            }
        case .delete:
            let taken = matches(query, call)
            for item in taken {
                items[item].removal = .deleted(call, count: taken.count)
                items[item].removedAt = index
            }
        }
    }

    private mutating func invalidate(at place: Int, _ isLost: (Accessibility) -> Bool) {
        for index in items.indices where items[index].removal == nil && isLost(items[index].level) {
            items[index].removal = .invalidated
            items[index].removedAt = place
        }
    }

    /// The existing items that a query of the history matches.
    private func matches(_ query: NamedAttributes, _ call: CallHistory.RecordedCall) -> [Int] {
        let groups = call.request.client.accessGroups
        return items.indices.filter { index in
            let item = items[index]
            guard item.removal == nil, item.itemClass == query.itemClass else { return false }
            guard groups.contains(Client.everyGroup) || item.group.map(groups.contains) ?? true else { return false }
            guard query.meansEitherScope || query.scope == item.attributes[.synchronizable] else { return false }
            return !query.contradicts(item.attributes) && query.attributes.allSatisfy { item.attributes[$0.key] != nil }
        }
    }
}

/// The attributes of a dictionary, converted to the kinds of their columns.
///
/// For a recorded dictionary; the engine's search terms evaluate the contents of the store.
struct NamedAttributes {
    let itemClass: ItemClass
    /// Without synchronizability if it is "any".
    private(set) var attributes: Attributes = [:]
    private(set) var meansEitherScope = false

    /// `nil` for a dictionary without a class.
    init?(_ dictionary: PropertyDictionary) {
        var itemClass: ItemClass?
        if case .string(let text)? = dictionary[PropertyKey.itemClass] { itemClass = ItemClass(rawValue: text) }
        if itemClass == nil, case .reference(let reference)? = dictionary[PropertyKey.valueReference] {
            itemClass = reference.itemClass
        }
        guard let itemClass else { return nil }
        self.init(of: itemClass, dictionary)
    }

    init(of itemClass: ItemClass, _ dictionary: PropertyDictionary) {
        self.itemClass = itemClass
        let schema = ItemSchema.of(itemClass)
        var entries = dictionary.entries
        switch dictionary[PropertyKey.valueReference] {
        case .reference(.certificate(let certificate)): entries.merge(certificate.attributes) { given, _ in given }
        case .reference(.key(let key)): entries.merge(key.attributes) { given, _ in given }
        default: break
        }
        for (key, value) in entries {
            guard let name = AttributeName(key), let column = schema[name] else { continue }
            if name == .synchronizable, value == .string(PropertyKey.synchronizableAny) {
                meansEitherScope = true
            } else if let converted = try? column.coerce(value) {
                attributes[name] = converted
            }
        }
    }

    var scope: AttributeValue { attributes[.synchronizable] ?? .number(.integer(0)) }

    /// The attributes that distinguish items of the class within a group.
    var identifying: Attributes {
        let names = Set(itemClass.keyColumns)
        return attributes.filter { names.contains($0.key) }
    }

    /// Whether an attribute that both have differs; access control and synchronizability aside.
    func contradicts(_ other: Attributes) -> Bool {
        let schema = ItemSchema.of(itemClass)
        return attributes.contains { name, value in
            guard name != .synchronizable, name != .accessControl, let column = schema[name], let theirs = other[name]
            else { return false }
            return !column.isEqual(value, theirs)
        }
    }
}

extension ItemClass {
    /// The key attributes: the primary key without access group, synchronizable and the private columns.
    var keyColumns: [AttributeName] { ItemSchema.of(self).identifyingColumns.map(\.name) }
}

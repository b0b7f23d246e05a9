// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// What a client was told of collections and items, and what of them has changed since.
///
/// libsecret keeps the properties, and learns from `PropertiesChanged` alone that they are others now.
struct ToldObjects {
    /// Whether the client is being told of one of them, and has not read it yet.
    var isBeingTold = false

    private var told: [ObjectPath: Told] = [:]
    private var changed: Set<ObjectPath> = []

    /// What it was told of one of them.
    private struct Told {
        /// Whether it has read all properties, and so is told of every change; else of the lock of an item alone.
        var hasReadAll = false
        /// Whether the item is locked; `nil` if it was not told.
        var isLocked: Bool?
        /// Whether it was told no attributes, as of an item that says nothing while it is locked.
        var isHidden = false
    }

    /// The most of them: of others it is told by `ItemChanged` alone.
    static let maximumCount = 1_024

    /// The items of a collection that it was told of; of all collections for none.
    func items(of collection: CollectionName?) -> [ObjectPath] {
        told.keys.filter { object in
            guard case .item(let other, _) = object else { return false }
            return collection == nil || other == collection
        }
    }

    /// Adds an object that the client reads as a whole.
    mutating func addWhole(_ object: ObjectPath) { change(object) { $0.hasReadAll = true } }

    /// Remembers the properties that it was told of an item.
    mutating func note(_ read: [(Property, PropertyContent)], of item: ObjectPath) {
        guard case .item = item else { return }
        change(item) { told in
            for (_, content) in read {
                switch content {
                case .attributes(let attributes): told.isHidden = attributes.isEmpty
                case .boolean(let isLocked): told.isLocked = isLocked
                default: break
                }
            }
        }
    }

    /// Remembers what an item is now.
    ///
    /// - Returns: What the client has to be told of it.
    mutating func update(_ object: ObjectPath, to item: LookupItem) -> [(Property, PropertyContent)] {
        guard let told = told[object] else { return [] }
        var changed: [(Property, PropertyContent)] = []
        if told.isLocked != item.isLocked { changed.append((.itemLocked, .boolean(item.isLocked))) }
        if told.isHidden, !item.isLocked {
            changed += [(.itemAttributes, .attributes(item.attributes)), (.itemLabel, .text(item.label))]
        }
        change(object) { told in
            told.isLocked = item.isLocked
            if !item.isLocked { told.isHidden = false }
        }
        return changed
    }

    private mutating func change(_ object: ObjectPath, _ body: (inout Told) -> Void) {
        switch object {
        case .collection, .item:
            guard told.count < Self.maximumCount || told[object] != nil else { return }
            body(&told[object, default: Told()])
        case .service, .alias, .session, .prompt: break
        }
    }

    // MARK: - Changes

    /// Notes what has changed in a collection.
    mutating func note(_ notice: ItemChangeNotice, in collection: CollectionName) {
        guard !told.isEmpty else { return }
        guard case .changes(let changes) = notice else {
            changed.formUnion(told.filter { $0.value.hasReadAll && $0.key.isPart(of: collection) }.keys)
            return
        }
        for change in changes {
            let item = ObjectPath.item(collection, change.identifier)
            if change.kind == .removed {
                told[item] = nil
                changed.remove(item)
            } else {
                noteChange(of: item)
            }
            if change.kind != .changed { noteChange(of: .collection(collection)) }
        }
    }

    private mutating func noteChange(of object: ObjectPath) {
        if told[object]?.hasReadAll == true { changed.insert(object) }
    }

    /// Forgets a collection that there is no more.
    mutating func forget(_ collection: CollectionName) {
        told = told.filter { !$0.key.isPart(of: collection) }
        changed = changed.filter { !$0.isPart(of: collection) }
    }

    /// Takes an object that has changed.
    mutating func takeChanged() -> ObjectPath? { changed.popFirst() }
}

extension ObjectPath {
    /// Whether it is a collection, or an item of it.
    fileprivate func isPart(of other: CollectionName) -> Bool {
        switch self {
        case .collection(let collection), .item(let collection, _): collection == other
        case .service, .alias, .session, .prompt: false
        }
    }
}

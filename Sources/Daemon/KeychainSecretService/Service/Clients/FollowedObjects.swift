// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The objects all of whose properties a client has read, and what of them has changed since.
///
/// libsecret keeps the properties, and learns from `PropertiesChanged` alone that they are others now.
struct FollowedObjects {
    /// Whether the client is being told of one of them, and has not read it yet.
    var isBeingTold = false

    private var objects: Set<ObjectPath> = []
    private var changed: Set<ObjectPath> = []

    /// How many objects a client follows: of others it is told by `ItemChanged` alone.
    private static let maximumCount = 4_096

    /// Adds an object that the client has read.
    mutating func add(_ object: ObjectPath) {
        switch object {
        case .collection, .item: if objects.count < Self.maximumCount { objects.insert(object) }
        case .service, .alias, .session, .prompt: break
        }
    }

    /// Notes what has changed in a collection.
    mutating func note(_ notice: ItemChangeNotice, in collection: CollectionName) {
        guard !objects.isEmpty else { return }
        guard case .changes(let changes) = notice else {
            changed.formUnion(objects.filter { $0.isPart(of: collection) })
            return
        }
        for change in changes {
            let item = ObjectPath.item(collection, change.identifier)
            if change.kind == .removed {
                objects.remove(item)
                changed.remove(item)
            } else if objects.contains(item) {
                changed.insert(item)
            }
            if change.kind != .changed, objects.contains(.collection(collection)) {
                changed.insert(.collection(collection))
            }
        }
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

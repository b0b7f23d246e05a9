// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore

/// When the service was started, and collections were changed last, as far as it knows.
struct CollectionTimes: Sendable {
    let started: Timestamp
    let modified: [CollectionName: Timestamp]
}

extension Timestamp {
    /// The time now, in whole seconds.
    static var now: Timestamp {
        Timestamp(secondsSinceReferenceDate: Double(time(nil)) - referenceDateSince1970)
    }
}

/// Reads properties of objects, of which none is kept in memory.
enum PropertyReading {
    /// The values of properties of an object.
    ///
    /// - Throws: ``ServiceError/noSuchObject`` for an item that there is not, also without properties.
    static func read(
        _ properties: [Property],
        of object: ObjectPath,
        in store: ProgramStore,
        _ times: CollectionTimes
    ) throws(ServiceError) -> [(Property, PropertyContent)] {
        var read: [(Property, PropertyContent)] = []
        switch object {
        case .service:
            let collections = try store.collections().map { ObjectPath.collection($0).text }
            read = properties.map { ($0, .paths(collections)) }
        case .collection, .alias:
            let collection = try store.collection(at: object)
            let details = collection.isFile ? try store.details(of: collection) : nil
            for property in properties {
                read.append((property, try value(property, of: collection, details: details, in: store, times)))
            }
        case .item(let collection, let item):
            let item = try store.describe(item, in: collection)
            read = properties.map { ($0, value($0, of: item)) }
        case .session, .prompt: break
        }
        return read
    }

    private static func value(
        _ property: Property,
        of collection: CollectionName,
        details: ShownFile?,
        in store: ProgramStore,
        _ times: CollectionTimes
    ) throws(ServiceError) -> PropertyContent {
        if let details, property != .items { return details.value(property) }
        switch property {
        case .items:
            let matches = try store.search(LookupAttributes(), in: collection)
            return .paths(matches.map { ObjectPath.item(collection, $0.identifier).text })
        case .collectionLabel: return .text(try store.label(ofFixed: collection))
        case .collectionLocked: return .boolean(try store.isLocked(collection))
        case .collectionCreated: return PropertyContent(times.started)
        default: return PropertyContent(times.modified[collection] ?? times.started)
        }
    }

    private static func value(_ property: Property, of item: LookupItem) -> PropertyContent {
        switch property {
        case .itemAttributes: .attributes(item.attributes)
        case .itemLabel: .text(item.label)
        case .itemLocked: .boolean(item.isLocked)
        case .itemCreated: PropertyContent(item.created)
        default: PropertyContent(item.modified)
        }
    }
}

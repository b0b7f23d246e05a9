// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore
import Synchronization

/// The access groups in use.
extension EmbeddedKeychain {
    /// The access groups that live items are in, in the order of their bytes.
    ///
    /// The group of an item that cannot be opened now is unknown, unless this object has opened one of the same group
    /// before. This does not count as a use of the device.
    package func accessGroups() throws(KeychainError) -> [String] {
        let names = try withEngine(.observing) { (engine) throws(KeychainError) in
            try engine.read { (reader) throws(KeychainError) in
                let sealer = ItemSealer(engine.device, engine.searchTagCache, opensSecrets: false)
                var names: Set<[UInt8]> = []
                for itemClass in ItemClass.stored {
                    for tag in try reader.groupTags(itemClass) {
                        guard let name = try knownGroups.name(tag, of: itemClass, in: reader, sealer: sealer)
                        else { continue }
                        names.insert(Array(name.utf8))
                    }
                }
                return names
            }
        }
        return names.sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
    }
}

/// The access groups of rows, by their search tags: once a name is known, it stays known while its items are locked.
final class KnownGroups: Sendable {
    private let names = Mutex(Names())

    private struct Names {
        var byTag: [SearchTag: String] = [:]
        var byteCount = 0

        /// Remembers a name, unless it is longer than any that a program has.
        mutating func insert(_ name: String, _ tag: SearchTag) {
            let count = name.utf8.count
            guard count <= KnownGroups.longestName else { return }
            if byTag.count >= KnownGroups.capacity || byteCount + count > KnownGroups.maximumBytes { self = Names() }
            if byTag.updateValue(name, forKey: tag) == nil { byteCount += count }
        }
    }

    /// How many are remembered, after which all are forgotten.
    private static let capacity = 4_096

    /// How many bytes they have together at most; the same applies.
    static let maximumBytes = 1 << 20

    /// The most bytes of a name that is remembered.
    static let longestName = 1 << 10

    /// The name of a tag; `nil` if it is not known.
    func name(_ tag: SearchTag) -> String? { names.withLock { $0.byTag[tag] } }

    /// Remembers the name of a tag.
    func insert(_ name: String, _ tag: SearchTag) { names.withLock { $0.insert(name, tag) } }

    /// How many are remembered, and how many bytes those have.
    var size: (count: Int, byteCount: Int) {
        names.withLock { names in (names.byTag.count, names.byTag.values.reduce(0) { $0 + $1.utf8.count }) }
    }

    /// The name of a tag that rows of a class have, which may have to be read from one of them; `nil` if none of these
    /// can be opened now.
    fileprivate func name(
        _ tag: SearchTag,
        of itemClass: ItemClass,
        in reader: RowReader,
        sealer: ItemSealer
    ) throws(KeychainError) -> String? {
        if let name = name(tag) { return name }
        var filter = RowFilter(itemClass)
        filter.accessGroups = [tag]
        for protection in Accessibility.stored where sealer.device.isAvailable(protection) {
            filter.protection = protection.rawValue
            guard let first = try reader.rows(filter, limit: 1).first else { continue }
            var name = Self.name(first, sealer)
            // A damaged row hides no other of its group.
            if name == nil { name = try reader.rows(filter).lazy.compactMap { Self.name($0, sealer) }.first }
            guard let name else { continue }
            insert(name, tag)
            return name
        }
        return nil
    }

    private static func name(_ row: NumberedRow, _ sealer: ItemSealer) -> String? {
        guard case .content(let metadata)? = try? sealer.openMetadata(row),
            let name = metadata.attributes.accessGroupName,
            // One of an older store: no program can name it any more.
            !name.hasTooManyMarks
        else { return nil }
        return name
    }
}

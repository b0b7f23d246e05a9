// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// Searches by lookup attributes, in every lock state: the intersection of what is listed for each pair, and items that
/// have none of their own by their columns.
extension ItemTransaction {
    /// The items that have every pair of a search, in the order in which they were added; of a keychain file, the one
    /// that was changed last first.
    ///
    /// Earlier versions did not replace items of keychain files, and left several with the same attributes there.
    func searchLookups(_ search: LookupAttributes, damaged: inout [DamagedRow]) throws(KeychainError) -> [LookupMatch] {
        var matches: [(match: LookupMatch, modified: Timestamp)] = []
        for itemClass in LookupMapping.classes {
            for row in try candidates(search, itemClass, in: groups.readable) {
                let view = try lookupView(row)
                if case .damaged(let row) = view {
                    damaged.append(row)
                } else if try satisfies(row, view, search: search) {
                    let match = LookupMatch(row.row.identifier, isLocked: view.isLocked)
                    matches.append((match, view.metadata?.attributes.modificationDate ?? .referenceDate))
                }
            }
        }
        // A list of all items stays in its order. The sort is stable.
        if device.isOfKeychainFile, !search.isEmpty { matches.sort { $0.modified > $1.modified } }
        return matches.map(\.match)
    }

    /// The rows that are listed with every pair, and those of which nothing is listed whose columns satisfy a search.
    func candidates(
        _ search: LookupAttributes,
        _ itemClass: ItemClass,
        in names: [String]?
    ) throws(KeychainError) -> [NumberedRow] {
        let filter = lookupFilter(itemClass, in: names)
        // Nothing is listed of the items of a keychain file, whose attributes can be read at any time.
        if search.isEmpty || device.isOfKeychainFile { return try lookupRows(filter) }
        let pairTags = try lookupTags()
        let numbers = try rows.rowNumbers(
            listedWith: search.pairs.map { pairTags.tag($0, in: itemClass) },
            itemClass
        )
        var found: [NumberedRow] = []
        for number in numbers {
            var row = filter
            row.rowNumber = number
            found += try lookupRows(row)
        }
        guard let conditions = LookupMapping.conditions(search, of: itemClass) else { return found }
        var derived = filter
        for (name, value) in conditions {
            derived.tags.append(tags.attributeTag(in: itemClass, name: name, value: value))
        }
        found += try rows.unlistedRows(derived).filter { !$0.row.isOnToken }
        return found.sorted { $0.number < $1.number }
    }

    /// Whether a candidate satisfies a search, by what is authentic of it; before the first unlock, the lists decide.
    private func satisfies(
        _ row: NumberedRow,
        _ view: LookupView,
        search: LookupAttributes
    ) throws(KeychainError) -> Bool {
        let itemClass = row.row.itemClass
        if let metadata = view.metadata {
            if let record = metadata.attributes.lookupRecord { return record.attributes.satisfy(search) }
            return hasColumns(row, search)
        }
        guard let listed = try rows.listed(row) else { return hasColumns(row, search) }
        guard let face = device.openFace(listed.face, wholeTag: listed.wholeTag, of: row.row) else {
            if search.isEmpty { return true }
            return try isListed(row, with: search, itemClass)
        }
        return face.record.attributes.satisfy(search)
    }

    /// A row is bound to its tags.
    private func hasColumns(_ row: NumberedRow, _ search: LookupAttributes) -> Bool {
        let itemClass = row.row.itemClass
        guard let conditions = LookupMapping.conditions(search, of: itemClass) else { return false }
        return conditions.allSatisfy { name, value in
            row.row.tags.contains(tags.attributeTag(in: itemClass, name: name, value: value))
        }
    }

    private func isListed(
        _ row: NumberedRow,
        with search: LookupAttributes,
        _ itemClass: ItemClass
    ) throws(KeychainError) -> Bool {
        let listed = Set(try rows.listed(row, withTags: true)?.pairTags ?? [])
        let pairTags = try lookupTags()
        return search.pairs.allSatisfy { listed.contains(pairTags.tag($0, in: itemClass)) }
    }

    /// The tags of lookup attributes.
    func lookupTags() throws(KeychainError) -> LookupTags {
        do { return try device.lookupTags() } catch { throw KeychainError(error) }
    }
}

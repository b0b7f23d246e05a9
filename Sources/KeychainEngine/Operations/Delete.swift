// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// `SecItemDelete` (Semantics, "Deleting items"; the order of checks is that of section 3.6).
extension Engine {
    func delete(_ dictionary: PropertyDictionary, for client: Client) throws(KeychainError) {
        if let identity = dictionary.identity { return try deleteIdentity(identity, dictionary, for: client) }
        let deletion = try deletion(dictionary, for: client)
        if deletion.query.itemClass == .identity {
            if deletion.query.reference != nil { return try deleteIdentity(deletion) }
            return try deleteIdentities(dictionary, for: client)
        }
        try write { (writer) throws(KeychainError) in
            guard try remove(deletion, device.searchTags(), writer) > 0 else {
                throw KeychainError(.itemNotFound, "no item matches")
            }
        }
    }

    /// A delete that was checked.
    struct Deletion {
        let query: Query
        let groups: AccessGroups
    }

    /// Checks a delete, one of an identity's reference excepted.
    func deletion(_ dictionary: PropertyDictionary, for client: Client) throws(KeychainError) -> Deletion {
        let dictionary = try ClientChecks.prepare(dictionary)
        try GuardedAttributes.check(dictionary, in: .copyOrDeleteQuery)
        let groups = try AccessGroups(client)
        try groups.checkWritable(dictionary[AttributeName.accessGroup.description])
        let query = try QueryParser.parse(dictionary)
        try groups.checkAppClip(query.attributes[.accessGroup])
        try query.refuseMatchKeys(of: "SecItemDelete")
        try query.checkLegacyReference()
        return Deletion(query: query, groups: groups)
    }

    /// Removes every row that matches.
    ///
    /// - Returns: How many there were.
    func remove(_ deletion: Deletion, _ tags: SearchTags, _ writer: RowWriter) throws(KeychainError) -> Int {
        // Items that went with a passcode can be deleted until they are swept away (Semantics, "Passcode").
        let filter = RowSearch(deletion.query, in: deletion.groups.writable, tags, passcodeGeneration: nil).filter()
        // Rows in quarantine are deleted like any other when a caller asks for it: that is how one gets rid of them.
        let matches = try rows(filter, writer) + quarantined(filter, writer)
        for row in matches { try remove(row, tags, writer) }
        return matches.count
    }

    /// Removes a row without asking for its keys; a synchronizable item that can be read leaves a tombstone.
    func remove(_ row: NumberedRow, _ tags: SearchTags, _ writer: RowWriter) throws(KeychainError) {
        if let tombstone = tombstone(of: row, tags), try writer.update(row.number, to: tombstone) { return }
        try writer.delete(row)
    }

    private func tombstone(of row: NumberedRow, _ tags: SearchTags) -> StoredRow? {
        guard row.damage == nil, !isLocal(row.row, tags),
            case .content(let metadata)? = try? openMetadata(row),
            metadata.attributes[.synchronizable]?.isTrue ?? false
        else { return nil }
        return try? tombstone(of: metadata.attributes, row.row.itemClass, identifier: row.row.identifier, tags)
    }

    /// Whether the row's tag says that it is not synchronizable, which spares opening it.
    private func isLocal(_ row: StoredRow, _ tags: SearchTags) -> Bool {
        row.tags.contains(tags.attributeTag(row.itemClass, .synchronizable, .number(.integer(0))))
    }
}

// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// `SecItemDelete` (specification, section 5.4; the order of checks is that of section 3.6).
extension Engine {
    func delete(_ dictionary: PropertyDictionary, for client: Client) throws(KeychainError) {
        let dictionary = try ClientChecks.prepare(dictionary)
        try GuardedAttributes.check(dictionary, in: .copyOrDeleteQuery)
        let groups = try AccessGroups(client)
        try groups.checkWritable(dictionary[AttributeName.accessGroup.description])
        let query = try QueryParser.parse(dictionary)
        try groups.checkAppClip(query.attributes[.accessGroup])
        guard query.match.keys.isEmpty else { throw .parameter("kSecMatch keys have no meaning in SecItemDelete") }
        try query.checkLegacyReference()
        if query.itemClass == .identity { return try deleteIdentity(dictionary, query, groups, for: client) }

        try write { (writer) throws(KeychainError) in
            let tags = device.searchTags()
            // Items that went with a passcode can be deleted until they are swept away (specification, section 7.4).
            let filter = RowSearch(query, groups, tags, passcodeGeneration: nil).filter()
            // Rows in quarantine are deleted like any other when a caller asks for it: that is how one gets rid of them.
            let matches = try rows(filter, writer) + quarantined(filter, writer)
            guard !matches.isEmpty else { throw KeychainError(.itemNotFound, "no item matches") }
            for row in matches { try remove(row, tags, writer) }
        }
    }

    /// Removes a row without asking for its keys; a synchronizable item that can be read leaves a tombstone.
    private func remove(_ row: NumberedRow, _ tags: SearchTags, _ writer: RowWriter) throws(KeychainError) {
        if let tombstone = tombstone(of: row, tags), try writer.update(row.number, to: tombstone) { return }
        try writer.delete(row)
    }

    private func tombstone(of row: NumberedRow, _ tags: SearchTags) -> StoredRow? {
        guard row.damage == nil, !isLocal(row.row, tags),
            case .content(let metadata)? = try? openMetadata(row, tags),
            metadata.attributes[.synchronizable]?.isTrue ?? false
        else { return nil }
        return try? tombstone(of: metadata.attributes, row.row.itemClass, identifier: row.row.identifier, tags)
    }

    /// Whether the row's tag says that it is not synchronizable, which spares opening it.
    private func isLocal(_ row: StoredRow, _ tags: SearchTags) -> Bool {
        guard let column = ItemSchema.of(row.itemClass)[.synchronizable] else { return true }
        let local = tags.tag(row.itemClass, column, .number(.integer(0)))
        return row.tags.contains { $0.name == .synchronizable && $0.tag == local }
    }
}

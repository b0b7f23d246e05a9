// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// `SecItemDelete` (Semantics, "Deleting items").
extension Engine {
    func delete(_ request: ItemRequest, _ authorization: Authorization) throws(KeychainError) {
        if let identity = request.dictionary.identity {
            return try deleteIdentity(identity, for: request, under: authorization)
        }
        let checked = try request.checked()
        if checked.query.itemClass == .identity {
            if checked.query.reference != nil { return try deleteReferencedIdentity(checked, authorization) }
            return try deleteIdentities(request, authorization)
        }
        try changeItems(for: checked, authorization) { (transaction) throws(KeychainError) in
            let count = try transaction.deleteItems(checked.query)
            guard count > 0 else { throw KeychainError(.itemNotFound, "no item matches") }
        }
    }
}

extension ItemWriteTransaction {
    /// Deletes every row that matches.
    ///
    /// - Returns: The number of deleted rows.
    func deleteItems(_ query: Query) throws(KeychainError) -> Int {
        let selection = plan(query, of: .delete).selection(tags)
        // Rows in quarantine are deleted like any others on request: that is how to get rid of them.
        let areLocal = query.effectiveScope == .local
        // Only synchronizable items are opened, for their tombstones, and those that are selected by their digest.
        let matches = try havingDigest(
            everyRow(selection, sealedParts: !areLocal || query.namesDigest),
            of: query
        )
        for row in matches {
            if areLocal { try writer.delete(row) } else { try delete(row) }
        }
        return matches.count
    }

    /// Deletes a row without asking for its keys; a synchronizable item that can be read leaves a tombstone.
    func delete(_ row: NumberedRow) throws(KeychainError) {
        if let tombstone = tombstone(of: row), try writer.update(row, to: tombstone) { return }
        try writer.delete(row)
    }

    private func tombstone(of row: NumberedRow) -> StoredRow? {
        guard row.damage == nil, !isLocal(row.row),
            case .content(let metadata)? = try? sealer.openMetadata(row),
            metadata.attributes[.synchronizable]?.isSynchronized ?? false
        else { return nil }
        return try? tombstone(of: metadata.attributes, row.row.itemClass, identifier: row.row.identifier)
    }

    /// Whether the row's tag indicates that it is not synchronizable, which avoids opening it.
    private func isLocal(_ row: StoredRow) -> Bool {
        row.tags.contains(tags.attributeTag(in: row.itemClass, name: .synchronizable, value: .number(.integer(0))))
    }
}

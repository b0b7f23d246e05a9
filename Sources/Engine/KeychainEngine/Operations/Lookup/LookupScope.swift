// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// The items that commands by lookup attributes are about: passwords of the client's groups that are neither
/// synchronizable nor on a token.
extension ItemTransaction {
    /// Every such row of a class in one of the groups; `nil` for every group.
    func lookupFilter(_ itemClass: ItemClass, in names: [String]?) -> RowFilter {
        var filter = RowFilter(itemClass)
        filter.tags = [
            tags.attributeTag(in: itemClass, name: .synchronizable, value: .number(.integer(0)))
        ]
        filter.accessGroups = names.map { names in
            Set(names.map { tags.attributeTag(in: itemClass, name: .accessGroup, value: .string($0)).tag })
        }
        filter.destroyedGeneration = device.keybag.destroyedGeneration
        return filter
    }

    /// The row of an identifier; `nil` if there is none in one of the groups.
    func lookupRow(_ identifier: ItemIdentifier, in names: [String]?) throws(KeychainError) -> NumberedRow? {
        for itemClass in LookupMapping.classes {
            var filter = lookupFilter(itemClass, in: names)
            filter.identifier = identifier
            if let row = try lookupRows(filter).first { return row }
        }
        return nil
    }

    /// The live rows of a filter that are not on a token.
    func lookupRows(_ filter: RowFilter) throws(KeychainError) -> [NumberedRow] {
        try rows.rows(filter).filter { !$0.row.isOnToken }
    }

    /// An item as far as it can be read now.
    enum LookupView {
        /// Its attributes are known, and its secret can be read; with the key of its application password, if any.
        case open(OpenedMetadata, PasswordKey?)
        /// Its attributes are known; for the secret the owner has to authenticate, or to unlock the file, or cannot.
        case guarded(OpenedMetadata)
        /// Its keys are not available now.
        case locked
        case damaged(DamagedRow)

        /// The attributes, if they are known.
        var metadata: OpenedMetadata? {
            switch self {
            case .open(let metadata, _), .guarded(let metadata): metadata
            case .locked, .damaged: nil
            }
        }

        /// Whether the secret cannot be read now.
        var isLocked: Bool {
            if case .open = self { false } else { true }
        }
    }

    /// Opens the attributes of a row, and judges whether its secret can be read without asking anybody.
    func lookupView(_ row: NumberedRow) throws(KeychainError) -> LookupView {
        switch try sealer.isLocked(row) {
        case .damaged(let damaged): return .damaged(damaged)
        case .content(true):
            // Its attributes can be read without the password.
            guard device.isOfKeychainFile else { return .locked }
            return switch try sealer.openMetadata(row) {
            case .damaged(let damaged): .damaged(damaged)
            case .content(let metadata): .guarded(metadata)
            }
        case .content(false): break
        }
        let metadata: OpenedMetadata
        switch try sealer.openMetadata(row) {
        case .damaged(let damaged): return .damaged(damaged)
        case .content(let content): metadata = content
        }
        switch try readAccess(to: row, metadata) {
        case .damaged(let damaged): return .damaged(damaged)
        case .content(.granted(let key)): return .open(metadata, key)
        case .content(.demands), .content(.denied): return .guarded(metadata)
        }
    }

    /// The lookup attributes of an item whose attributes are known: its own, or those that its columns give.
    func lookupAttributes(_ metadata: OpenedMetadata, of itemClass: ItemClass) -> LookupAttributes {
        metadata.attributes.lookupRecord?.attributes
            ?? LookupMapping.derived(from: metadata.attributes, of: itemClass)
    }

    /// What is known of a locked row by what is listed beside it; `nil` if that is nothing, or before the first unlock.
    func lookupFace(_ row: NumberedRow) throws(KeychainError) -> LookupFace? {
        guard let listed = try rows.listed(row) else { return nil }
        return device.openFace(listed.face, wholeTag: listed.wholeTag, of: row.row)
    }
}

extension StoredRow {
    /// Whether the item is on a token.
    var isOnToken: Bool { tags.contains { $0.name == .tokenID } }
}

extension AccessGroups {
    /// What the client of a command by lookup attributes may see and change: an app clip has its own group only.
    ///
    /// - Throws: `errSecMissingEntitlement` when it has no group at all.
    init(ofLookupsBy client: Client) throws(KeychainError) {
        var client = client
        client.accessGroups = client.claimedGroups
        try self.init(client)
    }
}

extension KeychainError {
    /// No item of the client has the identifier.
    static let noLookupItem = KeychainError(.itemNotFound, "no item has this identifier")
}

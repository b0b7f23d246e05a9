// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Updates and deletes in file-based keychains: each match is tried, nothing is rolled back, and the last failure is
/// the status (Semantics, "Functions of the file-based keychain").
extension FileBasedKeychain {
    func update(_ dictionary: PropertyDictionary, _ changes: PropertyDictionary) throws(KeychainError) {
        let query = try FileItemQuery(dictionary, .update)
        try FileParameterTypes.check(changes, isOfChanges: true)
        let keychains = openedKeychains(dictionary)
        try forEach(try search(query, keychains).matches()) { (match) throws(KeychainError) in
            let item = if case .identity(_, let key, _) = match { key } else { match.main }
            let attributes = try FileAttributes.stored(changes.entries, item.item.itemClass)
            var change = KeychainFileItem.Changes(attributes: attributes)
            change.secret = FileItemQuery.secret(changes[PropertyKey.valueData])
            let access = ItemAccess(entryOf: changes)
            do throws(KeychainError) {
                try apply(change, to: item, keychains)
            } catch {
                guard error.kind == .keys(.damagedItem), item.item.itemClass.isPassword, change.secret != nil else {
                    throw error
                }
                return try remake(item, by: change, access: access, in: keychains)
            }
            // The access object is replaced after the other changes.
            guard let access else { return }
            try apply(KeychainFileItem.Changes(access: access), to: item, keychains)
        }
    }

    /// Replaces a password whose stored data does not verify: with its previous attributes, the changed ones, and the
    /// new data.
    ///
    /// The program that does this may use it, unless an access list says otherwise.
    private func remake(
        _ item: LocatedItem,
        by change: KeychainFileItem.Changes,
        access: ItemAccess?,
        in keychains: OpenedKeychains
    ) throws(KeychainError) {
        var new = change
        new.attributes = item.item.attributes.merging(change.attributes) { $1 }
        for date: AttributeName in [.creationDate, .modificationDate] { new.attributes[date.description] = nil }
        new.access = access ?? defaultAccess(new.attributes)
        try apply(new, to: item, keychains)
    }

    private func apply(
        _ change: KeychainFileItem.Changes,
        to item: LocatedItem,
        _ keychains: OpenedKeychains
    ) throws(KeychainError) {
        try keychains.change(item.keychain) { (files) throws(KeychainError) in
            try files.update(item.item.identifier, change, at: item.keychain)
        }
    }

    func delete(_ dictionary: PropertyDictionary) throws(KeychainError) {
        let query = try FileItemQuery(dictionary, .delete)
        let keychains = openedKeychains(dictionary)
        let search = try search(query, keychains)
        try forEach(try search.matches()) { (match) throws(KeychainError) in
            guard case .identity(let certificate, let key, _) = match else {
                return try remove(match.main, keychains)
            }
            let halves = try keychains.items(FileItemConditions(.key), in: [key.keychain])
            let publicKey = halves.first { $0.item.keyClass == 0 && $0.item.isKey(of: certificate.item) }
            for item in [publicKey, key, certificate].compactMap(\.self) { try remove(item, keychains) }
        }
    }

    private func remove(_ item: LocatedItem, _ keychains: OpenedKeychains) throws(KeychainError) {
        try checkOwner(of: item, keychains)
        try keychains.change(item.keychain) { (files) throws(KeychainError) in
            try files.remove(item.item.identifier, at: item.keychain)
        }
    }

    /// Rejects a password that the program may not decrypt, by the program's name; those of web forms are exempt.
    ///
    /// In a locked keychain the access list is unknown, and an item can be removed.
    private func checkOwner(of item: LocatedItem, _ keychains: OpenedKeychains) throws(KeychainError) {
        guard item.item.itemClass.isPassword, item.item.attributes["atyp"] != .string("form") else { return }
        let access: ItemAccess
        do throws(KeychainError) {
            access = try keychains.access(of: item)
        } catch {
            guard error.status == .interactionNotAllowed || error.status == .authenticationFailed else { throw error }
            return
        }
        guard let trusted = access.trustedApplications, !trusted.contains(program) else { return }
        throw KeychainError(
            .invalidOwnerEdit,
            "the program is not among those that may decrypt the item, and only these may delete it"
        )
    }

    /// Goes on after a failure.
    ///
    /// - Throws: The last failure.
    private func forEach(
        _ matches: [FileMatch],
        _ body: (FileMatch) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        var failure: KeychainError?
        for match in matches {
            do throws(KeychainError) { try body(match) } catch { failure = error }
        }
        if let failure { throw failure }
    }
}

// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A search for the first password item with given attributes.
struct PasswordSearch {
    let fields: PasswordFields

    /// The keychains to search, in order.
    let stores: [any ItemStore]

    /// Creates a search in the keychains that operands name; without operands, in the search list.
    init(for fields: PasswordFields, operands: [Word], in keychains: Keychains) throws(CommandFailure) {
        self.fields = fields
        stores = try reporting(Self.preparing) { () throws(KeychainError) in try keychains.searched(by: operands) }
    }

    /// The macOS functions that prepare and perform a search.
    static let preparing = "SecKeychainSearchCreateFromAttributes"
    static let searching = "SecKeychainSearchCopyNext"

    /// The first item.
    ///
    /// - Throws: ``CommandFailure``, with errSecItemNotFound if there is none.
    func first() throws(CommandFailure) -> StoredItem {
        for store in stores {
            if let item = try first(in: store) { return item }
        }
        throw CommandFailure(try absence(), in: Self.searching)
    }

    /// The first item whose secret is not damaged, and the secret.
    ///
    /// - Throws: ``CommandFailure``; without a message if a secret exists but is unavailable.
    func firstWithSecret() throws(CommandFailure) -> (StoredItem, SecretBytes) {
        var damaged: StoredItem?
        for store in stores {
            guard let first = try first(in: store) else { continue }
            if let secret = try secret(of: first, orElse: &damaged) { return (first, secret) }
            // The others are requested only if the first is damaged, or was just deleted.
            for item in try items(in: store) where !item.isSameItem(as: first) {
                if let secret = try secret(of: item, orElse: &damaged) { return (item, secret) }
            }
        }
        if let damaged, let failure = CommandFailure(damaged: damaged, "SecKeychainItemCopyContent") { throw failure }
        let status = try absence()
        if status == .interactionNotAllowed { throw CommandFailure(status: status.rawValue) }
        throw CommandFailure(status, in: Self.searching)
    }

    /// The secret of an item; `nil` if it is damaged (the first such item is kept in `damaged`) or was just deleted.
    private func secret(of item: StoredItem, orElse damaged: inout StoredItem?) throws(CommandFailure) -> SecretBytes? {
        do throws(KeychainError) {
            return try item.store.secret(of: item)
        } catch {
            switch error.status {
            case .decode: damaged = damaged ?? item
            case .itemNotFound, .invalidItemReference: break
            case .interactionNotAllowed: throw CommandFailure(status: error.status.rawValue)
            default: throw CommandFailure(error, in: "SecKeychainItemCopyContent")
            }
            return nil
        }
    }

    /// The matching items of one keychain; the next one is searched only if there are none.
    private func items(in store: any ItemStore) throws(CommandFailure) -> [StoredItem] {
        try reporting(Self.searching) { () throws(KeychainError) in
            try store.items(fields.kind.itemClass, fields.filter)
        }
    }

    private func first(in store: any ItemStore) throws(CommandFailure) -> StoredItem? {
        try reporting(Self.searching) { () throws(KeychainError) in
            try store.first(fields.kind.itemClass, fields.filter)
        }
    }

    /// The reason why nothing was found.
    private func absence() throws(CommandFailure) -> Status {
        try reporting(Self.searching) { () throws(KeychainError) in
            try stores.statusOfEmptySearch(fields.kind.itemClass, fields.filter)
        }
    }
}

extension CommandFailure {
    /// Creates a failure for an item in a keychain file whose secret is damaged, naming the item; `nil` for one in the
    /// data protection keychain, which sets it aside.
    init?(damaged item: StoredItem, _ function: String) {
        guard item.store is FileKeychain else { return nil }
        let names: [AttributeName] = [.label, .service, .server, .account]
        let parts = names.compactMap { name in item[name].map { "\(name) \(Self.quoted($0))" } }
        self.init(
            .decode,
            in: function,
            detail: "the secret of the item with \(parts.joined(separator: ", ")) in "
                + "\(String(decoding: item.store.path.bytes, as: UTF8.self)) is damaged"
        )
    }

    private static func quoted(_ value: PropertyValue) -> String {
        String(decoding: ValueFormat.quoted(AttributeBlock.bytes(value) ?? []).bytes, as: UTF8.self)
    }
}

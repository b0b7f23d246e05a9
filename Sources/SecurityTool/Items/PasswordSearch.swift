// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A search for the first password item with some attributes.
struct PasswordSearch {
    let fields: PasswordFields

    /// The keychains to search; none for all.
    let operands: [Word]

    let keychain: UserKeychain

    /// The functions of macOS that prepare a search, and that go through it.
    static let preparing = "SecKeychainSearchCreateFromAttributes"
    static let searching = "SecKeychainSearchCopyNext"

    /// The first item.
    ///
    /// - Throws: ``CommandFailure``, with errSecItemNotFound when there is none.
    func first() throws(CommandFailure) -> StoredItem {
        guard let item = try items().first else { throw CommandFailure(try absence(), Self.searching) }
        return item
    }

    /// The first item whose secret is not damaged, and the secret.
    ///
    /// - Throws: ``CommandFailure``; without a message when a secret is there and cannot be had.
    func firstWithSecret() throws(CommandFailure) -> (StoredItem, SecretBytes) {
        for item in try items() {
            do {
                return (item, try keychain.secret(of: item))
            } catch {
                switch error.status {
                // Damaged: it has been set aside, and the next one is the first now. Or it was deleted just now.
                case .decode, .itemNotFound: continue
                case .interactionNotAllowed: throw CommandFailure(status: error.status.rawValue)
                default: throw CommandFailure(error, "SecKeychainItemCopyContent")
                }
            }
        }
        let status = try absence()
        if status == .interactionNotAllowed { throw CommandFailure(status: status.rawValue) }
        throw CommandFailure(status, Self.searching)
    }

    private func items() throws(CommandFailure) -> [StoredItem] {
        guard keychain.name.isSearched(by: operands) else { return [] }
        return try reporting(Self.searching) { () throws(KeychainError) in
            try keychain.items(fields.kind.itemClass, fields.filter)
        }
    }

    /// Why nothing was found.
    private func absence() throws(CommandFailure) -> Status {
        guard keychain.name.isSearched(by: operands) else { return .itemNotFound }
        return try reporting(Self.searching) { () throws(KeychainError) in
            try keychain.obstacle(fields.kind.itemClass, fields.filter) ?? .itemNotFound
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainImportExport

/// Where imported items go.
protocol ItemDestination {
    /// Adds a certificate or a key.
    ///
    /// - Throws: ``KeychainError``, with errSecDuplicateItem for what is there already.
    func add(_ item: NewItem) throws(KeychainError)
}

/// A certificate or key that is to be added.
struct NewItem {
    /// The item; no identity, which is two.
    let item: ExternalItem

    /// Whether a key may leave the keychain again.
    let isExtractable: Bool

    /// Who may use a key.
    let access: ImportedAccess

    /// The entries of an add by reference, but for the class.
    var attributes: [String: PropertyValue] { item.attributesToAdd(isExtractable: isExtractable) }
}

/// Who may use an imported key.
struct ImportedAccess {
    /// Every program (`-A`).
    var allowsAll = false

    /// The programs that were named (`-T`).
    var applications: [Word] = []
}

extension UserKeychain: ItemDestination {
    /// Adds an item to the common group; there are no lists of programs.
    func add(_ item: NewItem) throws(KeychainError) { try add(item.item.reference.itemClass, item.attributes) }
}

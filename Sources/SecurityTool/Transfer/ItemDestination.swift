// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainImportExport
import KeychainKeys

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
    var attributes: [String: PropertyValue] {
        var attributes: [String: PropertyValue] = [PropertyKey.valueReference: .reference(item.reference)]
        guard case .key(let half) = item.contents else { return attributes }
        attributes[AttributeName.label.description] = .string(item.label ?? half.importedLabel)
        if !isExtractable { attributes["extr"] = .boolean(false) }
        return attributes
    }
}

/// Who may use an imported key.
struct ImportedAccess {
    /// Every program (`-A`).
    var allowsAll = false

    /// The programs that were named (`-T`).
    var applications: [Word] = []
}

extension KeyHalf {
    /// The label of a key that comes without a name; scripts look for the first.
    fileprivate var importedLabel: String {
        switch self {
        case .private: "Imported Private Key"
        case .public: "Imported Public Key"
        }
    }
}

extension UserKeychain: ItemDestination {
    /// Adds an item to the common group; there are no lists of programs.
    func add(_ item: NewItem) throws(KeychainError) { try add(item.item.reference.itemClass, item.attributes) }
}

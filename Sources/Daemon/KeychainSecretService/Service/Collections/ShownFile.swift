// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A keychain file, and what people see of it.
struct ShownFile: Sendable, Hashable {
    let file: FileCollections.File
    let details: KeychainFileDetails

    var collection: CollectionName { CollectionName(of: file) }

    /// What it is called.
    var label: String { details.label ?? file.name }

    /// The value of a property of the collection other than its items.
    func value(_ property: Property) -> PropertyContent {
        switch property {
        case .collectionLabel: .text(label)
        case .collectionLocked: .boolean(details.isLocked)
        case .collectionCreated: PropertyContent(details.created)
        default: PropertyContent(details.modified)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Who may use an item, in the form of macOS: here, every program of the user.
enum AccessSection {
    static func text(_ item: StoredItem) -> ByteText {
        """
        access: 1 entries
            entry 0:
                authorizations (1): any
                don't-require-password
                description: \(description(item))
                applications: <null>

        """
    }

    /// The label; in the form of other values where it could break the lines.
    private static func description(_ item: StoredItem) -> ByteText {
        let label = AttributeBlock.bytes(item["labl"]) ?? []
        return label.allSatisfy(ValueFormat.isPrintable) ? ByteText(label) : ValueFormat.quoted(label)
    }
}

// SPDX-License-Identifier: Apache-2.0

/// An item of a file-based keychain with its attributes, without its secret.
package struct KeychainFileItem: Sendable, Hashable {
    /// The identifier within its keychain.
    package var identifier: Bytes16

    /// Its class; an identity is a certificate and a key.
    package var itemClass: ItemClass

    /// Its attributes by their names; none of an item whose attributes are damaged, while every other one has dates.
    package var attributes: [String: PropertyValue]

    /// Whether its attributes are damaged, so that only its existence is known.
    package var isUnreadable: Bool { attributes.isEmpty }

    /// An item.
    package init(identifier: Bytes16, itemClass: ItemClass, attributes: [String: PropertyValue]) {
        self.identifier = identifier
        self.itemClass = itemClass
        self.attributes = attributes
    }

    /// The changes of an update.
    package struct Changes: Sendable, Hashable {
        /// The attributes that get another value.
        package var attributes: [String: PropertyValue]

        /// The new secret; `nil` to keep it.
        package var secret: SecretBytes?

        /// The new access to the item; `nil` to keep the present one.
        package var access: ItemAccess?

        /// Changes.
        package init(
            attributes: [String: PropertyValue] = [:],
            secret: SecretBytes? = nil,
            access: ItemAccess? = nil
        ) {
            self.attributes = attributes
            self.secret = secret
            self.access = access
        }
    }
}

/// Identifies an item of a file-based keychain: the contents of a `SecKeychainItem`.
package struct KeychainItemReference: Sendable, Hashable {
    /// The path of the keychain.
    package var keychain: String

    /// The item's class.
    package var itemClass: ItemClass

    /// The item within the keychain.
    package var identifier: Bytes16

    /// A persistent reference of the data protection keychain that accompanies it, for an item of that keychain
    /// (Semantics, "References of passwords in the data protection keychain").
    package var dataProtectionReference: SecretBytes?

    /// A reference.
    package init(
        keychain: String,
        itemClass: ItemClass,
        identifier: Bytes16,
        dataProtectionReference: SecretBytes? = nil
    ) {
        self.keychain = keychain
        self.itemClass = itemClass
        self.identifier = identifier
        self.dataProtectionReference = dataProtectionReference
    }

    /// Whether both are one item: paths are bytes.
    package static func == (left: KeychainItemReference, right: KeychainItemReference) -> Bool {
        left.identifier == right.identifier && left.itemClass == right.itemClass
            && left.keychain.utf8.elementsEqual(right.keychain.utf8)
            && left.dataProtectionReference == right.dataProtectionReference
    }

    /// Hashes what two equal references have in common.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(identifier)
        hasher.combine(itemClass)
    }
}

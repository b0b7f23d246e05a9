// SPDX-License-Identifier: Apache-2.0

/// An item of a file-based keychain with its attributes, without its secret.
public struct KeychainFileItem: Sendable, Hashable {
    /// What identifies it within its keychain.
    public var identifier: Bytes16

    /// Its class; an identity is a certificate and a key.
    public var itemClass: ItemClass

    /// Its attributes by their names; none of an item whose attributes are damaged, while every other one has dates.
    public var attributes: [String: PropertyValue]

    /// Whether its attributes are damaged, so that nothing is known of it but that it is there.
    public var isUnreadable: Bool { attributes.isEmpty }

    /// An item.
    public init(identifier: Bytes16, itemClass: ItemClass, attributes: [String: PropertyValue]) {
        self.identifier = identifier
        self.itemClass = itemClass
        self.attributes = attributes
    }

    /// What an update changes.
    public struct Changes: Sendable, Hashable {
        /// The attributes that get another value.
        public var attributes: [String: PropertyValue]

        /// The new secret; `nil` to keep it.
        public var secret: SecretBytes?

        /// Who may use the item from now on; `nil` to keep that.
        public var access: ItemAccess?

        /// Changes.
        public init(
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

/// Which item of which file-based keychain: what a `SecKeychainItem` holds.
public struct KeychainItemReference: Sendable, Hashable {
    /// The path of the keychain.
    public var keychain: String

    /// The item's class.
    public var itemClass: ItemClass

    /// The item within the keychain.
    public var identifier: Bytes16

    /// A persistent reference of the data protection keychain that goes with it, for an item of that keychain
    /// (Semantics, "References of passwords in the data protection keychain").
    public var dataProtectionReference: SecretBytes?

    /// A reference.
    public init(
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
}

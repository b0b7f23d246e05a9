// SPDX-License-Identifier: Apache-2.0

/// The contents of a key in a request or a result.
package struct KeyReference: Sendable, Hashable {
    /// In a request the attributes of Semantics, "Attributes of a key", in an answer those that are stored.
    package var attributes: [String: PropertyValue]

    /// The external representation; of a key in the Secure Enclave, its sealed form.
    package var data: SecretBytes?

    /// The context for prompts when the key is used (``AuthenticationContext/identifier``); `nil` for a new one.
    package var context: Bytes16?

    /// Its location in a file-based keychain; `nil` if it is in none.
    package var keychainItem: KeychainItemReference?

    /// The public half of a private key whose bytes are unavailable, because its keychain is locked: a
    /// `SubjectPublicKeyInfo` in DER (RFC 5280, section 4.1).
    package var subjectPublicKeyInfo: [UInt8]?

    /// A key from its parts.
    package init(
        attributes: [String: PropertyValue],
        data: SecretBytes?,
        context: AuthenticationContext? = nil,
        keychainItem: KeychainItemReference? = nil,
        subjectPublicKeyInfo: [UInt8]? = nil
    ) {
        self.subjectPublicKeyInfo = subjectPublicKeyInfo
        self.keychainItem = keychainItem
        self.attributes = attributes
        self.data = data
        self.context = context?.identifier
    }
}

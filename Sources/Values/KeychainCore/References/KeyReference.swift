// SPDX-License-Identifier: Apache-2.0

/// What a key brings to a request, or what an answer makes one of.
package struct KeyReference: Sendable, Hashable {
    /// In a request the attributes of Semantics, "Attributes of a key", in an answer those that are stored.
    package var attributes: [String: PropertyValue]

    /// The external representation; of a key in the Secure Enclave, its sealed form.
    package var data: SecretBytes?

    /// In which context the owner is asked when the key is used (``AuthenticationContext/identifier``); `nil` for one
    /// of its own.
    package var context: Bytes16?

    /// Where in a file-based keychain it is; `nil` for a key that is in none.
    package var keychainItem: KeychainItemReference?

    /// The public half of a private key whose bytes are not at hand, because its keychain is locked: a
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

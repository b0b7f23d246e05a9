// SPDX-License-Identifier: Apache-2.0

/// The contents of a certificate in a request or a result.
package struct CertificateReference: Sendable, Hashable {
    /// In a request the computed attributes of Semantics, "Computed attributes"; in an answer nothing.
    package var attributes: [String: PropertyValue]

    /// The DER encoding.
    package var data: SecretBytes

    /// The label of an add that names none: the subject summary.
    package var subjectSummary: String?

    /// Its location in a file-based keychain; `nil` if it is in none.
    package var keychainItem: KeychainItemReference?

    /// A certificate from its parts.
    package init(
        attributes: [String: PropertyValue] = [:],
        data: SecretBytes,
        subjectSummary: String? = nil,
        keychainItem: KeychainItemReference? = nil
    ) {
        self.keychainItem = keychainItem
        self.attributes = attributes
        self.data = data
        self.subjectSummary = subjectSummary
    }
}

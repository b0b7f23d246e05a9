// SPDX-License-Identifier: Apache-2.0

/// What a certificate brings to a request, or what an answer makes one of.
package struct CertificateReference: Sendable, Hashable {
    /// In a request the computed attributes of Semantics, "Computed attributes"; in an answer nothing.
    package var attributes: [String: PropertyValue]

    /// The DER encoding.
    package var data: SecretBytes

    /// The label of an add that names none: the subject summary.
    package var subjectSummary: String?

    /// Where in a file-based keychain it is; `nil` for a certificate that is in none.
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

// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Replaces `kSecValueRef` by the values of the reference (Semantics, "Class of a query", "Adding an item" and "Copying
/// matching items").
enum ValueReference {
    /// The purpose of the dictionary.
    enum Purpose {
        /// To store the referenced object: its attributes and its data.
        case add
        /// To find what was stored: its attributes.
        case filter
    }

    /// Inserts the reference's class, attributes and data into the dictionary; values that the caller gives take
    /// precedence.
    ///
    /// - Throws: `errSecParam` for anything other than a key or a certificate, `errSecInteractionNotAllowed` if a key
    ///   to add is in a locked keychain file. Identities have operations of their own.
    static func expand(_ dictionary: inout PropertyDictionary, for purpose: Purpose) throws(KeychainError) {
        guard let value = dictionary[PropertyKey.valueReference] else { return }
        guard case .reference(let reference) = value, let brought = entries(of: reference, for: purpose, in: dictionary)
        else {
            throw .parameter("kSecValueRef is not a key or a certificate")
        }
        if purpose == .add, case .key(let key) = reference, key.data == nil, key.keychainItem != nil {
            throw KeychainError(
                .interactionNotAllowed,
                "the key is in a keychain file that is locked; unlock that first"
            )
        }
        dictionary[PropertyKey.valueReference] = nil
        dictionary.entries.merge(brought) { given, _ in given }
    }

    private static func entries(
        of reference: ItemReference,
        for purpose: Purpose,
        in dictionary: PropertyDictionary
    ) -> [String: PropertyValue]? {
        var entries: [String: PropertyValue]
        switch (reference, purpose) {
        case (.key(let key), .add):
            entries = key.attributes.filter { identifying.contains($0.key) || capabilities.contains($0.key) }
            // Accessibility and access control exclude each other, so that if either is given, it overrides both.
            if protecting.allSatisfy({ dictionary[$0] == nil }) {
                entries.merge(key.attributes.filter { protecting.contains($0.key) }) { $1 }
            }
            entries[PropertyKey.valueData] = key.data.map { .data($0) }
        case (.key(let key), .filter):
            entries = key.attributes.filter { identifying.contains($0.key) }
        case (.certificate(let certificate), .add):
            entries = certificate.attributes.filter { computed.contains($0.key) }
            entries[PropertyKey.valueData] = .data(certificate.data)
            entries[AttributeName.label.description] = certificate.subjectSummary.map { .string($0) }
        case (.certificate(let certificate), .filter):
            entries = certificate.attributes.filter { computed.contains($0.key) }
        case (.identity, _), (.keychainItem, _):
            return nil
        }
        entries[PropertyKey.itemClass] = .string(reference.itemClass.rawValue)
        return entries
    }

    /// The attributes of a key itself (Semantics, "Attributes of a key"), not those of the row that it was read from.
    private static let identifying: Set<String> = [
        "kcls", "type", "bsiz", "esiz", "klbl", "priv", "modi", "sens", "asen", "extr", "next", "tkid",
    ]

    /// The attributes of a certificate itself (Semantics, "Computed attributes"); others, such as an access group, are
    /// ignored.
    private static let computed: Set<String> = ["ctyp", "cenc", "subj", "issr", "slnr", "skid", "pkhh"]

    /// The attributes that a filter excludes (Semantics, "Copying matching items", step 2).
    private static let capabilities: Set<String> = [
        "perm", "sign", "vrfy", "encr", "decr", "drve", "wrap", "unwp", "snrc", "vyrc",
    ]

    /// The attributes that protect a key of the Secure Enclave.
    private static let protecting: Set<String> = [
        AttributeName.accessible.description, AttributeName.accessControl.description,
    ]
}

extension PropertyDictionary {
    /// Whether `kSecValueRef` names a certificate.
    var bringsCertificate: Bool {
        guard case .reference(.certificate)? = self[PropertyKey.valueReference] else { return false }
        return true
    }

    /// The identity that the dictionary names by `kSecValueRef`.
    var identity: IdentityReference? {
        guard case .reference(.identity(let identity))? = self[PropertyKey.valueReference] else { return nil }
        return identity
    }
}

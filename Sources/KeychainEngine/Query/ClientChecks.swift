// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// What is checked before a dictionary reaches the keychain proper (specification, section 3.6, step 1).
enum ClientChecks {
    /// Checks the dictionary of an add, or the query of another function, and brings names into their compared form.
    ///
    /// - Parameters:
    ///   - dictionary: what the caller gave.
    ///   - isAdd: whether it is the dictionary of an add.
    ///   - allowsSkip: whether `kSecUseAuthenticationUISkip` has a meaning: only in a copy.
    /// - Returns: The dictionary with a normalized issuer.
    /// - Throws: `errSecParam`, or `errSecUnimplemented` for a reference.
    static func prepare(
        _ dictionary: PropertyDictionary,
        isAdd: Bool = false,
        allowsSkip: Bool = false
    ) throws(KeychainError) -> PropertyDictionary {
        guard !dictionary.entries.isEmpty else { throw .parameter("the dictionary is empty") }
        try checkAccessControl(dictionary, refusesSynchronizable: isAdd)
        try checkReference(dictionary)
        try checkContext(dictionary)
        if !allowsSkip,
            dictionary[PropertyKey.useAuthenticationUI] == .string(PropertyKey.useAuthenticationUISkip)
        {
            throw .parameter("kSecUseAuthenticationUISkip is for SecItemCopyMatching only")
        }
        return try normalizingIssuer(dictionary)
    }

    /// Checks the new attributes of an update.
    static func prepareAttributes(_ attributes: PropertyDictionary) throws(KeychainError) -> PropertyDictionary {
        try checkAccessControl(attributes, refusesSynchronizable: true)
        if case .object(let type)? = attributes[PropertyKey.valueReference],
            ["SecKey", "SecCertificate"].contains(type)
        {
            throw KeychainError(.noSuchAttribute, "an update cannot take its values from a reference")
        }
        try checkReference(attributes)
        return try normalizingIssuer(attributes)
    }

    private static func checkAccessControl(
        _ dictionary: PropertyDictionary,
        refusesSynchronizable: Bool
    ) throws(KeychainError) {
        guard let value = dictionary[AttributeName.accessControl.description] else { return }
        guard case .accessControl(let accessControl) = value else {
            throw .parameter("kSecAttrAccessControl is not a SecAccessControl")
        }
        let synchronizable = dictionary[AttributeName.synchronizable.description]
        if refusesSynchronizable, accessControl.constraints != nil, synchronizable == .boolean(true) {
            throw .parameter("a synchronizable item cannot have an access control")
        }
    }

    private static func checkReference(_ dictionary: PropertyDictionary) throws(KeychainError) {
        switch dictionary[PropertyKey.valueReference] {
        case nil: return
        case .object("SecKey"), .object("SecCertificate"), .object("SecIdentity"):
            throw KeychainError(.unimplemented, "items by reference are not implemented yet")
        default: throw .parameter("kSecValueRef is not a key, certificate or identity")
        }
    }

    private static func checkContext(_ dictionary: PropertyDictionary) throws(KeychainError) {
        if dictionary[PropertyKey.useAuthenticationContext] != nil,
            dictionary[PropertyKey.useCredentialReference] != nil
        {
            throw .parameter("an authentication context and a credential reference exclude each other")
        }
    }

    private static func normalizingIssuer(
        _ dictionary: PropertyDictionary
    ) throws(KeychainError) -> PropertyDictionary {
        let key = AttributeName.issuer.description
        guard let value = dictionary[key] else { return dictionary }
        guard case .data(let name) = value else { throw .parameter("kSecAttrIssuer is not data") }
        var dictionary = dictionary
        dictionary[key] = .data(DistinguishedName.normalizedContent(name))
        return dictionary
    }
}

// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore

/// What is checked before a dictionary reaches the keychain proper (specification, section 3.6, step 1).
enum ClientChecks {
    /// Checks the dictionary of an add, or the query of another function, puts what a reference brings in its place, and
    /// brings names into their compared form.
    ///
    /// - Parameters:
    ///   - dictionary: what the caller gave.
    ///   - isAdd: whether it is the dictionary of an add.
    ///   - allowsSkip: whether `kSecUseAuthenticationUISkip` has a meaning: only in a copy.
    /// - Returns: The dictionary without a reference, and with a normalized issuer.
    /// - Throws: `errSecParam`.
    static func prepare(
        _ dictionary: PropertyDictionary,
        isAdd: Bool = false,
        allowsSkip: Bool = false
    ) throws(KeychainError) -> PropertyDictionary {
        guard !dictionary.entries.isEmpty else { throw .parameter("the dictionary is empty") }
        try checkAccessControl(dictionary, refusesSynchronizable: isAdd)
        let dictionary = try ValueReference.expand(normalizingIssuer(dictionary), for: isAdd ? .add : .filter)
        try checkContext(dictionary)
        if !allowsSkip,
            dictionary[PropertyKey.useAuthenticationUI] == .string(PropertyKey.useAuthenticationUISkip)
        {
            throw .parameter("kSecUseAuthenticationUISkip is for SecItemCopyMatching only")
        }
        return dictionary
    }

    /// Checks the new attributes of an update.
    static func prepareAttributes(_ attributes: PropertyDictionary) throws(KeychainError) -> PropertyDictionary {
        try checkAccessControl(attributes, refusesSynchronizable: true)
        switch attributes[PropertyKey.valueReference] {
        case nil: break
        case .reference(.key)?, .reference(.certificate)?:
            throw KeychainError(.noSuchAttribute, "an update cannot take its values from a reference")
        default: throw .parameter("kSecValueRef is not a key or a certificate")
        }
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

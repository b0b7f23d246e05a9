// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore

/// What is checked before a dictionary reaches the keychain proper (Semantics, "Order of checks", step 1).
enum ClientChecks {
    /// Checks the dictionary of an add, or the query of a copy or a delete, puts what a reference brings in its place, and
    /// brings names and numbers into the form that they are sent in.
    ///
    /// - Parameters:
    ///   - dictionary: what the caller gave.
    ///   - isAdd: whether it is the dictionary of an add.
    ///   - allowsSkip: whether `kSecUseAuthenticationUISkip` has a meaning: only in a copy.
    /// - Returns: The dictionary without a reference, and with a normalized issuer.
    /// - Throws: `errSecParam`; `errSecDecode` for a number that is not whole.
    static func prepare(
        _ dictionary: PropertyDictionary,
        isAdd: Bool = false,
        allowsSkip: Bool = false
    ) throws(KeychainError) -> PropertyDictionary {
        try RequestEncoding.encoded(prepareParameters(dictionary, isAdd: isAdd, allowsSkip: allowsSkip))
    }

    /// Checks both dictionaries of an update; they are encoded when both were checked.
    ///
    /// - Throws: `errSecParam`; `errSecDecode` for a number that is not whole.
    static func prepareUpdate(
        _ query: PropertyDictionary,
        _ attributes: PropertyDictionary
    ) throws(KeychainError) -> (query: PropertyDictionary, attributes: PropertyDictionary) {
        let query = try prepareParameters(query, isAdd: false, allowsSkip: false)
        let attributes = try prepareAttributes(attributes)
        return (try RequestEncoding.encoded(query), try RequestEncoding.encoded(attributes))
    }

    private static func prepareParameters(
        _ dictionary: PropertyDictionary,
        isAdd: Bool,
        allowsSkip: Bool
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
    private static func prepareAttributes(_ attributes: PropertyDictionary) throws(KeychainError) -> PropertyDictionary
    {
        try checkAccessControl(attributes, refusesSynchronizable: true)
        var attributes = attributes
        if let value = attributes[PropertyKey.valueReference] {
            guard case .reference(let reference) = value else {
                throw .parameter("kSecValueRef is not a key, a certificate or an identity")
            }
            // What a reference brings includes its class, and the class is no attribute that an update can set.
            attributes[PropertyKey.valueReference] = nil
            attributes[PropertyKey.itemClass] = .string(reference.itemClass.rawValue)
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

// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore

/// The checks before a request is sent to the keychain proper (Semantics, "Order of checks", step 1).
///
/// An invalid value is removed, so that it is reported once.
extension RequestDraft {
    static func checkAccessControlType(_ dictionary: inout PropertyDictionary) throws(KeychainError) {
        let key = PropertyKey.accessControl
        switch dictionary[key] {
        case .accessControl?, nil: return
        default:
            dictionary[key] = nil
            throw .parameter("kSecAttrAccessControl is not a SecAccessControl")
        }
    }

    static func checkAccessControlSynchronizable(_ dictionary: PropertyDictionary) throws(KeychainError) {
        guard case .accessControl(let accessControl)? = dictionary[PropertyKey.accessControl],
            accessControl.constraints != nil,
            dictionary[PropertyKey.synchronizable] == .boolean(true)
        else { return }
        throw .parameter("a synchronizable item cannot have an access control")
    }

    static func normalizeIssuer(_ dictionary: inout PropertyDictionary) throws(KeychainError) {
        let key = PropertyKey.issuer
        switch dictionary[key] {
        case nil: return
        case .data(let name)?: dictionary[key] = .data(DistinguishedName.normalizedContent(name))
        default:
            dictionary[key] = nil
            throw .parameter("kSecAttrIssuer is not data")
        }
    }

    static func checkPolicyType(_ dictionary: inout PropertyDictionary) throws(KeychainError) {
        switch dictionary[PropertyKey.matchPolicy] {
        case .policy?, nil: return
        default:
            dictionary[PropertyKey.matchPolicy] = nil
            throw .parameter("kSecMatchPolicy is not a SecPolicy")
        }
    }

    mutating func checkTokenType() throws(KeychainError) {
        switch dictionary[PropertyKey.tokenID] {
        case .string?, nil: return
        default:
            dictionary[PropertyKey.tokenID] = nil
            throw .parameter("kSecAttrTokenID is not a string")
        }
    }

    /// An item with a token's identifier is one of that token, and the Secure Enclave is the only one.
    func checkToken() throws(KeychainError) {
        guard case .string(let token)? = dictionary[PropertyKey.tokenID] else { return }
        guard token == PropertyKey.tokenSecureEnclave else {
            throw KeychainError(.itemNotFound, "there is no such token", subject: PropertyKey.tokenID)
        }
        guard case .string(let name)? = dictionary[PropertyKey.itemClass], name != ItemClass.key.rawValue else {
            return
        }
        throw .parameter("the Secure Enclave holds keys only", subject: PropertyKey.tokenID)
    }

    /// Replaces a reference by the values that it represents.
    mutating func expandValueReference() throws(KeychainError) {
        do throws(KeychainError) {
            try ValueReference.expand(&dictionary, for: function == .add ? .add : .filter)
        } catch {
            dictionary[PropertyKey.valueReference] = nil
            throw error
        }
    }

    /// The values of a reference include its class, and the class is not an attribute that an update can set.
    mutating func replaceValueReferenceOfAttributes() throws(KeychainError) {
        guard let value = attributes[PropertyKey.valueReference] else { return }
        attributes[PropertyKey.valueReference] = nil
        guard case .reference(let reference) = value else {
            throw .parameter("kSecValueRef is not a key, a certificate or an identity")
        }
        attributes[PropertyKey.itemClass] = .string(reference.itemClass.rawValue)
    }

    func checkContext() throws(KeychainError) {
        guard
            dictionary[PropertyKey.useAuthenticationContext] == nil
                || dictionary[PropertyKey.useCredentialReference] == nil
        else { throw .parameter("an authentication context and a credential reference exclude each other") }
    }

    func checkAuthenticationUISkip() throws(KeychainError) {
        guard dictionary[PropertyKey.useAuthenticationUI] != .string(PropertyKey.useAuthenticationUISkip) else {
            throw .parameter("kSecUseAuthenticationUISkip is for SecItemCopyMatching only")
        }
    }

    /// Brings the values of a dictionary into the form that they are sent in.
    mutating func encode(_ part: RequestPart) throws(RequestFault) {
        var encoded = part == .query ? dictionary : attributes
        if encoded.foreignKeys.contains(where: RequestEncoding.isFractional) {
            let fault = RequestFault(check: .encoding, part: part, error: RequestEncoding.fraction)
            guard faults != nil else { throw fault }
            faults?.append(fault)
        }
        try forEachEntry(of: encoded) { (key, value) throws(RequestFault) in
            do throws(KeychainError) {
                if let changed = try RequestEncoding.encoded(key, value, in: part) { encoded[key] = changed }
            } catch {
                encoded[key] = nil
                throw RequestFault(check: .encoding, part: part, key: key, error: error)
            }
        }
        switch part {
        case .query: dictionary = encoded
        case .attributes: attributes = encoded
        }
    }
}

/// Attributes that are looked at by their key, before the class is known.
extension PropertyKey {
    static let accessControl = AttributeName.accessControl.description
    static let accessGroup = AttributeName.accessGroup.description
    static let issuer = AttributeName.issuer.description
    static let synchronizable = AttributeName.synchronizable.description
    static let tokenID = AttributeName.tokenID.description
    /// The column of Apple's tables that holds the encrypted item: four characters, and not an attribute.
    static let columnOfItem = "data"
}

// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore
import KeychainMacFrontEnd

/// The identity that the user prefers for a service: the items that `security set-identity-preference` stores.
///
/// A preference (``IdentityPreference``) is searched for in the keychain files of the search list; if the user has
/// none, in the data protection keychain.
struct PreferredIdentity {
    private let preference: IdentityPreference
    private let context = KeychainContext.inEffect

    private static let digestKey = IdentityPreference.digest.description

    init(service: String) { preference = IdentityPreference(service: service) }

    /// The preferred certificate; `nil` if no preference is set, or its certificate no longer exists.
    func certificate() throws(KeychainError) -> SecCertificate? {
        guard let digest = try digestInEffect() else { return nil }
        for reference in try references(.certificate, [:]) {
            guard case .certificate(let found) = reference, let certificate = SecCertificate(found) else { continue }
            if Self.digest(certificate) == digest { return certificate }
        }
        return nil
    }

    /// The preferred identity; `nil` if no preference is set, or its certificate or key no longer exists.
    ///
    /// - Parameter issuers: names in DER, one of which must be an issuer in the chain; `nil` for any.
    /// - Returns: The identity.
    /// - Throws: An error if the keychains cannot be searched.
    func identity(issuedBy issuers: [PropertyValue]?) throws(KeychainError) -> SecIdentity? {
        guard let digest = try digestInEffect() else { return nil }
        let conditions = issuers.map { [PropertyKey.matchIssuers: PropertyValue.array($0)] } ?? [:]
        for reference in try references(.identity, conditions) {
            guard case .identity(let found) = reference, let identity = SecIdentity(found) else { continue }
            if Self.digest(identity.certificate) == digest { return identity }
        }
        return nil
    }

    /// Sets what is preferred for exactly this service; `nil` for nothing any more.
    func set(_ certificate: SecCertificate?) throws(KeychainError) {
        let stored = try stored().first { $0.service == preference.service }
        guard let certificate else {
            if let stored { _ = try perform(.delete(Self.query(stored))) }
            return
        }
        let digest = Self.digest(certificate)
        if let stored {
            let changes: PropertyDictionary = [Self.digestKey: .data(SecretBytes(digest))]
            _ = try perform(.update(Self.query(stored), attributes: changes))
            return
        }
        var item = Self.password(preference.attributes(digest: digest))
        item[PropertyKey.valueData] = .data(SecretBytes())
        if try hasFiles { item[PropertyKey.useKeychain] = .keychain(try context.fileBased.path(nil)) }
        _ = try perform(.add(item))
    }

    private struct Stored {
        var service: String
        var digest: [UInt8]
        var reference: SecretBytes
    }

    private func digestInEffect() throws(KeychainError) -> [UInt8]? {
        preference.inEffect(try stored()) { $0.service }?.digest
    }

    private static func password(_ attributes: [AttributeName: PropertyValue]) -> PropertyDictionary {
        var item: PropertyDictionary = [PropertyKey.itemClass: .string(ItemClass.genericPassword.rawValue)]
        for (name, value) in attributes { item[name.description] = value }
        return item
    }

    /// Every preference, in the order of the search.
    private func stored() throws(KeychainError) -> [Stored] {
        var query = Self.password(IdentityPreference.searched)
        query[PropertyKey.returnAttributes] = .boolean(true)
        query[PropertyKey.returnPersistentReference] = .boolean(true)
        return try found(query).compactMap { value in
            guard case .dictionary(let entries) = value,
                case .string(let service)? = entries[AttributeName.service.description],
                case .data(let digest)? = entries[Self.digestKey],
                case .data(let reference)? = entries[PropertyKey.valuePersistentReference]
            else { return nil }
            return Stored(service: service, digest: digest.unprotectedCopy, reference: reference)
        }
    }

    private func references(
        _ itemClass: ItemClass,
        _ conditions: [String: PropertyValue]
    ) throws(KeychainError) -> [ItemReference] {
        var query = PropertyDictionary(conditions)
        query[PropertyKey.itemClass] = .string(itemClass.rawValue)
        query[PropertyKey.returnReference] = .boolean(true)
        return try found(query).compactMap { if case .reference(let reference) = $0 { reference } else { nil } }
    }

    private func found(_ query: PropertyDictionary) throws(KeychainError) -> [ResultValue] {
        var query = query
        query[PropertyKey.matchLimit] = .string(PropertyKey.matchLimitAll)
        return try KeychainAnswer.values { () throws(KeychainError) in try perform(.copyMatching(query)) }
    }

    private static func query(_ stored: Stored) -> PropertyDictionary {
        [PropertyKey.valuePersistentReference: .data(stored.reference)]
    }

    private static func digest(_ certificate: SecCertificate) -> [UInt8] {
        certificate.certificate.sha256Digest
    }

    /// Whether the user has chosen a keychain file, in the search list or as default.
    private var hasFiles: Bool {
        get throws(KeychainError) {
            let preferences = context.fileBased.preferences
            if try preferences.defaultKeychain() != nil { return true }
            return try !preferences.searchList().isEmpty
        }
    }

    private func perform(_ operation: KeychainRequest.Operation) throws(KeychainError) -> KeychainAnswer {
        if try hasFiles { return try context.fileBased.item(operation) }
        let request = KeychainRequest(operation.inDataProtectionKeychain, client: context.client)
        return try context.backend.perform(request)
    }
}

extension KeychainRequest.Operation {
    /// The same, which the front end of macOS sends to the data protection keychain.
    fileprivate var inDataProtectionKeychain: Self {
        func marked(_ dictionary: PropertyDictionary) -> PropertyDictionary {
            var dictionary = dictionary
            dictionary[PropertyKey.useDataProtectionKeychain] = .boolean(true)
            return dictionary
        }
        return switch self {
        case .add(let item): .add(marked(item))
        case .copyMatching(let query): .copyMatching(marked(query))
        case .update(let query, let attributes): .update(marked(query), attributes: attributes)
        case .delete(let query): .delete(marked(query))
        case .set: self
        }
    }
}

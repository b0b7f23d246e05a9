// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore

/// Adding to file-based keychains (Semantics, "Functions of the file-based keychain").
extension FileBasedKeychain {
    func add(_ dictionary: PropertyDictionary) throws(KeychainError) -> KeychainAnswer {
        let query = try FileItemQuery(dictionary, .add)
        guard query.itemClass != .identity else {
            throw .parameter("an identity is added by its reference, without a class")
        }
        let keychains = openedKeychains(dictionary)
        let target = try target(query)
        let results = FileResults(wanted: query.returns, keychains: keychains)
        guard let objects = query.objects else {
            let item = try newItem(query)
            let stored = try store(item, in: target, keychains)
            return try results.result(.item(stored)).map { .single($0) } ?? .nothing
        }
        var stored: [ResultValue] = []
        var failure: KeychainError?
        for object in objects {
            do throws(KeychainError) {
                let item = try copied(object, for: query, in: keychains)
                let located = try store(item, in: target, keychains)
                if let result = try results.result(.item(located)) { stored.append(result) }
            } catch {
                // A duplicate never hides an earlier error.
                if failure == nil || error.status != .duplicateItem { failure = error }
            }
        }
        if let failure { throw failure }
        // An array also for a single object, as macOS returns it (r. 21111543).
        return .list(stored)
    }

    /// An item that is to be stored.
    private struct NewItem {
        var itemClass: ItemClass
        var attributes: [String: PropertyValue]
        var secret: SecretBytes
        var access: ItemAccess
    }

    private func target(_ query: FileItemQuery) throws(KeychainError) -> String {
        if let target = query.target, !query.usesDefaultKeychain { return target }
        guard let path = try preferences.defaultKeychain() else {
            throw KeychainError(.noDefaultKeychain, "there is no default keychain; SecKeychainSetDefault chooses one")
        }
        return path
    }

    private func store(
        _ item: NewItem,
        in target: String,
        _ keychains: OpenedKeychains
    ) throws(KeychainError) -> LocatedItem {
        let stored = try keychains.change(target) { (files) throws(KeychainError) in
            try files.add(
                item.itemClass,
                attributes: item.attributes,
                secret: item.secret,
                access: item.access,
                at: target
            )
        }
        return LocatedItem(keychain: target, item: stored)
    }

    /// The item that attributes and data describe.
    private func newItem(_ query: FileItemQuery) throws(KeychainError) -> NewItem {
        guard let itemClass = query.itemClass else { throw .parameter("kSecClass is missing") }
        let attributes = try FileAttributes.stored(query.entries, itemClass)
        let secret = query.secret ?? SecretBytes()
        guard itemClass == .certificate else {
            return NewItem(
                itemClass: itemClass,
                attributes: attributes.labelled(itemClass),
                secret: secret,
                access: query.access ?? defaultAccess(attributes.labelled(itemClass))
            )
        }
        guard let certificate = try? Certificate(der: secret.unprotectedCopy) else {
            throw .parameter("the data is not a certificate", subject: PropertyKey.valueData)
        }
        return newItem(certificate.reference, given: attributes, for: query)
    }

    private func newItem(
        _ certificate: CertificateReference,
        given: [String: PropertyValue],
        for query: FileItemQuery
    ) -> NewItem {
        var attributes = certificate.attributes
        attributes[AttributeName.label.description] =
            given[AttributeName.label.description] ?? certificate.subjectSummary.map { .string($0) }
        return NewItem(
            itemClass: .certificate,
            attributes: attributes,
            secret: certificate.data,
            access: ItemAccess(descriptor: attributes.label, trustedApplications: nil)
        )
    }

    /// The item of an object: a copy of an item in a keychain, or a certificate or key that is in none.
    private func copied(
        _ object: PropertyValue,
        for query: FileItemQuery,
        in keychains: OpenedKeychains
    ) throws(KeychainError) -> NewItem {
        switch object {
        case .reference(.identity(let identity)): return try copied(certificate: identity.certificate, query)
        case .reference(.certificate(let certificate)): return try copied(certificate: certificate, query)
        case .reference(.key(let key)) where key.keychainItem == nil:
            var attributes = key.attributes
            attributes.merge(try FileAttributes.stored(query.entries, .key)) { $1 }
            guard let data = key.data else {
                throw .parameter("the key does not leave its place", subject: PropertyKey.valueReference)
            }
            return NewItem(
                itemClass: .key,
                attributes: attributes,
                secret: data,
                access: query.access ?? defaultAccess(attributes)
            )
        default:
            guard let match = try search(query, keychains).resolved([object]).first else { throw .invalidItem }
            return NewItem(
                itemClass: match.main.item.itemClass,
                attributes: match.main.item.attributes,
                secret: try keychains.secret(of: match.main),
                access: try keychains.access(of: match.main)
            )
        }
    }

    private func copied(
        certificate reference: CertificateReference,
        _ query: FileItemQuery
    ) throws(KeychainError) -> NewItem {
        guard let certificate = try? Certificate(der: reference.data.unprotectedCopy) else {
            throw KeychainError(.decode, "the certificate does not decode", subject: PropertyKey.valueReference)
        }
        return newItem(certificate.reference, given: [:], for: query)
    }

    /// The program that adds may use the item without a question, and no other.
    func defaultAccess(_ attributes: [String: PropertyValue]) -> ItemAccess {
        ItemAccess(descriptor: attributes.label, trustedApplications: [program])
    }
}

extension [String: PropertyValue] {
    /// The attributes of a password with a label: the service or the server if none was given.
    fileprivate func labelled(_ itemClass: ItemClass) -> [String: PropertyValue] {
        guard itemClass.isPassword, self[AttributeName.label.description] == nil else { return self }
        let place: AttributeName = itemClass == .internetPassword ? .server : .service
        var labelled = self
        labelled[AttributeName.label.description] = self[place.description]
        return labelled
    }

    fileprivate var label: String {
        if case .string(let text)? = self[AttributeName.label.description] { text } else { "" }
    }
}

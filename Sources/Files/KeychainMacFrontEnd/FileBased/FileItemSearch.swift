// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore

/// One search of file-based keychains (Semantics, "Parameters of the file-based keychain").
struct FileItemSearch {
    let query: FileItemQuery
    let keychains: OpenedKeychains
    /// The keychains to search, in their order.
    let paths: [String]
    /// Evaluates certificates.
    let judge: (any CertificateJudge)?
    let now: Timestamp

    /// The matches, in the order of the keychains, up to the limit.
    ///
    /// - Throws: `errSecItemNotFound`; `errSecInvalidItemRef` if none of the objects in the query exists.
    func matches() throws(KeychainError) -> [FileMatch] {
        guard query.limit != 0 else { throw .nothingMatches }
        var found: [FileMatch]
        if let objects = query.objects {
            found = try resolved(objects)
            guard !found.isEmpty else { throw .invalidItem }
        } else {
            found = try searched()
        }
        if let allowed = query.allowed {
            let members = Set(try resolved(allowed).map(\.main))
            found = found.filter { members.contains($0.main) }
        }
        found = try filtered(found)
        guard !found.isEmpty else { throw .nothingMatches }
        return query.limit.map { Array(found.prefix($0)) } ?? found
    }

    // MARK: - By attributes

    private func searched() throws(KeychainError) -> [FileMatch] {
        switch query.itemClass {
        case .identity?: return try identities()
        case .key? where query.entries[AttributeName.keyClass.description] == nil:
            // Symmetric, public, private.
            var found: [FileMatch] = []
            for keyClass: Int64 in [2, 0, 1] {
                let items = try items(.key)
                found += items.filter { $0.item.keyClass == keyClass }.map { .item($0) }
            }
            return found
        case let itemClass?: return try items(itemClass).map { .item($0) }
        case nil: return []
        }
    }

    private func items(_ itemClass: ItemClass) throws(KeychainError) -> [LocatedItem] {
        let found = try keychains.items(try conditions(itemClass), in: paths)
        if found.isEmpty { try keychains.checkReadable(itemClass, in: paths) }
        return found
    }

    /// The conditions on attributes; issuer and serial number together are a separate search, and so is an e-mail
    /// address.
    private func conditions(_ itemClass: ItemClass) throws(KeychainError) -> FileItemConditions {
        var conditions = try FileAttributes.searched(query.entries, itemClass)
        guard itemClass == .certificate else { return conditions }
        if conditions.values[.issuer] != nil, conditions.values["slnr"] != nil {
            conditions.values = conditions.values.filter { $0.key == .issuer || $0.key == "slnr" }
        } else if query.certificates.emailAddress != nil {
            conditions.values = [:]
        }
        return conditions
    }

    /// Certificates with private keys: a search of its own, in which of the attributes only the uses of keys count.
    private func identities() throws(KeychainError) -> [FileMatch] {
        var uses = try FileAttributes.searched(query.entries, .key)
        uses.values = uses.values.filter { Self.keyUses.contains($0.key.description) }
        let keys = try keychains.items(uses, in: paths).filter { $0.item.keyClass == 1 }
        let found: [FileMatch] = try keychains.items(FileItemConditions(.certificate), in: paths).compactMap {
            certificate in
            keys.first { $0.item.isKey(of: certificate.item) }
                .map { .identity(certificate: certificate, key: $0, isNamed: false) }
        }
        if found.isEmpty {
            for itemClass in [ItemClass.certificate, .key] { try keychains.checkReadable(itemClass, in: paths) }
        }
        return found
    }

    private static let keyUses: Set<String> = ["encr", "decr", "drve", "sign", "vrfy", "wrap", "unwp"]

    // MARK: - By objects

    /// The items of objects, up to the first that does not exist.
    func resolved(_ objects: [PropertyValue]) throws(KeychainError) -> [FileMatch] {
        var found: [FileMatch] = []
        for object in objects {
            guard let match = try resolved(object) else { break }
            found.append(match)
        }
        return found
    }

    private func resolved(_ object: PropertyValue) throws(KeychainError) -> FileMatch? {
        switch object {
        case .data(let bytes):
            guard let item = FilePersistentReference.item(bytes) else { return nil }
            return try match(item)
        case .reference(.keychainItem(let item)): return try match(item)
        case .reference(.key(let key)): return try located(key).map { .item($0) }
        case .reference(.certificate(let certificate)): return try located(certificate).map { .item($0) }
        case .reference(.identity(let identity)):
            guard let certificate = try located(identity.certificate), let key = try located(identity.key) else {
                return nil
            }
            return .identity(certificate: certificate, key: key, isNamed: true)
        default: return nil
        }
    }

    private func match(_ reference: KeychainItemReference) throws(KeychainError) -> FileMatch? {
        guard let item = try keychains.item(reference) else { return nil }
        guard reference.itemClass == .identity else { return .item(item) }
        let key = try keychains.items(FileItemConditions(.key), in: [reference.keychain] + paths)
            .first { $0.item.keyClass == 1 && $0.item.isKey(of: item.item) }
        return key.map { .identity(certificate: item, key: $0, isNamed: true) }
    }

    private func located(_ certificate: CertificateReference) throws(KeychainError) -> LocatedItem? {
        if let item = certificate.keychainItem { return try keychains.item(item) }
        let names = [AttributeName.issuer.description, "slnr"]
        let conditions = try FileAttributes.searched(
            PropertyEntries(certificate.attributes.filter { names.contains($0.key) }),
            .certificate
        )
        return try keychains.items(conditions, in: paths).first
    }

    private func located(_ key: KeyReference) throws(KeychainError) -> LocatedItem? {
        if let item = key.keychainItem { return try keychains.item(item) }
        let names = [AttributeName.keyClass.description, AttributeName.applicationLabel.description]
        let conditions = try FileAttributes.searched(
            PropertyEntries(key.attributes.filter { names.contains($0.key) }),
            .key
        )
        return try keychains.items(conditions, in: paths).first
    }

    // MARK: - Certificates

    private func filtered(_ found: [FileMatch]) throws(KeychainError) -> [FileMatch] {
        guard query.certificates.isNeeded else { return found }
        let pool = CertificatePool(query.certificates.needsChains ? try allCertificates() : [])
        var kept: [FileMatch] = []
        for match in found {
            guard match.main.item.itemClass == .certificate else {
                kept.append(match)
                continue
            }
            guard let certificate = try certificate(match.main) else { continue }
            if try query.certificates.accepts(certificate, from: pool, judgedBy: judge, now: now) { kept.append(match) }
        }
        return kept
    }

    private func allCertificates() throws(KeychainError) -> [Certificate] {
        var certificates: [Certificate] = []
        for item in try keychains.items(FileItemConditions(.certificate), in: paths) {
            if let certificate = try certificate(item) { certificates.append(certificate) }
        }
        return certificates
    }

    private func certificate(_ item: LocatedItem) throws(KeychainError) -> Certificate? {
        try? Certificate(der: try keychains.secret(of: item).unprotectedCopy)
    }
}

extension KeychainFileItem {
    /// The number of the key class: 0 public, 1 private, 2 symmetric.
    var keyClass: Int64? {
        guard let value = attributes[AttributeName.keyClass.description],
            let column = ItemSchema.of(.key)[.keyClass],
            case .number(let number)? = try? column.coerce(value)
        else { return nil }
        return number.exactInteger
    }

    /// Whether it is a key of the pair whose public half a certificate has.
    func isKey(of certificate: KeychainFileItem) -> Bool {
        guard case .data(let hash)? = certificate.attributes[AttributeName.publicKeyHash.description] else {
            return false
        }
        return attributes[AttributeName.applicationLabel.description] == .data(hash)
    }
}

extension KeychainError {
    static let nothingMatches = KeychainError(.itemNotFound, "no item of a file-based keychain matches")
}

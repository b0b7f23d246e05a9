// SPDX-License-Identifier: Apache-2.0

import KeychainContainers
import KeychainCore
import KeychainFiles
import KeychainMacFrontEnd

/// A keychain file, which has a lock and a password of its own.
struct FileKeychain: ItemStore {
    /// The absolute path.
    let location: String

    private let files: KeychainFileService

    init(_ path: String, _ files: KeychainFileService) {
        location = path
        self.files = files
    }

    var path: ByteText { ByteText(location) }

    var version: Int { KeychainHome.formatVersion(location) }

    /// Statuses for which a search skips the keychain: it does not exist, or cannot be opened.
    ///
    /// If nothing else is found, all of them except the first are reported (``checkReadable()``).
    private static let passedOver: Set<Status> = [.noSuchKeychain, .invalidKeychain, .writePermission, .io]

    /// - Throws: `errSecNoSuchKeychain`, `errSecInvalidKeychain`.
    func checkExists() throws(KeychainError) { _ = try files.status(at: location) }

    /// - Throws: `errSecInvalidKeychain`, `errSecWrPerm`, `errSecIO`.
    func checkReadable() throws(KeychainError) {
        do throws(KeychainError) { try checkExists() } catch {
            // The search itself has reported other errors.
            guard error.status != .noSuchKeychain, Self.passedOver.contains(error.status) else { return }
            let reason = error.reason.contains(location) ? error.reason : "\(location): \(error.reason)"
            let isDamaged = error.status == .invalidKeychain
            throw KeychainError(error.status, reason, kind: isDamaged ? .storage(.damaged) : error.kind)
        }
    }

    var isLocked: Bool {
        get throws(KeychainError) { try files.status(at: location).isLocked }
    }

    func unlock(_ password: SecretBytes) throws(KeychainError) { try files.unlock(at: location, password: password) }

    func checkCanAdd() throws(KeychainError) {
        guard try isLocked else { return }
        throw KeychainError(.interactionNotAllowed, "the keychain is locked")
    }

    func items(_ itemClass: ItemClass, _ conditions: Conditions) throws(KeychainError) -> [StoredItem] {
        do throws(KeychainError) {
            guard let conditions = conditions.ofFiles(itemClass) else { return [] }
            return try files.items(conditions, at: location).map { StoredItem($0, in: self) }
        } catch {
            guard Self.passedOver.contains(error.status) else { throw error }
            return []
        }
    }

    /// Every item can be shown, even while the keychain is locked, unless its attributes are damaged.
    func obstacle(_ itemClass: ItemClass, _ conditions: Conditions) throws(KeychainError) -> Status? {
        do throws(KeychainError) {
            return try files.items(at: location).hasUnreadable(itemClass) ? .decode : nil
        } catch {
            guard Self.passedOver.contains(error.status) else { throw error }
            return nil
        }
    }

    func secret(of item: StoredItem) throws(KeychainError) -> SecretBytes {
        try files.secret(of: item.identifier, at: location)
    }

    func access(of item: StoredItem) throws(KeychainError) -> ItemAccess? {
        try files.access(of: item.identifier, at: location)
    }

    func add(
        _ itemClass: ItemClass,
        attributes: [String: PropertyValue],
        secret: SecretBytes,
        access: RequestedAccess
    ) throws(KeychainError) {
        let label = ByteText(AttributeBlock.bytes(attributes[AttributeName.label.description]) ?? [])
        let descriptor = String(validating: label.bytes, as: UTF8.self) ?? ""
        let new = access.new(descriptor, version: version)
        _ = try files.add(itemClass, attributes: attributes, secret: secret, access: new, at: location)
    }

    func add(_ item: NewItem) throws(KeychainError) {
        guard let contents = item.contents else { throw .parameter("the item has no bytes to store") }
        var attributes = contents.attributes
        // Keychain files store this for certificates of every version.
        if attributes["ctyp"] != nil { attributes["ctyp"] = .number(.integer(1)) }
        try add(item.item.reference.itemClass, attributes: attributes, secret: contents.bytes, access: item.access)
    }

    func update(
        _ item: StoredItem,
        attributes: [String: PropertyValue],
        secret: SecretBytes?,
        access: RequestedAccess
    ) throws(KeychainError) {
        var merged: ItemAccess?
        if access.changesAccess { merged = access.merged(into: try files.access(of: item.identifier, at: location)) }
        let changes = KeychainFileItem.Changes(attributes: attributes, secret: secret, access: merged)
        try files.update(item.identifier, changes, at: location)
    }

    func delete(_ item: StoredItem) throws(KeychainError) { try files.remove(item.identifier, at: location) }

    /// Replaces the partition list of an item; requires the password of the keychain.
    func setPartitions(
        _ partitions: [String],
        of item: StoredItem,
        password: SecretBytes
    ) throws(KeychainError) {
        try files.setPartitions(partitions, of: item.identifier, password: password, at: location)
    }
}

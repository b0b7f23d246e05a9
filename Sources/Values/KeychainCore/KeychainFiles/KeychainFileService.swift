// SPDX-License-Identifier: Apache-2.0

/// File-based keychains, by the paths of their files.
///
/// It sends commands, and has no state except for their destination. Thread-safe. Every function throws a
/// ``KeychainError``: `errSecNoSuchKeychain` if there is no file, `errSecInvalidKeychain` for a file that is not a
/// keychain, `errSecInteractionNotAllowed` if a keychain is locked and must not be, `errSecAuthFailed` for a wrong
/// password.
package struct KeychainFileService: Sendable {
    /// Performs the commands.
    package typealias Perform = @Sendable (KeychainFileCommand) throws(KeychainError) -> KeychainReply

    private let perform: Perform

    /// Keychains that commands reach through a closure.
    package init(_ perform: @escaping Perform) { self.perform = perform }

    /// Creates a keychain, which stays unlocked.
    ///
    /// - Throws: `errSecDuplicateKeychain` if there already is a file.
    package func create(at path: String, password: SecretBytes) throws(KeychainError) {
        try performAction(path, .create(password: password))
    }

    /// Removes a keychain with everything in it.
    package func delete(at path: String) throws(KeychainError) { try performAction(path, .delete) }

    /// Locks a keychain for every program.
    package func lock(at path: String) throws(KeychainError) { try performAction(path, .lock) }

    /// Locks every keychain that is unlocked.
    package func lockAll() throws(KeychainError) { _ = try perform(.lockAll) }

    /// Unlocks a keychain for every program of the user.
    package func unlock(at path: String, password: SecretBytes) throws(KeychainError) {
        try performAction(path, .unlock(password: password))
    }

    /// The status of a keychain, as available without its password.
    package func status(at path: String) throws(KeychainError) -> KeychainFileStatus {
        guard case .fileStatus(let status) = try perform(.keychain(path: path, .status)) else {
            throw .unexpectedReply
        }
        return status
    }

    /// Sets when a keychain, which has to be unlocked, locks automatically.
    package func setSettings(_ settings: KeychainFileSettings, at path: String) throws(KeychainError) {
        try performAction(path, .setSettings(settings))
    }

    /// Replaces the password of a keychain.
    package func changePassword(
        at path: String,
        from old: SecretBytes,
        to new: SecretBytes
    ) throws(KeychainError) {
        try performAction(path, .changePassword(from: old, to: new))
    }

    /// Every item of a keychain with its attributes, also of a locked one, in the order in which they were added.
    package func items(at path: String) throws(KeychainError) -> [KeychainFileItem] {
        guard case .fileItems(let items) = try perform(.keychain(path: path, .items)) else { throw .unexpectedReply }
        return items
    }

    /// The items of a keychain that meet conditions, as ``items(at:)``, without those with damaged attributes.
    package func items(_ conditions: FileItemConditions, at path: String) throws(KeychainError) -> [KeychainFileItem] {
        guard case .fileItems(let items) = try perform(.keychain(path: path, .find(conditions))) else {
            throw .unexpectedReply
        }
        return items
    }

    /// The secret of an item.
    ///
    /// - Throws: `errSecInvalidItemRef` for an item that does not exist.
    package func secret(of item: Bytes16, at path: String) throws(KeychainError) -> SecretBytes {
        guard case .secret(let secret) = try perform(.keychain(path: path, .secret(of: item))) else {
            throw .unexpectedReply
        }
        return secret
    }

    /// The access to an item, which is sealed with the secret.
    package func access(of item: Bytes16, at path: String) throws(KeychainError) -> ItemAccess {
        guard case .itemAccess(let access) = try perform(.keychain(path: path, .access(of: item))) else {
            throw .unexpectedReply
        }
        return access
    }

    /// Adds an item.
    ///
    /// - Returns: The stored item, with its identifier and its dates.
    /// - Throws: `errSecDuplicateItem`.
    package func add(
        _ itemClass: ItemClass,
        attributes: [String: PropertyValue],
        secret: SecretBytes,
        access: ItemAccess,
        at path: String
    ) throws(KeychainError) -> KeychainFileItem {
        let item = KeychainFileItem(identifier: .zero, itemClass: itemClass, attributes: attributes)
        guard case .fileItems(let items) = try perform(.keychain(path: path, .add(item, secret: secret, access))),
            let stored = items.first
        else { throw .unexpectedReply }
        return stored
    }

    /// Changes an item.
    ///
    /// - Throws: `errSecDuplicateItem`, `errSecInvalidItemRef`.
    package func update(
        _ item: Bytes16,
        _ changes: KeychainFileItem.Changes,
        at path: String
    ) throws(KeychainError) {
        try performAction(path, .update(item, changes))
    }

    /// Replaces the partition list of an item.
    package func setPartitions(
        _ partitions: [String],
        of item: Bytes16,
        password: SecretBytes,
        at path: String
    ) throws(KeychainError) {
        try performAction(path, .setPartitions(partitions, of: item, password: password))
    }

    /// Removes an item.
    package func remove(_ item: Bytes16, at path: String) throws(KeychainError) {
        try performAction(path, .remove(item))
    }

    /// Label and times of a keychain, as available without its password.
    package func details(at path: String) throws(KeychainError) -> KeychainFileDetails {
        guard case .fileDetails(let details) = try perform(.keychain(path: path, .details)) else {
            throw .unexpectedReply
        }
        return details
    }

    /// Sets what people see as the name of a keychain, which has to be unlocked.
    package func setLabel(_ label: String, at path: String) throws(KeychainError) {
        try performAction(path, .setLabel(label))
    }

    /// Carries out a command by lookup attributes in a keychain; the replies are those of a ``LookupRequest``.
    package func perform(
        _ operation: LookupRequest.Operation,
        at path: String
    ) throws(KeychainError) -> KeychainReply {
        try perform(.keychain(path: path, .lookup(operation)))
    }

    private func performAction(_ path: String, _ action: KeychainFileCommand.Action) throws(KeychainError) {
        guard case .done = try perform(.keychain(path: path, action)) else { throw .unexpectedReply }
    }
}

// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The generic passwords of one service, with one protection, in one access group.
///
/// ```swift
/// let keychain = SystemKeychain()
/// let logins = ServiceKeychain("com.example.login", protection: .accessible(.afterFirstUnlock), in: keychain)
/// try logins.set("t0ken", for: "ada")
/// let token = try logins["ada"]
/// try logins.deleteAll()
/// ```
///
/// Its calls affect only its own items: an item of the same service with another access group, or another
/// synchronizability, is a different one, and stays. A subscript reads and never prompts; it has no setter, because a
/// setter cannot throw.
public struct ServiceKeychain: Sendable {
    /// The service.
    public let service: String

    /// The protection of newly stored items.
    public let protection: Protection

    /// The access group; `nil` for the app's default group.
    public let accessGroup: String?

    /// Whether its items are in the set that iCloud Keychain synchronizes.
    public let isSynchronizable: Bool

    /// The keychain.
    public let keychain: any KeychainProtocol

    /// Creates a keychain for the passwords of a service.
    ///
    /// - Parameters:
    ///   - service: the service, such as `com.example.login`.
    ///   - accessGroup: the access group; `nil` for the app's default group.
    ///   - isSynchronizable: whether its items are in the set that iCloud Keychain synchronizes.
    ///   - protection: the protection of newly stored items; existing items keep theirs until they are set.
    ///   - keychain: the keychain.
    public init(
        _ service: String,
        accessGroup: String? = nil,
        isSynchronizable: Bool = false,
        protection: Protection,
        in keychain: any KeychainProtocol
    ) {
        self.service = service
        self.protection = protection
        self.accessGroup = accessGroup
        self.isSynchronizable = isSynchronizable
        self.keychain = keychain
    }

    /// The item of an account, for the calls of ``keychain`` that are not here.
    public func item(_ account: String = "") -> GenericPassword {
        GenericPassword(
            service: service,
            account: account,
            accessGroup: accessGroup,
            isSynchronizable: isSynchronizable
        )
    }

    /// Every item of it.
    public var selection: ItemSelection<GenericPassword> {
        ItemSelection.all(ofService: service).inAccessGroup(accessGroup).synchronizable(isSynchronizable)
    }
}

// Blocking calls.
extension ServiceKeychain {
    /// The text of an account; `nil` only if there is none.
    ///
    /// Never prompts. The compiler rejects it in asynchronous code, but not on the right of `??` or within another
    /// autoclosure there: await `value(_:for:authentication:)` instead.
    public subscript(account: String) -> String? {
        @available(*, noasync, message: "it blocks the thread; await value(String.self, for:), or use blocking { … }")
        get throws(KeychainItemError) { try keychain.string(for: item(account)) }
    }

    /// The bytes of an account; `nil` only if there is none.
    ///
    /// Never prompts; in asynchronous code the same applies as for ``subscript(_:)``.
    public subscript(data account: String) -> Data? {
        @available(*, noasync, message: "it blocks the thread; await value(Data.self, for:), or use blocking { … }")
        get throws(KeychainItemError) { try keychain.data(for: item(account)) }
    }

    /// Stores a value for an account, or replaces it, with this protection.
    ///
    /// - Throws: ``KeychainItemError``; then nothing has changed.
    @available(*, noasync, message: "it blocks the thread; await it, or use blocking { … } where that is intended")
    public func set(
        _ value: some KeychainStorable,
        for account: String = "",
        authentication: Authentication = .allowed
    ) throws(KeychainItemError) {
        try keychain.set(value, for: item(account), protection: protection, authentication: authentication)
    }

    /// Reads the value of an account; never prompts unless `authentication` is given.
    ///
    /// - Returns: The value; `nil` only if there is none.
    /// - Throws: ``KeychainItemError``
    @available(*, noasync, message: "it blocks the thread; await it, or use blocking { … } where that is intended")
    public func value<Value: KeychainStorable>(
        _ type: Value.Type,
        for account: String = "",
        authentication: Authentication = .forbidden
    ) throws(KeychainItemError) -> Value? {
        try keychain.value(type, for: item(account), authentication: authentication)
    }

    /// Whether there is an item for an account; never prompts, and works in every lock state.
    @available(*, noasync, message: "it blocks the thread; await it, or use blocking { … } where that is intended")
    public func contains(_ account: String = "") throws(KeychainItemError) -> Bool {
        try keychain.contains(item(account))
    }

    /// Deletes the item of an account, locked or not; never prompts.
    ///
    /// - Returns: Whether it existed.
    @discardableResult
    @available(*, noasync, message: "it blocks the thread; await it, or use blocking { … } where that is intended")
    public func delete(_ account: String = "") throws(KeychainItemError) -> Bool { try keychain.delete(item(account)) }

    /// The accounts that have an item, sorted; never prompts unless `authentication` is given.
    @available(*, noasync, message: "it blocks the thread; await it, or use blocking { … } where that is intended")
    public func accounts(authentication: Authentication = .forbidden) throws(KeychainItemError) -> [String] {
        try keychain.items(matching: selection, authentication: authentication).map(\.item.account).sorted()
    }

    /// Deletes all of its items, locked or not; never prompts.
    ///
    /// - Returns: Whether there were any.
    @discardableResult
    @available(*, noasync, message: "it blocks the thread; await it, or use blocking { … } where that is intended")
    public func deleteAll() throws(KeychainItemError) -> Bool { try keychain.deleteAll(matching: selection) }

    /// Runs blocking calls in asynchronous code on purpose; see ``KeychainProtocol/blocking(_:)``.
    ///
    /// - Parameter body: the code that makes the calls.
    /// - Returns: The result of `body`.
    /// - Throws: The errors of `body`.
    public func blocking<Result, Failure: Error>(
        _ body: (ServiceKeychain) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(self)
    }
}

// The same on a thread of its own.
extension ServiceKeychain {
    /// Stores a value for an account, or replaces it, with this protection; a cancelled task ends the prompt.
    public func set(
        _ value: some KeychainStorable & Sendable,
        for account: String = "",
        authentication: Authentication = .allowed
    ) async throws(KeychainItemError) {
        try await keychain.set(value, for: item(account), protection: protection, authentication: authentication)
    }

    /// Reads the value of an account; never prompts unless `authentication` is given.
    public func value<Value: KeychainStorable & Sendable>(
        _ type: Value.Type,
        for account: String = "",
        authentication: Authentication = .forbidden
    ) async throws(KeychainItemError) -> Value? {
        try await keychain.value(type, for: item(account), authentication: authentication)
    }

    /// Whether there is an item for an account.
    public func contains(_ account: String = "") async throws(KeychainItemError) -> Bool {
        try await keychain.contains(item(account))
    }

    /// Deletes the item of an account.
    @discardableResult
    public func delete(_ account: String = "") async throws(KeychainItemError) -> Bool {
        try await keychain.delete(item(account))
    }

    /// The accounts that have an item, sorted.
    public func accounts(authentication: Authentication = .forbidden) async throws(KeychainItemError) -> [String] {
        try await keychain.items(matching: selection, authentication: authentication).map(\.item.account).sorted()
    }

    /// Deletes every item of it.
    @discardableResult
    public func deleteAll() async throws(KeychainItemError) -> Bool {
        try await keychain.deleteAll(matching: selection)
    }
}

// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension KeychainProtocol {
    /// Reads a value.
    ///
    /// - Parameters:
    ///   - type: the type of the value.
    ///   - item: the item.
    ///   - authentication: whether and how the user may be prompted; never unless it is given.
    /// - Returns: The value; `nil` only if no item matches.
    /// - Throws: ``KeychainItemError``, of the kind `undecodableValue` if the stored bytes are not such a value.
    @available(*, noasync, message: "it blocks the thread; await it, or use blocking { … } where that is intended")
    public func value<Value: KeychainStorable>(
        _ type: Value.Type,
        for item: some KeychainItem,
        authentication: Authentication = .forbidden
    ) throws(KeychainItemError) -> Value? {
        guard let contents = try itemContents(of: item, authentication: authentication) else { return nil }
        return try Conversion(operation: .read, item: item).value(type, contents)
    }

    /// Does the same on a thread of its own; a cancelled task ends the prompt.
    public func value<Value: KeychainStorable & Sendable>(
        _ type: Value.Type,
        for item: some KeychainItem,
        authentication: Authentication = .forbidden
    ) async throws(KeychainItemError) -> Value? {
        try await waiting(for: .read, of: item, authentication: authentication) {
            (authentication) throws(KeychainItemError) in
            try value(type, for: item, authentication: authentication)
        }
    }

    /// Reads the bytes of a password item.
    ///
    /// - Parameters:
    ///   - item: the item.
    ///   - authentication: whether and how the user may be prompted; never unless it is given.
    /// - Returns: The bytes; `nil` only if no item matches.
    /// - Throws: ``KeychainItemError``
    @available(*, noasync, message: "it blocks the thread; await it, or use blocking { … } where that is intended")
    public func data(
        for item: some KeychainItem,
        authentication: Authentication = .forbidden
    ) throws(KeychainItemError) -> Data? {
        try value(Data.self, for: item, authentication: authentication)
    }

    /// Does the same on a thread of its own; a cancelled task ends the prompt.
    public func data(
        for item: some KeychainItem,
        authentication: Authentication = .forbidden
    ) async throws(KeychainItemError) -> Data? {
        try await waiting(for: .read, of: item, authentication: authentication) {
            (authentication) throws(KeychainItemError) in
            try data(for: item, authentication: authentication)
        }
    }

    /// Reads text of UTF-8.
    ///
    /// - Parameters:
    ///   - item: the item.
    ///   - authentication: whether and how the user may be prompted; never unless it is given.
    /// - Returns: The text; `nil` only if no item matches.
    /// - Throws: ``KeychainItemError``, of the kind `undecodableValue` if the stored bytes are not UTF-8.
    @available(*, noasync, message: "it blocks the thread; await it, or use blocking { … } where that is intended")
    public func string(
        for item: some KeychainItem,
        authentication: Authentication = .forbidden
    ) throws(KeychainItemError) -> String? {
        try value(String.self, for: item, authentication: authentication)
    }

    /// Does the same on a thread of its own; a cancelled task ends the prompt.
    public func string(
        for item: some KeychainItem,
        authentication: Authentication = .forbidden
    ) async throws(KeychainItemError) -> String? {
        try await waiting(for: .read, of: item, authentication: authentication) {
            (authentication) throws(KeychainItemError) in
            try string(for: item, authentication: authentication)
        }
    }

    /// Reads the contents of an item: the data of a password, a key, a certificate.
    ///
    /// - Parameters:
    ///   - item: the item.
    ///   - authentication: whether and how the user may be prompted; never unless it is given.
    /// - Returns: The contents; `nil` only if no item matches.
    /// - Throws: ``KeychainItemError``
    @available(*, noasync, message: "it blocks the thread; await it, or use blocking { … } where that is intended")
    public func contents(
        of item: some KeychainItem,
        authentication: Authentication = .forbidden
    ) throws(KeychainItemError) -> ItemContents? {
        try itemContents(of: item, authentication: authentication)
    }

    /// Does the same on a thread of its own; a cancelled task ends the prompt.
    public func contents(
        of item: some KeychainItem,
        authentication: Authentication = .forbidden
    ) async throws(KeychainItemError) -> ItemContents? {
        try await waiting(for: .read, of: item, authentication: authentication) {
            (authentication) throws(KeychainItemError) in
            try itemContents(of: item, authentication: authentication)
        }
    }

    /// Reads the attributes of an item.
    ///
    /// - Parameters:
    ///   - item: the item.
    ///   - authentication: whether and how the user may be prompted; never unless it is given.
    /// - Returns: The attributes; `nil` only if no item matches.
    /// - Throws: ``KeychainItemError``; an item with an access control requires authentication here, too.
    @available(*, noasync, message: "it blocks the thread; await it, or use blocking { … } where that is intended")
    public func attributes(
        of item: some KeychainItem,
        authentication: Authentication = .forbidden
    ) throws(KeychainItemError) -> ItemAttributes? {
        try itemAttributes(of: item, authentication: authentication)
    }

    /// Does the same on a thread of its own; a cancelled task ends the prompt.
    public func attributes(
        of item: some KeychainItem,
        authentication: Authentication = .forbidden
    ) async throws(KeychainItemError) -> ItemAttributes? {
        try await waiting(for: .attributes, of: item, authentication: authentication) {
            (authentication) throws(KeychainItemError) in
            try itemAttributes(of: item, authentication: authentication)
        }
    }

    /// Whether an item exists; never prompts.
    ///
    /// The keychain distinguishes an item that cannot be read now from one that does not exist, so this works in every
    /// lock state, and also for items with an access control.
    ///
    /// - Parameter item: the item.
    /// - Returns: Whether it exists.
    /// - Throws: ``KeychainItemError``
    @available(*, noasync, message: "it blocks the thread; await it, or use blocking { … } where that is intended")
    public func contains(_ item: some KeychainItem) throws(KeychainItemError) -> Bool {
        do throws(KeychainItemError) {
            return try itemAttributes(of: item, authentication: .forbidden) != nil
        } catch {
            guard error.isLocked || error.needsAuthentication else { throw error }
            return true
        }
    }

    /// Does the same on a thread of its own.
    public func contains(_ item: some KeychainItem) async throws(KeychainItemError) -> Bool {
        try await waiting(for: .attributes, of: item, authentication: .forbidden) { (_) throws(KeychainItemError) in
            try contains(item)
        }
    }
}

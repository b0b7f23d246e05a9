// SPDX-License-Identifier: Apache-2.0

extension KeychainProtocol {
    /// Stores a new item.
    ///
    /// - Parameters:
    ///   - value: the contents of the item.
    ///   - item: the item.
    ///   - protection: the protection.
    ///   - details: label, comment and so on.
    ///   - authentication: whether and how the user may be prompted.
    /// - Throws: ``KeychainItemError``, of the kind `duplicate` if the item exists.
    @available(*, noasync, message: "it blocks the thread; await it, or use blocking { … } where that is intended")
    public func add(
        _ value: some KeychainStorable,
        for item: some KeychainItem,
        protection: Protection,
        details: ItemDetails = .none,
        authentication: Authentication = .allowed
    ) throws(KeychainItemError) {
        let bytes = try Conversion(operation: .add, item: item).encode(value)
        try add(.data(bytes), for: item, protection: protection, details: details, authentication: authentication)
    }

    /// Does the same on a thread of its own; a cancelled task ends the prompt.
    public func add(
        _ value: some KeychainStorable & Sendable,
        for item: some KeychainItem,
        protection: Protection,
        details: ItemDetails = .none,
        authentication: Authentication = .allowed
    ) async throws(KeychainItemError) {
        try await waiting(for: .add, of: item, authentication: authentication) {
            (authentication) throws(KeychainItemError) in
            try add(value, for: item, protection: protection, details: details, authentication: authentication)
        }
    }

    /// Stores a new item.
    ///
    /// - Parameters:
    ///   - contents: the contents of the item.
    ///   - item: the item.
    ///   - protection: the protection.
    ///   - details: label, comment and so on.
    ///   - authentication: whether and how the user may be prompted.
    /// - Throws: ``KeychainItemError``, of the kind `duplicate` if the item exists.
    @available(*, noasync, message: "it blocks the thread; await it, or use blocking { … } where that is intended")
    public func add(
        _ contents: ItemContents,
        for item: some KeychainItem,
        protection: Protection,
        details: ItemDetails = .none,
        authentication: Authentication = .allowed
    ) throws(KeychainItemError) {
        try addItem(
            item,
            contents: contents,
            protection: protection,
            details: details,
            authentication: authentication
        )
    }

    /// Does the same on a thread of its own; a cancelled task ends the prompt.
    public func add(
        _ contents: ItemContents,
        for item: some KeychainItem,
        protection: Protection,
        details: ItemDetails = .none,
        authentication: Authentication = .allowed
    ) async throws(KeychainItemError) {
        try await waiting(for: .add, of: item, authentication: authentication) {
            (authentication) throws(KeychainItemError) in
            try add(contents, for: item, protection: protection, details: details, authentication: authentication)
        }
    }

    /// Stores an item, or replaces the contents of an existing one, as one change.
    ///
    /// An existing item also gets this protection; details that are not given are kept.
    ///
    /// - Parameters:
    ///   - value: the contents of the item.
    ///   - item: the item.
    ///   - protection: the protection from now on.
    ///   - details: label, comment and so on.
    ///   - authentication: whether and how the user may be prompted.
    /// - Throws: ``KeychainItemError``; then nothing has changed.
    @available(*, noasync, message: "it blocks the thread; await it, or use blocking { … } where that is intended")
    public func set(
        _ value: some KeychainStorable,
        for item: some KeychainItem,
        protection: Protection,
        details: ItemDetails = .none,
        authentication: Authentication = .allowed
    ) throws(KeychainItemError) {
        let bytes = try Conversion(operation: .set, item: item).encode(value)
        try set(.data(bytes), for: item, protection: protection, details: details, authentication: authentication)
    }

    /// Does the same on a thread of its own; a cancelled task ends the prompt.
    public func set(
        _ value: some KeychainStorable & Sendable,
        for item: some KeychainItem,
        protection: Protection,
        details: ItemDetails = .none,
        authentication: Authentication = .allowed
    ) async throws(KeychainItemError) {
        try await waiting(for: .set, of: item, authentication: authentication) {
            (authentication) throws(KeychainItemError) in
            try set(value, for: item, protection: protection, details: details, authentication: authentication)
        }
    }

    /// Stores an item, or replaces the contents of an existing one, as one change.
    ///
    /// An existing item also gets this protection; details that are not given are kept.
    ///
    /// - Parameters:
    ///   - contents: the contents of the item.
    ///   - item: the item.
    ///   - protection: the protection from now on.
    ///   - details: label, comment and so on.
    ///   - authentication: whether and how the user may be prompted.
    /// - Throws: ``KeychainItemError``; then nothing has changed.
    @available(*, noasync, message: "it blocks the thread; await it, or use blocking { … } where that is intended")
    public func set(
        _ contents: ItemContents,
        for item: some KeychainItem,
        protection: Protection,
        details: ItemDetails = .none,
        authentication: Authentication = .allowed
    ) throws(KeychainItemError) {
        try setItem(
            item,
            contents: contents,
            protection: protection,
            details: details,
            authentication: authentication
        )
    }

    /// Does the same on a thread of its own; a cancelled task ends the prompt.
    public func set(
        _ contents: ItemContents,
        for item: some KeychainItem,
        protection: Protection,
        details: ItemDetails = .none,
        authentication: Authentication = .allowed
    ) async throws(KeychainItemError) {
        try await waiting(for: .set, of: item, authentication: authentication) {
            (authentication) throws(KeychainItemError) in
            try set(contents, for: item, protection: protection, details: details, authentication: authentication)
        }
    }
}

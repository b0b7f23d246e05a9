// SPDX-License-Identifier: Apache-2.0

extension KeychainProtocol {
    /// Changes an existing item.
    ///
    /// - Parameters:
    ///   - item: the item.
    ///   - update: what to change.
    ///   - authentication: whether and how the user may be prompted.
    /// - Returns: Whether the item existed.
    /// - Throws: ``KeychainItemError``, of the kind `duplicate` if another item has the new primary key.
    @discardableResult
    @available(*, noasync, message: "it blocks the thread; await it, or use blocking { … } where that is intended")
    public func update(
        _ item: some KeychainItem,
        with update: ItemUpdate,
        authentication: Authentication = .allowed
    ) throws(KeychainItemError) -> Bool {
        try updateItem(item, with: update, authentication: authentication)
    }

    /// Does the same on a thread of its own; a cancelled task ends the prompt.
    @discardableResult
    public func update(
        _ item: some KeychainItem,
        with update: ItemUpdate,
        authentication: Authentication = .allowed
    ) async throws(KeychainItemError) -> Bool {
        try await waiting(for: .update, of: item, authentication: authentication) {
            (authentication) throws(KeychainItemError) in
            try updateItem(item, with: update, authentication: authentication)
        }
    }

    /// Deletes one item, locked or not; never prompts.
    ///
    /// - Parameter item: the item.
    /// - Returns: Whether it existed.
    /// - Throws: ``KeychainItemError``
    @discardableResult
    @available(*, noasync, message: "it blocks the thread; await it, or use blocking { … } where that is intended")
    public func delete(_ item: some KeychainItem) throws(KeychainItemError) -> Bool {
        try deleteItem(item)
    }

    /// Does the same on a thread of its own.
    @discardableResult
    public func delete(_ item: some KeychainItem) async throws(KeychainItemError) -> Bool {
        try await waiting(for: .delete, of: item, authentication: .forbidden) { (_) throws(KeychainItemError) in
            try deleteItem(item)
        }
    }

    /// Lists the items of a selection, without their contents.
    ///
    /// - Parameters:
    ///   - selection: the items.
    ///   - authentication: whether and how the user may be prompted; never unless it is given.
    /// - Returns: The items, in no particular order.
    /// - Throws: ``KeychainItemError``, also if a single item is locked.
    @available(*, noasync, message: "it blocks the thread; await it, or use blocking { … } where that is intended")
    public func items<Item>(
        matching selection: ItemSelection<Item>,
        authentication: Authentication = .forbidden
    ) throws(KeychainItemError) -> [FoundItem<Item>] {
        try findItems(matching: selection, authentication: authentication)
    }

    /// Does the same on a thread of its own; a cancelled task ends the prompt.
    public func items<Item>(
        matching selection: ItemSelection<Item>,
        authentication: Authentication = .forbidden
    ) async throws(KeychainItemError) -> [FoundItem<Item>] {
        try await waiting(for: .list, of: nil, authentication: authentication, selection: selection.description) {
            (authentication) throws(KeychainItemError) in
            try findItems(matching: selection, authentication: authentication)
        }
    }

    /// Deletes every item of a selection, locked or not; never prompts.
    ///
    /// - Parameter selection: the items.
    /// - Returns: Whether any existed.
    /// - Throws: ``KeychainItemError``
    @discardableResult
    @available(*, noasync, message: "it blocks the thread; await it, or use blocking { … } where that is intended")
    public func deleteAll<Item>(matching selection: ItemSelection<Item>) throws(KeychainItemError) -> Bool {
        try deleteItems(matching: selection)
    }

    /// Does the same on a thread of its own.
    @discardableResult
    public func deleteAll<Item>(matching selection: ItemSelection<Item>) async throws(KeychainItemError) -> Bool {
        try await waiting(for: .deleteAll, of: nil, authentication: .forbidden, selection: selection.description) {
            (_) throws(KeychainItemError) in
            try deleteItems(matching: selection)
        }
    }
}

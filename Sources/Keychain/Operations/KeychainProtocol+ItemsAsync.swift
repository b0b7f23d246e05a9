// SPDX-License-Identifier: Apache-2.0

extension KeychainProtocol {
    /// Stores an item that is not there yet.
    ///
    /// - Parameters:
    ///   - contents: what it holds.
    ///   - item: which item.
    ///   - protection: what protects it.
    ///   - details: label and the like.
    ///   - authentication: how somebody may be asked.
    /// - Throws: ``KeychainItemError``, of the kind `duplicate` when it is there.
    public func add(
        _ contents: ItemContents,
        for item: some KeychainItem,
        protection: Protection,
        details: ItemDetails = .none,
        authentication: Authentication = .allowed
    ) async throws(KeychainItemError) {
        try await waiting(.add, item, authentication) { (authentication) throws(KeychainItemError) in
            try addItem(
                item,
                contents: contents,
                protection: protection,
                details: details,
                authentication: authentication
            )
        }
    }

    /// Stores an item, whether there is one or not, as one change.
    ///
    /// - Parameters:
    ///   - contents: what it holds.
    ///   - item: which item.
    ///   - protection: what protects it from now on.
    ///   - details: label and the like.
    ///   - authentication: how somebody may be asked.
    /// - Throws: ``KeychainItemError``; then nothing has changed.
    public func set(
        _ contents: ItemContents,
        for item: some KeychainItem,
        protection: Protection,
        details: ItemDetails = .none,
        authentication: Authentication = .allowed
    ) async throws(KeychainItemError) {
        try await waiting(.set, item, authentication) { (authentication) throws(KeychainItemError) in
            try setItem(
                item,
                contents: contents,
                protection: protection,
                details: details,
                authentication: authentication
            )
        }
    }

    /// What an item holds: a password its data, a key the key, a certificate the certificate.
    ///
    /// - Parameters:
    ///   - item: which item.
    ///   - authentication: how somebody may be asked.
    /// - Returns: It; `nil` when there is no such item, and for no other reason.
    /// - Throws: ``KeychainItemError``.
    public func contents(
        of item: some KeychainItem,
        authentication: Authentication = .allowed
    ) async throws(KeychainItemError) -> ItemContents? {
        try await waiting(.read, item, authentication) { (authentication) throws(KeychainItemError) in
            try itemContents(of: item, authentication: authentication)
        }
    }

    /// What the keychain says of an item.
    ///
    /// - Parameters:
    ///   - item: which item.
    ///   - authentication: how somebody may be asked.
    /// - Returns: It; `nil` when there is no such item, and for no other reason.
    /// - Throws: ``KeychainItemError``.
    public func attributes(
        of item: some KeychainItem,
        authentication: Authentication = .allowed
    ) async throws(KeychainItemError) -> ItemAttributes? {
        try await waiting(.attributes, item, authentication) { (authentication) throws(KeychainItemError) in
            try itemAttributes(of: item, authentication: authentication)
        }
    }

    /// Changes an item that is there.
    ///
    /// - Parameters:
    ///   - item: which item.
    ///   - update: what to change.
    ///   - authentication: how somebody may be asked.
    /// - Returns: Whether it was there.
    /// - Throws: ``KeychainItemError``, of the kind `duplicate` when an item lies where it is moved to.
    @discardableResult
    public func update(
        _ item: some KeychainItem,
        with update: ItemUpdate,
        authentication: Authentication = .allowed
    ) async throws(KeychainItemError) -> Bool {
        try await waiting(.update, item, authentication) { (authentication) throws(KeychainItemError) in
            try updateItem(item, with: update, authentication: authentication)
        }
    }

    /// Deletes one item, locked or not; nobody is asked.
    ///
    /// - Parameter item: which item.
    /// - Returns: Whether it was there.
    /// - Throws: ``KeychainItemError``.
    @discardableResult
    public func delete(_ item: some KeychainItem) async throws(KeychainItemError) -> Bool {
        try await waiting(.delete, item, .forbidden) { (_) throws(KeychainItemError) in
            try deleteItem(item)
        }
    }

    /// The items of a selection, without what they hold.
    ///
    /// - Parameters:
    ///   - selection: which items.
    ///   - authentication: how somebody may be asked.
    /// - Returns: The items, in no certain order.
    /// - Throws: ``KeychainItemError``; one item that is locked is enough.
    public func items<Item>(
        matching selection: ItemSelection<Item>,
        authentication: Authentication = .allowed
    ) async throws(KeychainItemError) -> [FoundItem<Item>] {
        try await waiting(.list, nil, authentication, selection: selection.description) {
            (authentication) throws(KeychainItemError) in
            try findItems(matching: selection, authentication: authentication)
        }
    }

    /// Deletes every item of a selection, locked or not; nobody is asked.
    ///
    /// - Parameter selection: which items.
    /// - Returns: Whether there was any.
    /// - Throws: ``KeychainItemError``.
    @discardableResult
    public func deleteAll<Item>(
        matching selection: ItemSelection<Item>
    ) async throws(KeychainItemError) -> Bool {
        try await waiting(.deleteAll, nil, .forbidden, selection: selection.description) {
            (_) throws(KeychainItemError) in
            try deleteItems(matching: selection)
        }
    }

    /// Whether an item is there; nobody is asked.
    ///
    /// The keychain tells an item that cannot be read now from one that is not there, so this answers in every state of the device
    /// and for items under an access control, too.
    ///
    /// - Parameter item: which item.
    /// - Returns: Whether it is there.
    /// - Throws: ``KeychainItemError``.
    public func contains(_ item: some KeychainItem) async throws(KeychainItemError) -> Bool {
        try await waiting(.attributes, item, .forbidden) { (_) throws(KeychainItemError) in try contains(item) }
    }
}

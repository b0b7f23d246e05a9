// SPDX-License-Identifier: Apache-2.0

import KeychainContainers
import KeychainCore

/// The data protection keychain: the items of every access group.
struct UserKeychain: ItemStore {
    let backend: any KeychainBackend
    let name: KeychainName

    /// Whether an unlock outlives this program, because a service has the keychain.
    var unlocksForAll: @Sendable () -> Bool = { false }

    var path: ByteText { name.path }

    var version: Int { 512 }

    /// Whether items are unavailable until the passcode is entered; `false` if unknown.
    var isLocked: Bool { (try? backend.device.status())?.isLocked ?? false }

    /// Finds every item that can be shown: those in the common group first, otherwise in the order of the store.
    ///
    /// Of items that differ only in their group, the most recently changed comes first: macOS would have one of them,
    /// with that value.
    ///
    /// Neither items that require authentication nor damaged ones can be shown; see ``obstacle(_:_:)``.
    func items(
        _ itemClass: ItemClass,
        _ conditions: Conditions
    ) throws(KeychainError) -> [StoredItem] {
        var query = query(itemClass, conditions)
        query[PropertyKey.matchLimit] = .string(PropertyKey.matchLimitAll)
        return ordered(try found(query, itemClass).filter(conditions.haveOnlyBlanks))
    }

    /// The first of them: one item is requested, and then those that differ from it only in their group.
    func first(_ itemClass: ItemClass, _ conditions: Conditions) throws(KeychainError) -> StoredItem? {
        guard !conditions.hasBlanks else { return try items(itemClass, conditions).first }
        var query = query(itemClass, conditions)
        guard var first = try found(query, itemClass).first else { return nil }
        if !first.isInCommonGroup { first = try firstInCommonGroup(query, itemClass) ?? first }
        query.entries.merge(first.identifyingValues) { $1 }
        query[PropertyKey.matchLimit] = .string(PropertyKey.matchLimitAll)
        let copies = try found(query, itemClass).filter { $0.keyWithinKeychain == first.keyWithinKeychain }
        return ordered(copies).first ?? first
    }

    /// The first of the items in the common group, which a daemon hides from programs that have groups of their own.
    private func firstInCommonGroup(
        _ query: PropertyDictionary,
        _ itemClass: ItemClass
    ) throws(KeychainError) -> StoredItem? {
        var query = query
        query[AttributeName.accessGroup.description] = .string(Client.commonGroup)
        do throws(KeychainError) {
            return try found(query, itemClass).first
        } catch {
            guard error.status == .missingEntitlement else { throw error }
            return nil
        }
    }

    private func found(_ query: PropertyDictionary, _ itemClass: ItemClass) throws(KeychainError) -> [StoredItem] {
        var query = query
        query[PropertyKey.returnAttributes] = .boolean(true)
        query[PropertyKey.returnPersistentReference] = .boolean(true)
        query[PropertyKey.useAuthenticationUI] = .string(PropertyKey.useAuthenticationUISkip)
        return try answer(toRepeated: query).values.compactMap { StoredItem(itemClass, $0, in: self) }
    }

    private func ordered(_ items: [StoredItem]) -> [StoredItem] {
        let ordered = items.filter(\.isInCommonGroup) + items.filter { !$0.isInCommonGroup }
        let copies = Dictionary(grouping: ordered.enumerated(), by: \.element.keyWithinKeychain)
        let firsts = copies.values.map { copies in
            let newestFirst = copies.sorted { left, right in
                let dates = (left.element.modificationDate, right.element.modificationDate)
                return dates.0 == dates.1 ? left.offset < right.offset : dates.0 > dates.1
            }
            return (place: copies[0].offset, items: newestFirst.map(\.element))
        }
        return firsts.sorted { $0.place < $1.place }.flatMap(\.items)
    }

    /// Whether there is any item, even a locked or damaged one; `false` if the keychain cannot be opened.
    var hasItems: Bool {
        ItemClass.stored.contains { itemClass in
            var query = query(itemClass, Conditions())
            query[PropertyKey.returnPersistentReference] = .boolean(true)
            query[PropertyKey.useAuthenticationUI] = .string(PropertyKey.useAuthenticationUIFail)
            do throws(KeychainError) {
                _ = try perform(.copyMatching(query))
                return true
            } catch {
                return error.status == .interactionNotAllowed || error.status == .decode
            }
        }
    }

    /// The certificates, keys or identities with their bytes, in the order of the store.
    ///
    /// - Parameters:
    ///   - itemClass: the class.
    ///   - skipsDamaged: whether damaged ones are skipped.
    /// - Returns: A result for each.
    /// - Throws: `errSecDecode` for a damaged one that is not skipped, and that was not set aside before.
    func answers(_ itemClass: ItemClass, skipsDamaged: Bool) throws(KeychainError) -> [ResultValue] {
        var query = query(itemClass, Conditions())
        query[PropertyKey.matchLimit] = .string(PropertyKey.matchLimitAll)
        query[PropertyKey.returnAttributes] = .boolean(true)
        query[PropertyKey.returnReference] = .boolean(true)
        query[PropertyKey.useAuthenticationUI] = .string(PropertyKey.useAuthenticationUISkip)
        guard !skipsDamaged else { return try answer(toRepeated: query).values }
        do throws(KeychainError) {
            return try perform(.copyMatching(query)).values
        } catch {
            guard error.status == .itemNotFound else { throw error }
            return []
        }
    }

    /// Why there may be matching items that cannot be shown.
    ///
    /// Never prompts: a user who authenticated would see no result.
    ///
    /// - Returns: `errSecInteractionNotAllowed` or `errSecDecode`; `nil` if there is no such item.
    func obstacle(_ itemClass: ItemClass, _ conditions: Conditions) throws(KeychainError) -> Status? {
        var query = query(itemClass, conditions)
        query[PropertyKey.matchLimit] = .string(PropertyKey.matchLimitAll)
        query[PropertyKey.returnPersistentReference] = .boolean(true)
        query[PropertyKey.useAuthenticationUI] = .string(PropertyKey.useAuthenticationUIFail)
        var obstacle: Status?
        // A damaged item hides others until it has been set aside.
        for _ in 0..<2 {
            do throws(KeychainError) {
                _ = try perform(.copyMatching(query))
                // A search reports items that were set aside only if nothing else matches.
                guard obstacle == nil else { return obstacle }
                return try hasSetAside(query) ? .decode : nil
            } catch {
                switch error.status {
                case .itemNotFound: return obstacle
                case .interactionNotAllowed: return error.status
                case .decode: obstacle = error.status
                default: throw error
                }
            }
        }
        return obstacle
    }

    /// Whether a matching item was set aside because it is damaged.
    private func hasSetAside(_ query: PropertyDictionary) throws(KeychainError) -> Bool {
        let options = ExplanationOptions(itemLimit: 1, comparesEveryItem: false)
        let request = ExplanationRequest(KeychainRequest(.copyMatching(query), client: .person), options)
        return try backend.explain(request).search?.candidates.contains { candidate in
            if case .quarantined = candidate.condition { true } else { false }
        } ?? false
    }

    /// Reads the secret of an item; an item without one has an empty secret.
    func secret(of item: StoredItem) throws(KeychainError) -> SecretBytes {
        var query = item.query
        query[PropertyKey.returnData] = .boolean(true)
        guard case .single(.data(let secret)) = try perform(.copyMatching(query)) else { return SecretBytes() }
        return secret
    }

    /// The add itself reports whether keys are available.
    func checkCanAdd() throws(KeychainError) {}

    /// Every program of the user may use every item.
    func access(of item: StoredItem) throws(KeychainError) -> ItemAccess? { nil }

    /// Adds an item to the common group; there are no lists of programs.
    func add(
        _ itemClass: ItemClass,
        attributes: [String: PropertyValue],
        secret: SecretBytes,
        access: RequestedAccess
    ) throws(KeychainError) {
        var dictionary = PropertyDictionary(attributes)
        dictionary[PropertyKey.itemClass] = .string(itemClass.rawValue)
        dictionary[PropertyKey.valueData] = .data(secret)
        _ = try perform(.add(dictionary))
    }

    /// Adds an item to the common group; there are no lists of programs.
    func add(_ item: NewItem) throws(KeychainError) {
        var dictionary = PropertyDictionary(item.attributes)
        dictionary[PropertyKey.itemClass] = .string(item.item.reference.itemClass.rawValue)
        _ = try perform(.add(dictionary))
    }

    /// Changes an item in any group.
    func update(
        _ item: StoredItem,
        attributes: [String: PropertyValue],
        secret: SecretBytes?,
        access: RequestedAccess
    ) throws(KeychainError) {
        var dictionary = PropertyDictionary(attributes)
        if let secret { dictionary[PropertyKey.valueData] = .data(secret) }
        _ = try perform(.update(item.query, attributes: dictionary))
    }

    /// Deletes an item in any group.
    func delete(_ item: StoredItem) throws(KeychainError) {
        _ = try perform(.delete(item.query))
    }

    private func query(_ itemClass: ItemClass, _ conditions: Conditions) -> PropertyDictionary {
        var query = PropertyDictionary(conditions.attributes)
        query[PropertyKey.itemClass] = .string(itemClass.rawValue)
        query[AttributeName.synchronizable.description] = .string(PropertyKey.synchronizableAny)
        return query
    }

    /// A first result of `errSecDecode` sets the damaged items aside; the second one concerns the others.
    private func answer(toRepeated query: PropertyDictionary) throws(KeychainError) -> KeychainAnswer {
        for isLast in [false, true] {
            do throws(KeychainError) {
                return try perform(.copyMatching(query))
            } catch {
                switch error.status {
                case .itemNotFound: return .nothing
                case .decode: if isLast { return .nothing }
                default: throw error
                }
            }
        }
        return .nothing
    }

    private func perform(_ operation: KeychainRequest.Operation) throws(KeychainError) -> KeychainAnswer {
        try backend.perform(KeychainRequest(operation, client: .person))
    }
}

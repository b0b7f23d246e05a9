// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Passwords by their attributes; the helpers keep credentials in the group that all programs of the user share, as
/// `security` does.
package struct CredentialStore: Sendable {
    private let keychain: any KeychainBackend

    /// The only access group in which items are searched; `nil` for all.
    private let group: String?

    /// Whether it is for the owner of the keychain, who is shown synchronizable items, and those that are given to no
    /// program.
    private let forOwner: Bool

    /// Whether items are found that nobody can read without their user.
    private let findsGuarded: Bool

    /// The passwords of one access group, or of all.
    package init(
        _ keychain: any KeychainBackend,
        in group: String? = Client.commonGroup,
        forOwner: Bool = false,
        findsGuarded: Bool = false
    ) {
        (self.keychain, self.group) = (keychain, group)
        (self.forOwner, self.findsGuarded) = (forOwner, findsGuarded)
    }

    /// An item that was found, without its secret.
    package struct Entry: Sendable {
        package let itemClass: ItemClass
        package let attributes: [String: PropertyValue]
        fileprivate let reference: SecretBytes

        /// Whether its secret is not read without asking its user, by its access control.
        package var isGuarded = false

        /// The text of an attribute; empty if there is none, `nil` if it is not text.
        package func text(_ name: AttributeName) -> String? {
            switch attributes[name.description] {
            case nil, .null?: ""
            case .string(let text)?: text
            // The default of a column.
            case .number(.integer(0))?: ""
            case .data(let bytes)?: String(validating: bytes.unprotectedCopy, as: UTF8.self)
            default: nil
            }
        }

        /// The number of an attribute; 0 if there is none.
        package func number(_ name: AttributeName) -> Int64 {
            guard case .number(let number)? = attributes[name.description] else { return 0 }
            return number.exactInteger ?? 0
        }

        /// Whether it has attributes with these values.
        fileprivate func has(_ marks: [AttributeName: PropertyValue]) -> Bool {
            marks.allSatisfy { attributes[$0.description] == $1 }
        }

        /// What identifies it among those that a search by lookup attributes finds.
        package var identifier: ItemIdentifier? { ItemIdentifier(persistentReference: reference) }

        /// Whether both are the same item.
        package func isSame(as other: Entry) -> Bool { reference == other.reference }

        /// The name of an entry in lists: `SERVICE/ACCOUNT`, or the service alone.
        package static func name(_ service: String, _ account: String) -> String {
            account.isEmpty && !service.isEmpty ? service : "\(service)/\(account)"
        }

        /// When it was last changed.
        var modificationDate: Timestamp { date(.modificationDate) ?? .referenceDate }

        /// The time that an attribute is; `nil` if there is none.
        package func date(_ name: AttributeName) -> Timestamp? {
            guard case .date(let date)? = attributes[name.description] else { return nil }
            return date
        }

        fileprivate var query: PropertyDictionary {
            [
                PropertyKey.itemClass: .string(itemClass.rawValue),
                PropertyKey.valuePersistentReference: .data(reference),
            ]
        }
    }

    /// The items with these attributes, the one that was changed last first.
    ///
    /// - Throws: `errSecInteractionNotAllowed` if there may be one that cannot be shown now.
    package func entries(
        _ itemClass: ItemClass,
        _ attributes: [AttributeName: String]
    ) throws(KeychainError) -> [Entry] {
        let search = search(itemClass, attributes)
        var query = search
        query[PropertyKey.matchLimit] = .string(PropertyKey.matchLimitAll)
        query[PropertyKey.returnAttributes] = .boolean(true)
        query[PropertyKey.returnPersistentReference] = .boolean(true)
        // A search that asks nobody tells whether some need their user; a second one passes over those.
        query[PropertyKey.useAuthenticationUI] = .string(PropertyKey.useAuthenticationUIFail)
        var found: [Entry]
        do throws(KeychainError) { found = try entries(query, itemClass) } catch {
            guard error.status == .interactionNotAllowed else { throw error }
            query[PropertyKey.useAuthenticationUI] = .string(PropertyKey.useAuthenticationUISkip)
            found = try entries(query, itemClass)
            if findsGuarded {
                let guarded = try guardedEntries(search, itemClass)
                found += guarded.filter { entry in !found.contains { $0.isSame(as: entry) } }
            }
            guard !found.isEmpty else { throw error }
        }
        if !forOwner { found = try withReadablePorts(found) }
        // Of very many items, the date of each is looked up once.
        return found.map { (date: $0.modificationDate, entry: $0) }.sorted { $0.date > $1.date }.map(\.entry)
    }

    /// Some items without those whose port a program of the Secret Service wrote as no port is written: their column
    /// has none, which would be the scheme's own.
    private func withReadablePorts(_ entries: [Entry]) throws(KeychainError) -> [Entry] {
        let portless = entries.filter { $0.itemClass == .internetPassword && $0.number("port") == 0 }
        let unreadable = try describe(portless.compactMap(\.identifier)).filter { item in
            item.attributes["port"].map { !$0.isEmpty && ServerAddress.port($0) == nil } ?? false
        }
        let left = Set(unreadable.map(\.identifier))
        return entries.filter { !($0.identifier.map(left.contains) ?? false) }
    }

    private func entries(_ query: PropertyDictionary, _ itemClass: ItemClass) throws(KeychainError) -> [Entry] {
        try values(query).compactMap { value -> Entry? in
            guard case .dictionary(let attributes) = value,
                case .data(let reference)? = attributes[PropertyKey.valuePersistentReference]
            else { return nil }
            return Entry(itemClass: itemClass, attributes: attributes, reference: reference)
        }
    }

    /// The items of a search that are read with their user only: an explanation has their attributes, and asks nobody.
    private func guardedEntries(
        _ search: PropertyDictionary,
        _ itemClass: ItemClass
    ) throws(KeychainError) -> [Entry] {
        let explained = try explain(.copyMatching(search), itemLimit: ExplanationOptions.largestItemLimit).search
        guard let explained else { return [] }
        guard explained.isBounded else { return explained.candidates.compactMap { guardedEntry($0, itemClass) } }
        // There are more items than one explanation has; those that need their user are few.
        guard case .lookupMatches(let matches) = try perform(.search(LookupAttributes())) else {
            throw .unexpectedReply
        }
        var found: [Entry] = []
        for match in matches where match.isLocked {
            var query = search
            query[PropertyKey.valuePersistentReference] = .data(match.identifier.persistentReference(of: itemClass))
            let candidates = try explain(.copyMatching(query), itemLimit: 1).search?.candidates ?? []
            found += candidates.compactMap { guardedEntry($0, itemClass) }
        }
        return found
    }

    /// An explained item, if it matches and is one that is read with its user only.
    private func guardedEntry(_ item: ExplainedItem, _ itemClass: ItemClass) -> Entry? {
        guard item.itemClass == itemClass, item.failed.isEmpty, item.condition == .open, !item.isReadableNow,
            let stored = item.attributes
        else { return nil }
        var attributes: [String: PropertyValue] = [:]
        for (name, value) in stored { attributes[name.description] = value.property }
        attributes[AttributeName.accessGroup.description] = item.group.map { .string($0) }
        attributes[AttributeName.synchronizable.description] = .boolean(item.isSynchronizable ?? false)
        attributes[AttributeName.accessible.description] = .string(item.level)
        return Entry(
            itemClass: itemClass,
            attributes: attributes,
            reference: SecretBytes(item.persistentReference),
            isGuarded: true
        )
    }

    private func explain(
        _ operation: KeychainRequest.Operation,
        itemLimit: Int
    ) throws(KeychainError) -> Explanation {
        let options = ExplanationOptions(itemLimit: itemLimit, comparesEveryItem: false)
        return try keychain.explain(ExplanationRequest(KeychainRequest(operation, client: .person), options))
    }

    /// How many items of a class are set aside, because they are damaged; of very many, a thousand.
    package func countOfDamaged(_ itemClass: ItemClass) throws(KeychainError) -> Int {
        let explained = try explain(.copyMatching(search(itemClass, [:])), itemLimit: 1_000)
        return (explained.search?.candidates ?? [])
            .count { item in
                switch item.condition {
                case .damaged, .quarantined: true
                case .open, .locked, .destroyed: false
                }
            }
    }

    /// How many items the deletion of one would remove, as `keychainctl doctor` counts them.
    package func countOfDeleted(_ entry: Entry) throws(KeychainError) -> Int {
        try explain(.delete(entry.query), itemLimit: 1).effect?.count ?? 0
    }

    /// The items that programs of the Secret Service have stored with a schema.
    func identifiers(ofSchema schema: String) throws(KeychainError) -> [ItemIdentifier] {
        let search = try LookupAttributes([LookupAttributes.Pair(LookupMapping.schemaName, schema)])
        guard case .lookupMatches(let matches) = try perform(.search(search)) else { throw .unexpectedReply }
        return matches.map(\.identifier)
    }

    /// The lookup attributes, and times, of items.
    func describe(_ items: [ItemIdentifier]) throws(KeychainError) -> [LookupItem] {
        guard !items.isEmpty else { return [] }
        guard case .lookupItems(let described) = try perform(.describe(items)) else { throw .unexpectedReply }
        return described
    }

    /// Reads a secret.
    ///
    /// - Throws: `errSecInteractionNotAllowed` while the keychain is locked.
    package func secret(of entry: Entry) throws(KeychainError) -> SecretBytes {
        var query = entry.query
        query[PropertyKey.returnData] = .boolean(true)
        if !entry.isGuarded {
            query[PropertyKey.useAuthenticationUI] = .string(PropertyKey.useAuthenticationUIFail)
        }
        guard case .single(.data(let secret)) = try perform(.copyMatching(query)) else { return SecretBytes() }
        return secret
    }

    /// Stores a secret: gives it to the item that is there, or adds one.
    ///
    /// - Parameters:
    ///   - secret: the secret.
    ///   - find: finds the item that is there.
    ///   - itemClass: the class of a new one.
    ///   - attributes: the attributes of a new one.
    ///   - marks: further attributes, which the item that is there gets as well.
    /// - Throws: `errSecInteractionNotAllowed` while the keychain is locked.
    package func put(
        _ secret: SecretBytes,
        in find: () throws(KeychainError) -> Entry?,
        orNew itemClass: ItemClass,
        _ attributes: [AttributeName: PropertyValue],
        marks: [AttributeName: PropertyValue] = [:]
    ) throws(KeychainError) {
        for isLast in [false, true] {
            do throws(KeychainError) {
                if let entry = try find() {
                    // What is the same already is not written again.
                    if entry.has(marks), try self.secret(of: entry) == secret { return }
                    return try update(entry, marks, secret: secret)
                }
                try add(itemClass, attributes.merging(marks, uniquingKeysWith: { $1 }), secret: secret)
                return
            } catch {
                // Another process added or deleted it meanwhile.
                guard !isLast, error.status == .duplicateItem || error.status == .itemNotFound else { throw error }
            }
        }
    }

    /// Changes attributes of an item, and its secret if there is another.
    ///
    /// - Throws: Among others, `errSecDuplicateItem` if another item has the new name.
    package func update(
        _ entry: Entry,
        _ attributes: [AttributeName: PropertyValue],
        secret: SecretBytes? = nil
    ) throws(KeychainError) {
        var changes: PropertyDictionary = [:]
        for (name, value) in attributes { changes[name.description] = value }
        if let secret { changes[PropertyKey.valueData] = .data(secret) }
        _ = try perform(.update(entry.query, attributes: changes))
    }

    /// Changes attributes of all items of a class with some attributes, in one change of the keychain.
    ///
    /// - Returns: `false` if there is none.
    package func updateAll(
        _ itemClass: ItemClass,
        _ marks: [AttributeName: PropertyValue],
        to attributes: [AttributeName: PropertyValue]
    ) throws(KeychainError) -> Bool {
        var query = search(itemClass, [:])
        var changes: PropertyDictionary = [:]
        for (name, value) in marks { query[name.description] = value }
        for (name, value) in attributes { changes[name.description] = value }
        do throws(KeychainError) {
            _ = try perform(.update(query, attributes: changes))
            return true
        } catch {
            guard error.status == .itemNotFound else { throw error }
            return false
        }
    }

    /// Gives an item another secret, unless it was changed since it was found.
    ///
    /// - Returns: `false` if it was changed or deleted meanwhile.
    package func replaceSecret(of entry: Entry, _ secret: SecretBytes) throws(KeychainError) -> Bool {
        var query = entry.query
        query[AttributeName.modificationDate.description] =
            entry.attributes[AttributeName.modificationDate.description]
        do throws(KeychainError) {
            _ = try perform(.update(query, attributes: [PropertyKey.valueData: .data(secret)]))
            return true
        } catch {
            guard error.status == .itemNotFound else { throw error }
            return false
        }
    }

    /// An item as it is now; `nil` if it was deleted.
    package func current(_ entry: Entry) throws(KeychainError) -> Entry? {
        var query = entry.query
        query[PropertyKey.returnAttributes] = .boolean(true)
        let found = try values(query).first
        guard case .dictionary(let attributes)? = found else { return nil }
        return Entry(itemClass: entry.itemClass, attributes: attributes, reference: entry.reference)
    }

    /// Adds an item to the group, or to the common one.
    ///
    /// - Returns: What identifies it.
    /// - Throws: Among others, `errSecDuplicateItem` if there is one of this name.
    @discardableResult
    package func add(
        _ itemClass: ItemClass,
        _ attributes: [AttributeName: PropertyValue],
        secret: SecretBytes
    ) throws(KeychainError) -> ItemIdentifier? {
        var addition: PropertyDictionary = [
            PropertyKey.itemClass: .string(itemClass.rawValue), PropertyKey.valueData: .data(secret),
            AttributeName.accessGroup.description: .string(group ?? Client.commonGroup),
            PropertyKey.returnPersistentReference: .boolean(true),
        ]
        for (name, value) in attributes { addition[name.description] = value }
        guard case .single(.data(let reference)) = try perform(.add(addition)) else { return nil }
        return ItemIdentifier(persistentReference: reference)
    }

    /// Deletes an item.
    package func delete(_ entry: Entry) throws(KeychainError) {
        do throws(KeychainError) { _ = try perform(.delete(entry.query)) } catch {
            // Another process deleted it meanwhile.
            guard error.status == .itemNotFound else { throw error }
        }
    }

    private func search(_ itemClass: ItemClass, _ attributes: [AttributeName: String]) -> PropertyDictionary {
        var query: PropertyDictionary = [PropertyKey.itemClass: .string(itemClass.rawValue)]
        if let group { query[AttributeName.accessGroup.description] = .string(group) }
        if forOwner {
            query[AttributeName.synchronizable.description] = .string(PropertyKey.synchronizableAny)
        }
        for (name, text) in attributes { query[name.description] = .string(text) }
        return query
    }

    /// A first `errSecDecode` sets damaged items aside; the second search concerns the others.
    private func values(_ query: PropertyDictionary) throws(KeychainError) -> [ResultValue] {
        do throws(KeychainError) {
            return try KeychainAnswer.values { () throws(KeychainError) in try perform(.copyMatching(query)) }
        } catch {
            guard error.status == .decode else { throw error }
            return try KeychainAnswer.values { () throws(KeychainError) in try perform(.copyMatching(query)) }
        }
    }

    private func perform(_ operation: KeychainRequest.Operation) throws(KeychainError) -> KeychainAnswer {
        try keychain.perform(KeychainRequest(operation, client: .person))
    }

    private func perform(_ operation: LookupRequest.Operation) throws(KeychainError) -> KeychainReply {
        let client = Client(accessGroups: [Client.commonGroup])
        return try keychain.perform(.lookup(LookupRequest(operation, client: client)))
    }
}

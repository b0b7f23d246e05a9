// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import KeychainCore

/// What an import does with a password that the keychain has with another secret or other attributes.
enum ImportPolicy: Sendable {
    /// The keychain's stays.
    case skip
    /// The keychain's gets what the file has.
    case replace
    /// That of the file gets another name.
    case keepBoth
}

/// Takes passwords of files into the keychain: one that is there with the same secret and attributes is left, so that a
/// second run adds nothing, and one that was ended in between goes on.
///
/// Each password is one change of the store, and several are made at once (``ConcurrentWork``).
struct FileImport: Sendable {
    private let store: CredentialStore
    private let keychain: any KeychainBackend
    private let policy: ImportPolicy
    private let isRehearsal: Bool

    /// What became of the passwords.
    struct Report: Sendable {
        var added: [ImportedItem] = []
        /// Those that are in the keychain already.
        var same: [ImportedItem] = []
        /// Those that the keychain has otherwise, with what differs; they stay.
        var different: [(item: ImportedItem, differences: [String])] = []
        /// Those that the keychain had otherwise.
        var replaced: [(item: ImportedItem, differences: [String])] = []
        /// Those that the keychain does not take, with the reason.
        var refused: [(item: ImportedItem, reason: String)] = []
    }

    /// An import by a policy, which changes nothing if it is a rehearsal.
    init(into keychain: any KeychainBackend, by policy: ImportPolicy, isRehearsal: Bool) {
        store = CredentialStore(keychain, in: nil, forOwner: true, findsGuarded: true)
        (self.keychain, self.policy, self.isRehearsal) = (keychain, policy, isRehearsal)
    }

    /// A password that is there, or that this run adds.
    private enum Known {
        case entry(CredentialStore.Entry)
        case new(ImportedItem)
    }

    /// What was decided on, and is not made yet.
    private struct Pending {
        var changes: [Change] = []
        /// The primary keys of the passwords that they add.
        var keys: Set<[UInt8]> = []
        /// What is there, by primary key, as if they were made.
        var known: [[UInt8]: [Known]] = [:]

        /// So many share a few syncs of a disk, and are not long in coming.
        static let largestCount = 256
    }

    /// A change of one password.
    private struct Change: Sendable {
        let item: ImportedItem
        let kind: Kind

        enum Kind: Sendable {
            case add([UInt8])
            case replace(CredentialStore.Entry, differences: [String])
            /// Gives a password that is there its attributes of the Secret Service.
            case complete(CredentialStore.Entry)
        }
    }

    /// Takes the passwords.
    ///
    /// - Parameters:
    ///   - items: the passwords, each with its access group.
    ///   - report: what became of them, also of those before a failure.
    ///   - progress: is told how many are done.
    /// - Throws: ``KeychainError`` of what keeps all from being taken.
    func take(
        _ items: [ImportedItem],
        into report: inout Report,
        progress: (Int) -> Void
    ) throws(KeychainError) {
        var pending = Pending()
        for itemClass in PasswordClass.allCases.map(\.itemClass) {
            for entry in try store.entries(itemClass, [:]) {
                pending.known[PrimaryKey.of(entry), default: []].append(.entry(entry))
            }
        }
        for (index, item) in items.enumerated() {
            try take(item, &pending, into: &report)
            if pending.changes.count >= Pending.largestCount { try make(&pending, into: &report) }
            progress(index + 1 - pending.changes.count)
        }
        try make(&pending, into: &report)
    }

    private func take(
        _ item: ImportedItem,
        _ pending: inout Pending,
        into report: inout Report
    ) throws(KeychainError) {
        var item = item
        let name = item.service
        var first: (known: Known, differences: [String])?
        for number in 2... {
            let key = PrimaryKey.of(item)
            // What the keychain refuses is not there.
            if pending.keys.contains(key) { try make(&pending, into: &report) }
            let there = pending.known[key] ?? []
            guard !there.isEmpty else {
                // Kept beside the one that has its name.
                guard first == nil || policy == .keepBoth else { break }
                return add(item, under: key, &pending, into: &report)
            }
            for other in there {
                let differences = try differences(of: item, other)
                guard !differences.isEmpty else {
                    report.same.append(item)
                    return
                }
                if first == nil { first = (other, differences) }
            }
            guard policy == .keepBoth else { break }
            item.service = "\(name) (\(number))"
            item.attributes[PasswordClass(item.itemClass)?.service ?? .service] = .string(item.service)
        }
        guard let first else { return }
        // Of two in one file, neither is replaced by the other.
        if policy == .replace, case .entry(let entry) = first.known {
            let change = Change(item: item, kind: .replace(entry, differences: first.differences))
            // Its user is asked by this thread.
            if entry.isGuarded { try make(&pending, into: &report) }
            pending.changes.append(change)
            if entry.isGuarded { try make(&pending, into: &report) }
            pending.known[PrimaryKey.of(item)] = [.new(item)]
        } else if first.differences == [Self.lookupName], case .entry(let entry) = first.known,
            try isIncomplete(entry, item)
        {
            pending.changes.append(Change(item: item, kind: .complete(entry)))
        } else {
            report.different.append((item, first.differences))
        }
    }

    // MARK: - Changes

    private func add(
        _ item: ImportedItem,
        under key: [UInt8],
        _ pending: inout Pending,
        into report: inout Report
    ) {
        guard item.secret.count <= ItemLimits.secretByteCount else {
            report.refused.append((item, "the password has more than \(ItemLimits.secretByteCount) bytes"))
            return
        }
        pending.changes.append(Change(item: item, kind: .add(key)))
        pending.keys.insert(key)
        pending.known[key] = [.new(item)]
    }

    /// Makes what is pending; what the keychain refuses is reported, and what all would meet ends it.
    private func make(_ pending: inout Pending, into report: inout Report) throws(KeychainError) {
        defer { (pending.changes, pending.keys) = ([], []) }
        let pieces = pending.changes.map { change in { @Sendable in make(change) } }
        let results =
            isRehearsal
            ? pieces.map { _ in .success(()) } : ConcurrentWork.results(of: pieces) { Self.endsImport($0) }
        var failure: KeychainError?
        for (change, result) in zip(pending.changes, results) {
            switch (result, change.kind) {
            case (.success?, .add): report.added.append(change.item)
            case (.success?, .replace(_, let differences)): report.replaced.append((change.item, differences))
            case (.success?, .complete): report.replaced.append((change.item, [Self.lookupName]))
            case (.failure(let error)?, _):
                if case .add(let key) = change.kind { pending.known[key] = nil }
                if Self.isOfOne(error) {
                    report.refused.append((change.item, error.reason))
                } else {
                    failure = failure ?? error
                }
            case (nil, _): break
            }
        }
        if let failure { throw failure }
    }

    private func make(_ change: Change) -> Result<Void, KeychainError> {
        do throws(KeychainError) {
            let item = change.item
            switch change.kind {
            case .add:
                let identifier = try store.add(item.itemClass, item.allAttributes, secret: item.secret)
                if let lookup = item.lookup, let identifier { try set(lookup, of: identifier, item) }
            case .replace(let entry, differences: _):
                let changes = item.attributes.filter { $0.key != .accessGroup && $0.key != .synchronizable }
                try store.update(entry, changes, secret: item.secret)
                if let lookup = item.lookup, let identifier = entry.identifier {
                    try set(lookup, of: identifier, item)
                }
            case .complete(let entry):
                if let lookup = item.lookup, let identifier = entry.identifier {
                    try set(lookup, of: identifier, item)
                }
            }
            return .success(())
        } catch { return .failure(error) }
    }

    private static func endsImport(_ result: Result<Void, KeychainError>) -> Bool {
        if case .failure(let error) = result { !isOfOne(error) } else { false }
    }

    /// Whether the keychain does not take this one password, which does not end the import; what all will meet does.
    private static func isOfOne(_ error: KeychainError) -> Bool {
        switch error.status {
        case .parameter, .duplicateItem, .dataTooLarge, .authenticationFailed, .itemNotFound, .missingEntitlement,
            .noSuchAttribute:
            true
        case .interactionNotAllowed: error.kind == .request
        default: false
        }
    }

    // MARK: - Comparison

    private static let lookupName = "attributes of the Secret Service"

    /// What is different, in words; never the values.
    private func differences(of item: ImportedItem, _ known: Known) throws(KeychainError) -> [String] {
        switch known {
        case .new(let other):
            let names = Set(item.allAttributes.keys).union(other.allAttributes.keys)
            let differing = names.filter { item.allAttributes[$0] != other.allAttributes[$0] }
            return (item.secret == other.secret ? [] : ["password"]) + Self.words(differing)
        case .entry(let entry):
            guard !entry.isGuarded || item.attributes[.accessControl] != nil else { return ["access control"] }
            var differences: [String] = []
            // Nobody is asked for the secret of one that needs its user: it stays.
            if entry.isGuarded {
                differences.append("access control")
            } else if try store.secret(of: entry) != item.secret {
                differences.append("password")
            }
            let differing = item.allAttributes.filter { name, value in
                !Self.isSame(value, entry.attributes[name.description])
            }
            differences += Self.words(Set(differing.keys))
            if differences.isEmpty, let lookup = item.lookup, try self.lookup(of: entry) != lookup {
                differences.append(Self.lookupName)
            }
            return differences
        }
    }

    private static func isSame(_ value: PropertyValue, _ stored: PropertyValue?) -> Bool {
        switch (value, stored) {
        case (.string(let text), .string(let other)?): text.hasSameBytes(as: other)
        case (.string(""), nil), (.boolean(false), nil), (.number(.integer(0)), nil): true
        case (.string(""), .number(.integer(0))?), (.boolean(false), .number(.integer(0))?): true
        case (.boolean(true), .number(.integer(1))?), (.number(.integer(1)), .boolean(true)?): true
        case (.number(.integer(0)), .boolean(false)?): true
        default: value == stored
        }
    }

    private static func words(_ names: Set<AttributeName>) -> [String] {
        names.map { name in
            switch name {
            case .label: "label"
            case "icmt": "comment"
            case "desc": "description"
            case .accessible: "accessibility"
            case .accessControl: "access control"
            default: "attribute '\(name)'"
            }
        }
        .sorted()
    }

    // MARK: - The Secret Service

    private func lookup(of entry: CredentialStore.Entry) throws(KeychainError) -> LookupRecord? {
        guard let identifier = entry.identifier else { return nil }
        return try keychain.lookupRecord(of: identifier)
    }

    /// Whether a password differs only because an import was ended before it had given all attributes.
    private func isIncomplete(_ entry: CredentialStore.Entry, _ item: ImportedItem) throws(KeychainError) -> Bool {
        guard let lookup = item.lookup, let own = try self.lookup(of: entry) else { return false }
        // Those that an add derives; or the content type, which comes last.
        return LookupMapping.areDerived(own.attributes, from: item.columns, of: item.itemClass)
            || own.attributes == lookup.attributes && own.contentType == LookupMapping.contentType(of: item.secret)
    }

    private func set(
        _ lookup: LookupRecord,
        of identifier: ItemIdentifier,
        _ item: ImportedItem
    ) throws(KeychainError) {
        _ = try keychain.perform(.person(.change(identifier, .attributes(lookup.attributes))))
        // They give a password another name, if it was renamed since a program stored it with them.
        let given = LookupMapping.columnValues(lookup.attributes, of: item.itemClass)
        let own = item.columns.filter { name, value in given[name].map { $0 != value } ?? false }
        if !own.isEmpty {
            let query: PropertyDictionary = [
                PropertyKey.itemClass: .string(item.itemClass.rawValue),
                PropertyKey.valuePersistentReference: .data(identifier.persistentReference(of: item.itemClass)),
            ]
            var changes: PropertyDictionary = [:]
            for (name, value) in own { changes[name.description] = value.property }
            _ = try keychain.perform(KeychainRequest(.update(query, attributes: changes), client: .person))
        }
        let change = LookupChange.secret(item.secret, contentType: lookup.contentType)
        _ = try keychain.perform(.person(.change(identifier, change)))
    }
}

extension KeychainBackend {
    /// What programs of the Secret Service see of a password; `nil` if they do not see it.
    func lookupRecord(of identifier: ItemIdentifier) throws(KeychainError) -> LookupRecord? {
        guard case .lookupItems(let items) = try perform(.person(.describe([identifier]))),
            case .lookupSecrets(let secrets) = try perform(.person(.secrets([identifier])))
        else { throw .unexpectedReply }
        guard let item = items.first, let secret = secrets.first else { return nil }
        return LookupRecord(item.attributes, contentType: secret.contentType)
    }
}

extension ImportedItem {
    /// The columns that lookup attributes are derived from.
    var columns: Attributes { allAttributes.columns(of: itemClass) }
}

extension [AttributeName: PropertyValue] {
    /// The values as an item of a class has them.
    func columns(of itemClass: ItemClass) -> Attributes {
        let schema = ItemSchema.of(itemClass)
        var columns = Attributes()
        for (name, value) in self { columns[name] = try? schema[name]?.coerce(value) }
        for column in schema.filledIn where columns[column.name] == nil { columns[column.name] = column.defaultValue }
        return columns
    }
}

/// The primary key of a password (Semantics, "Attributes of each class"), byte by byte.
private enum PrimaryKey {
    private static func parts(of itemClass: ItemClass) -> [AttributeName] {
        itemClass == .internetPassword
            ? [.account, .server, "sdmn", "ptcl", "atyp", "port", "path", .accessGroup, .synchronizable]
            : [.account, .service, .accessGroup, .synchronizable]
    }

    static func of(_ entry: CredentialStore.Entry) -> [UInt8] {
        key(entry.itemClass) { entry.attributes[$0.description] }
    }

    static func of(_ item: ImportedItem) -> [UInt8] {
        let attributes = item.allAttributes
        return key(item.itemClass) { attributes[$0] }
    }

    private static func key(_ itemClass: ItemClass, _ value: (AttributeName) -> PropertyValue?) -> [UInt8] {
        var key = Array(itemClass.rawValue.utf8)
        for name in parts(of: itemClass) {
            let part: [UInt8] =
                switch value(name) {
                case .string(let text)?: Array(text.utf8)
                case .data(let bytes)?: bytes.unprotectedCopy
                case .number(let number)?: number.exactInteger.map { $0 == 0 ? [] : Array("\($0)".utf8) } ?? [0xFF]
                case .boolean(let flag)?: flag ? Array("1".utf8) : []
                default: []
                }
            key.append(littleEndian: UInt64(part.count))
            key += part
        }
        return key
    }
}

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
/// Each password is one change of the store.
struct FileImport {
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

    /// A password that is there, or that this run has added.
    private enum Known {
        case entry(CredentialStore.Entry)
        case new(ImportedItem)
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
        var known: [[UInt8]: [Known]] = [:]
        for itemClass in PasswordClass.allCases.map(\.itemClass) {
            for entry in try store.entries(itemClass, [:]) {
                known[PrimaryKey.of(entry), default: []].append(.entry(entry))
            }
        }
        for (index, item) in items.enumerated() {
            try take(item, &known, into: &report)
            progress(index + 1)
        }
    }

    private func take(
        _ item: ImportedItem,
        _ known: inout [[UInt8]: [Known]],
        into report: inout Report
    ) throws(KeychainError) {
        var item = item
        let name = item.service
        var first: (known: Known, differences: [String])?
        for number in 2... {
            let key = PrimaryKey.of(item)
            let there = known[key] ?? []
            guard !there.isEmpty else {
                // Kept beside the one that has its name.
                guard first == nil || policy == .keepBoth else { break }
                if try add(item, into: &report) { known[key] = [.new(item)] }
                return
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
            try replace(entry, by: item, first.differences, into: &report)
            known[PrimaryKey.of(item)] = [.new(item)]
        } else if first.differences == [Self.lookupName], case .entry(let entry) = first.known {
            // An import that was ended before it gave the password its attributes.
            try complete(entry, item, into: &report)
        } else {
            report.different.append((item, first.differences))
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

    // MARK: - Changes

    /// Whether the password is there afterwards.
    private func add(_ item: ImportedItem, into report: inout Report) throws(KeychainError) -> Bool {
        do throws(KeychainError) {
            guard item.secret.count <= ItemLimits.secretByteCount else {
                throw .parameter("the password has more than \(ItemLimits.secretByteCount) bytes")
            }
            if !isRehearsal {
                let identifier = try store.add(item.itemClass, item.allAttributes, secret: item.secret)
                if let lookup = item.lookup, let identifier { try set(lookup, of: identifier, item.secret) }
            }
            report.added.append(item)
            return true
        } catch {
            try note(error, of: item, in: &report)
            return false
        }
    }

    private func replace(
        _ entry: CredentialStore.Entry,
        by item: ImportedItem,
        _ differences: [String],
        into report: inout Report
    ) throws(KeychainError) {
        do throws(KeychainError) {
            if !isRehearsal {
                let changes = item.attributes.filter { $0.key != .accessGroup && $0.key != .synchronizable }
                try store.update(entry, changes, secret: item.secret)
                if let lookup = item.lookup, let identifier = entry.identifier {
                    try set(lookup, of: identifier, item.secret)
                }
            }
            report.replaced.append((item, differences))
        } catch { try note(error, of: item, in: &report) }
    }

    private func complete(
        _ entry: CredentialStore.Entry,
        _ item: ImportedItem,
        into report: inout Report
    ) throws(KeychainError) {
        guard let lookup = item.lookup, let identifier = entry.identifier,
            case .lookupItems(let found) = try keychain.perform(.person(.describe([identifier]))),
            let own = found.first, LookupMapping.areDerived(own.attributes, from: item.columns, of: item.itemClass)
        else { return report.different.append((item, [Self.lookupName])) }
        do throws(KeychainError) {
            if !isRehearsal { try set(lookup, of: identifier, item.secret) }
            report.replaced.append((item, [Self.lookupName]))
        } catch { try note(error, of: item, in: &report) }
    }

    /// One password that the keychain does not take does not end the import; what all will meet does.
    private func note(
        _ error: KeychainError,
        of item: ImportedItem,
        in report: inout Report
    ) throws(KeychainError) {
        switch error.status {
        case .parameter, .duplicateItem, .dataTooLarge, .authenticationFailed, .itemNotFound, .missingEntitlement,
            .noSuchAttribute:
            report.refused.append((item, error.reason))
        case .interactionNotAllowed where error.kind == .request: report.refused.append((item, error.reason))
        default: throw error
        }
    }

    // MARK: - The Secret Service

    private func lookup(of entry: CredentialStore.Entry) throws(KeychainError) -> LookupRecord? {
        guard let identifier = entry.identifier else { return nil }
        return try keychain.lookupRecord(of: identifier)
    }

    private func set(
        _ lookup: LookupRecord,
        of identifier: ItemIdentifier,
        _ secret: SecretBytes
    ) throws(KeychainError) {
        _ = try keychain.perform(.person(.change(identifier, .attributes(lookup.attributes))))
        let change = LookupChange.secret(secret, contentType: lookup.contentType)
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

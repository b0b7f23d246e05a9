// SPDX-License-Identifier: Apache-2.0

import KeychainTesting
import Security

/// The real functions, with one defect.
struct DefectiveFunctions: SecItemContractSubject {
    typealias Attributes = [String: Any]

    static let real = SecItemFunctions()

    var onAdd: (Attributes) -> SecItemAnswer = real.add
    var onCopy: (Attributes) -> SecItemAnswer = real.copyMatching
    var onUpdate: (Attributes, Attributes) -> OSStatus = real.update
    var onDelete: (Attributes) -> OSStatus = real.delete

    func add(_ attributes: [String: Any]) -> SecItemAnswer { onAdd(attributes) }
    func copyMatching(_ query: [String: Any]) -> SecItemAnswer { onCopy(query) }
    func update(_ query: [String: Any], _ attributes: [String: Any]) -> OSStatus { onUpdate(query, attributes) }
    func delete(_ query: [String: Any]) -> OSStatus { onDelete(query) }

    /// Which functions read a query.
    struct Readers: OptionSet {
        let rawValue: Int
        static let copy = Readers(rawValue: 1)
        static let update = Readers(rawValue: 2)
        static let delete = Readers(rawValue: 4)
        static let all: Readers = [copy, update, delete]
    }

    /// Makes functions misread their query.
    mutating func misread(_ readers: Readers, _ change: @escaping (inout Attributes) -> Void) {
        let changed = { (query: Attributes) in
            var query = query
            change(&query)
            return query
        }
        if readers.contains(.copy) { onCopy = { Self.real.copyMatching(changed($0)) } }
        if readers.contains(.update) { onUpdate = { Self.real.update(changed($0), $1) } }
        if readers.contains(.delete) { onDelete = { Self.real.delete(changed($0)) } }
    }

    /// Makes an add misread its attributes.
    mutating func misreadAdd(_ change: @escaping (inout Attributes) -> Void) {
        onAdd = { attributes in
            var attributes = attributes
            change(&attributes)
            return Self.real.add(attributes)
        }
    }

    /// Makes an update leave something of its new attributes out, and succeed.
    mutating func leaveOutOfUpdate(_ change: @escaping (inout Attributes) -> Void) {
        onUpdate = { query, attributes in
            var left = attributes
            change(&left)
            return left.isEmpty ? errSecSuccess : Self.real.update(query, left)
        }
    }

    /// Makes an update whose key is taken through an attribute delete whoever has it.
    mutating func swallow(through key: CFString) {
        let key = key as String
        onUpdate = { query, attributes in
            let status = Self.real.update(query, attributes)
            guard status == errSecDuplicateItem, let value = attributes[key] else { return status }
            var other = query
            other[key] = value
            _ = Self.real.delete(other)
            return Self.real.update(query, attributes)
        }
    }

    /// Makes a delete take longer names, too.
    mutating func deleteByPrefix(of key: CFString, suffixes: [String]) {
        let key = key as String
        onDelete = { query in
            let status = Self.real.delete(query)
            guard let name = query[key] as? String else { return status }
            for suffix in suffixes { _ = Self.real.delete(query.merging([key: name + suffix]) { $1 }) }
            return status
        }
    }

    /// Makes a copy that finds nothing, or each that lists, find what has a longer service, too.
    mutating func copyByPrefix(lists: Bool) {
        let (service, limit) = (kSecAttrService as String, kSecMatchLimit as String)
        onCopy = { query in
            let answer = Self.real.copyMatching(query)
            let isList = query[limit] as? String == kSecMatchLimitAll as String
            guard let name = query[service] as? String, lists ? isList : answer.status == errSecItemNotFound else {
                return answer
            }
            var wider = query
            wider[service] = nil
            guard !lists else {
                let items = Self.real.copyMatching(wider).result as? [Attributes]
                let found = items?.filter { ($0[service] as? String)?.hasPrefix(name) ?? false } ?? []
                return found.isEmpty ? answer : SecItemAnswer(errSecSuccess, found)
            }
            wider[limit] = kSecMatchLimitAll
            wider[kSecReturnAttributes as String] = true
            wider[kSecReturnData as String] = nil
            let items = Self.real.copyMatching(wider).result as? [Attributes]
            let found = items?.compactMap { $0[service] as? String }.first { $0.hasPrefix(name) }
            return found.map { Self.real.copyMatching(query.merging([service: $0]) { $1 }) } ?? answer
        }
    }

    /// Makes calls answer that there is nothing where the lock of the device keeps them from what there is.
    mutating func hideLock() {
        func hidden(_ status: OSStatus) -> OSStatus {
            status == errSecInteractionNotAllowed ? errSecItemNotFound : status
        }
        onCopy = { query in
            let answer = Self.real.copyMatching(query)
            return SecItemAnswer(hidden(answer.status), answer.result)
        }
        onUpdate = { hidden(Self.real.update($0, $1)) }
    }

    /// Makes an add replace the secret of an item whose service and account are the same text as its own when they are
    /// glued together.
    mutating func glue(_ glue: @escaping (_ service: String, _ account: String) -> String) {
        let (service, account) = (kSecAttrService as String, kSecAttrAccount as String)
        func text(_ item: Attributes) -> String? {
            guard let service = item[service] as? String, let account = item[account] as? String else { return nil }
            return glue(service, account)
        }
        onAdd = { attributes in
            let items = Self.real.copyMatching([
                kSecClass as String: kSecClassGenericPassword, kSecReturnAttributes as String: true,
                kSecMatchLimit as String: kSecMatchLimitAll,
            ])
            let taken = (items.result as? [Attributes])?.first { item in
                text(item) != nil && text(item) == text(attributes)
                    && item[service] as? String != attributes[service] as? String
            }
            guard let taken, let secret = attributes[kSecValueData as String] else { return Self.real.add(attributes) }
            let query = taken.filter { [service, account].contains($0.key) }
                .merging([kSecClass as String: kSecClassGenericPassword]) { $1 }
            return SecItemAnswer(Self.real.update(query, [kSecValueData as String: secret]))
        }
    }
}

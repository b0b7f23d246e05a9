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
}

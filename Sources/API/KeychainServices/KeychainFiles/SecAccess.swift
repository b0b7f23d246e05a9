// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Synchronization

/// The access list of an item in a file-based keychain: entries, each a ``SecACL``.
///
/// An item stores the contents when the access list is set; a later change of the object does not affect the item.
public final class SecAccess: Hashable, Sendable {
    private struct Contents {
        /// In their order, each with a number that no other entry ever has here.
        var entries: [(number: Int, entry: AccessEntry)] = []
        var usedNumbers = 0

        mutating func add(_ entry: AccessEntry) -> Int {
            usedNumbers += 1
            entries.append((usedNumbers, entry))
            return usedNumbers
        }

        func index(of number: Int) throws(KeychainError) -> Int {
            guard let index = entries.firstIndex(where: { $0.number == number }) else {
                throw KeychainError(.invalidACL, "the entry was removed from its access")
            }
            return index
        }
    }

    private let contents = Mutex(Contents())

    init(_ value: ItemAccess) { for entry in value.entries { _ = add(entry) } }

    /// The current contents of the object.
    var value: ItemAccess { contents.withLock { ItemAccess(entries: $0.entries.map(\.entry)) } }

    /// Whether both have the same contents.
    public static func == (left: SecAccess, right: SecAccess) -> Bool { left.value == right.value }

    /// Hashes the contents.
    public func hash(into hasher: inout Hasher) { hasher.combine(value) }

    // MARK: - Entries

    /// The entries that satisfy a condition.
    func list(where isWanted: (AccessEntry) -> Bool) -> [SecACL] {
        let numbers = contents.withLock { $0.entries.filter { isWanted($0.entry) }.map(\.number) }
        return numbers.map { SecACL(self, $0) }
    }

    /// Adds an entry.
    func add(_ entry: AccessEntry) -> SecACL { SecACL(self, contents.withLock { $0.add(entry) }) }

    /// An entry; `nil` for one that was removed.
    func entry(_ number: Int) -> AccessEntry? {
        contents.withLock { $0.entries.first { $0.number == number }?.entry }
    }

    /// Changes an entry, which stays that of the owner if it was, and cannot become it otherwise.
    ///
    /// - Throws: `errSecInvalidACL` for one that was removed; `errSecInvalidOwnerEdit`.
    func change(_ number: Int, _ body: (inout AccessEntry) throws(KeychainError) -> Void) throws(KeychainError) {
        try contents.withLock { (contents) throws(KeychainError) in
            let index = try contents.index(of: number)
            var entry = contents.entries[index].entry
            try body(&entry)
            guard entry.isOfOwner == contents.entries[index].entry.isOfOwner else { throw .onlyOwner }
            contents.entries[index].entry = entry
        }
    }

    /// Removes an entry.
    ///
    /// - Throws: `errSecInvalidACL` for one that was removed; `errSecInvalidOwnerEdit` for that of the owner.
    func remove(_ number: Int) throws(KeychainError) {
        try contents.withLock { (contents) throws(KeychainError) in
            let index = try contents.index(of: number)
            guard !contents.entries[index].entry.isOfOwner else { throw .onlyOwner }
            contents.entries.remove(at: index)
        }
    }
}

extension KeychainError {
    fileprivate static let onlyOwner = KeychainError(
        .invalidOwnerEdit,
        "an access has exactly one entry that says who may change it"
    )
}

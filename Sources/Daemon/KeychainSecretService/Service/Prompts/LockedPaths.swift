// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// What is locked of some paths.
struct LockedPaths: Sendable {
    /// Those that are open, as they were asked for.
    private(set) var open: [String] = []
    /// Those that are locked, as they were asked for.
    private(set) var locked: [String] = []
    private(set) var isKeychainLocked = false
    /// Those of them that are locked by themselves, as far as is known: not while the keychain is locked.
    private(set) var items: [ItemIdentifier] = []
    /// The keychain files that are locked.
    private(set) var files: [CollectionName] = []

    /// Passes over what there is not.
    init(_ paths: [String], _ store: ProgramStore) throws(ServiceError) {
        isKeychainLocked = try store.isLocked(.login)
        for path in paths {
            switch store.object(path) {
            case .collection(let collection)? where collection.isFile:
                guard let isLocked = try? store.isLocked(collection) else { continue }
                if isLocked { locked.append(path) } else { open.append(path) }
                if isLocked { add(collection) }
            case .collection(let collection)?:
                if collection == .login && isKeychainLocked { locked.append(path) } else { open.append(path) }
            case .item(let collection, let item)?:
                guard let found = try store.describeAny([item], in: collection).first else { continue }
                if found.isLocked { locked.append(path) } else { open.append(path) }
                guard found.isLocked else { continue }
                if collection.isFile { add(collection) } else if !isKeychainLocked { items.append(item) }
            case .service?, .alias?, .session?, .prompt?, nil: break
            }
        }
    }

    private mutating func add(_ file: CollectionName) { if !files.contains(file) { files.append(file) } }
}

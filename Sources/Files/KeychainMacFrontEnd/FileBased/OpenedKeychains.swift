// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost

/// File-based keychains during one call: each is listed once, and a locked one is reported as on macOS.
final class OpenedKeychains {
    private let files: KeychainFileService
    private let unlocker: KeychainUnlocker
    private var known: [PathKey: [KeychainFileItem]] = [:]

    init(_ files: KeychainFileService, _ unlocker: KeychainUnlocker) {
        self.files = files
        self.unlocker = unlocker
    }

    /// The matching items in some keychains; keychains without a file are skipped.
    ///
    /// An unreadable keychain is skipped if others have a match.
    func items(_ conditions: FileItemConditions, in paths: [String]) throws(KeychainError) -> [LocatedItem] {
        var found: [LocatedItem] = []
        var failure: KeychainError?
        var visited: Set<PathKey> = []
        for path in paths where visited.insert(PathKey(path)).inserted {
            do throws(KeychainError) {
                found += try items(in: path).matching(conditions, normalize: FileAttributes.normalized)
                    .map { LocatedItem(keychain: path, item: $0) }
            } catch {
                if error.status != .noSuchKeychain { failure = failure ?? error }
            }
        }
        if found.isEmpty, let failure { throw failure }
        return found
    }

    /// Throws, rather than reporting that nothing was found, if a keychain, or the attributes of an item, cannot be
    /// read.
    func checkReadable(_ itemClass: ItemClass, in paths: [String]) throws(KeychainError) {
        for path in paths {
            do throws(KeychainError) {
                guard try items(in: path).hasUnreadable(itemClass) else { continue }
            } catch {
                guard error.status != .noSuchKeychain else { continue }
                throw error
            }
            throw KeychainError(
                .decode,
                "no item matches, and one whose attributes are damaged may be the one",
                kind: .keys(.damagedItem)
            )
        }
    }

    /// The item of a reference; `nil` if it no longer exists.
    func item(_ reference: KeychainItemReference) throws(KeychainError) -> LocatedItem? {
        guard !reference.keychain.isEmpty else { return nil }
        do throws(KeychainError) {
            return try items(in: reference.keychain).first { $0.identifier == reference.identifier }
                .map { LocatedItem(keychain: reference.keychain, item: $0) }
        } catch {
            guard error.status == .noSuchKeychain else { throw error }
            return nil
        }
    }

    private func items(in path: String) throws(KeychainError) -> [KeychainFileItem] {
        if let items = known[PathKey(path)] { return items }
        let items = try files.items(at: path)
        known[PathKey(path)] = items
        return items
    }

    func isLocked(_ path: String) throws(KeychainError) -> Bool { try files.status(at: path).isLocked }

    func secret(of item: LocatedItem) throws(KeychainError) -> SecretBytes {
        try opened(item.keychain) { () throws(KeychainError) in
            try files.secret(of: item.item.identifier, at: item.keychain)
        }
    }

    func access(of item: LocatedItem) throws(KeychainError) -> ItemAccess {
        try opened(item.keychain) { () throws(KeychainError) in
            try files.access(of: item.item.identifier, at: item.keychain)
        }
    }

    /// Carries out a change of a keychain.
    func change<Result>(
        _ path: String,
        _ body: (KeychainFileService) throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        known = [:]
        return try opened(path) { () throws(KeychainError) in try body(files) }
    }

    /// Has a keychain that is locked unlocked, and tries once more.
    private func opened<Result>(
        _ path: String,
        _ body: () throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        do throws(KeychainError) {
            return try body()
        } catch {
            guard error.status == .interactionNotAllowed else { throw error }
            try unlocker.unlock(path, files, after: error)
        }
        return try body()
    }
}

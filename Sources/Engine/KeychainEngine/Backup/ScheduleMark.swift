// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost

/// Which item has the secret of scheduled backups, in a store of the system service: the one that its owner had it
/// store.
///
/// A file beside the store, which no program of the user writes, and no move brings along: programs may have read and
/// made every item that arrives with a move.
struct ScheduleMark {
    static let fileName = "backup-secret.mark"

    private let folder: PrivateDirectory

    /// The mark of a folder.
    init(_ folder: PrivateDirectory) { self.folder = folder }

    /// Whether it names an item.
    func isOf(_ identifier: ItemIdentifier) -> Bool {
        let named = try? folder.withContents(of: Self.fileName, limit: Bytes16.count + 1) { Array($0) }
        return named == identifier.bytes
    }

    /// Names an item, durably.
    func name(_ identifier: ItemIdentifier) throws(KeychainError) {
        do throws(FileError) {
            _ = try AtomicFile.replace(folder.path(of: Self.fileName), nil, with: identifier.bytes)
        } catch {
            throw KeychainError(error)
        }
    }

    /// Removes the mark, durably: what arrives afterwards does not count.
    func remove() throws(KeychainError) {
        do throws(FileError) { try folder.removeDurably(Self.fileName) } catch { throw KeychainError(error) }
    }
}

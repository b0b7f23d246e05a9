// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine

/// The keychain of a user without a home folder: nothing is stored, and nothing can be.
final class HomelessKeychain: KeychainBackend {
    private let error: KeychainError
    private let empty = EmbeddedKeychain.inMemory()

    /// A keychain that fails with an error wherever something would be stored.
    init(_ error: KeychainError) { self.error = error }

    var families: CommandFamily { .all }

    /// Searches an empty keychain for the items of a command, or reports why there is no keychain.
    func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        guard command.row.storeUse == .looks else { throw error }
        return try empty.perform(command)
    }
}

// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainStore

/// A keychain on disk in a folder of its own, which goes away with the object.
package final class TemporaryKeychain: KeychainBackend {
    /// The folder.
    package let folder: TemporaryFolder

    /// The keychain in it.
    package let keychain: EmbeddedKeychain

    /// Makes an empty keychain.
    package init(options: StoreOptions = StoreOptions(), device: DeviceOptions = DeviceOptions()) throws {
        folder = try TemporaryFolder()
        let location = KeychainLocation(path: folder.path(of: "keychain"))
        keychain = EmbeddedKeychain(at: location, options: options, device: device)
    }

    /// Those of the keychain.
    package var families: CommandFamily { keychain.families }

    /// Carries out a command.
    package func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        try keychain.perform(command)
    }
}

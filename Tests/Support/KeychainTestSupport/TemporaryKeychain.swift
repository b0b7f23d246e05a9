// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainStore

/// A keychain on disk in a folder of its own, which goes away with the object.
public final class TemporaryKeychain: KeychainBackend {
    /// The folder.
    public let folder: TemporaryFolder

    /// The keychain in it.
    public let keychain: EmbeddedKeychain

    /// Makes an empty keychain.
    public init(options: StoreOptions = StoreOptions(), device: DeviceOptions = DeviceOptions()) throws {
        folder = try TemporaryFolder()
        let location = KeychainLocation(path: folder.path(of: "keychain"))
        keychain = EmbeddedKeychain(at: location, options: options, device: device)
    }

    /// Those of the keychain.
    public var families: CommandFamily { keychain.families }

    /// Carries out a command.
    public func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        try keychain.perform(command)
    }
}

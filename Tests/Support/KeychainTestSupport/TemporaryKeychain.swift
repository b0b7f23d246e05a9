// SPDX-License-Identifier: Apache-2.0

import HostFiles
import KeychainCore
import KeychainEngine
import KeychainStore

/// A keychain on disk in a folder of its own, which goes away with the object.
public final class TemporaryKeychain: KeychainBackend {
    /// The folder.
    public let folder: TemporaryFolder

    /// The keychain in it.
    public let keychain: EmbeddedKeychain

    /// Makes an empty keychain.
    public init(options: StoreOptions = StoreOptions()) throws {
        folder = try TemporaryFolder()
        keychain = EmbeddedKeychain(at: KeychainLocation(path: folder.path(of: "keychain")), options: options)
    }

    /// Carries out a request.
    public func perform(_ request: KeychainRequest) throws(KeychainError) -> KeychainAnswer {
        try keychain.perform(request)
    }

    /// The keychain's device.
    public var device: any KeychainDevice { keychain.device }

    /// What asks the owner of the device.
    public var authentication: any AuthenticationService { keychain.authentication }

    /// The enclave of the keychain.
    public var enclave: any KeyEnclave { keychain.enclave }
}

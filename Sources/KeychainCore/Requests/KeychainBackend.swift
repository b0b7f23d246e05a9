// SPDX-License-Identifier: Apache-2.0

/// Whatever can serve keychain requests: the embedded engine, later a daemon.
public protocol KeychainBackend: Sendable {
    /// Carries out one request; may block for the disk.
    ///
    /// - Throws: ``KeychainError`` with the status that Apple's function would return. Then nothing has changed.
    func perform(_ request: KeychainRequest) throws(KeychainError) -> KeychainAnswer

    /// The device that the keychain belongs to.
    var device: any KeychainDevice { get }

    /// What asks the owner of the device to authenticate.
    var authentication: any AuthenticationService { get }

    /// What keeps keys that never leave the device.
    var enclave: any KeyEnclave { get }
}

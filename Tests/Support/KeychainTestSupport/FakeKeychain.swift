// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A keychain that answers what a test says: for tests of what stands above a keychain.
public struct FakeKeychain: KeychainBackend {
    /// Its device.
    public var device: any KeychainDevice

    /// What asks the owner of the device.
    public var authentication: any AuthenticationService

    /// An enclave that is not there.
    public var enclave: any KeyEnclave = UnavailableEnclave(KeychainError(.notAvailable, "a fake has no enclave"))

    private let answer: @Sendable (KeychainRequest) throws(KeychainError) -> KeychainAnswer

    /// A keychain that answers by a closure; its device has no passcode, and asks nobody.
    public init(
        device: any KeychainDevice = FakeDevice(),
        authentication: any AuthenticationService = UnavailableKeychain(reason: "nobody to ask"),
        _ answer: @escaping @Sendable (KeychainRequest) throws(KeychainError) -> KeychainAnswer
    ) {
        self.device = device
        self.authentication = authentication
        self.answer = answer
    }

    /// A keychain that fails every request with a status.
    public init(failingWith status: Status) {
        self.init { _ throws(KeychainError) in throw KeychainError(status, "this is the reason") }
    }

    /// Answers by the closure.
    public func perform(_ request: KeychainRequest) throws(KeychainError) -> KeychainAnswer { try answer(request) }
}

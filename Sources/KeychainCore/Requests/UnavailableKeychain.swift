// SPDX-License-Identifier: Apache-2.0

/// A keychain that is not there, and its device: every call says why.
public struct UnavailableKeychain: KeychainBackend, KeychainDevice, AuthenticationService {
    private let error: KeychainError

    /// A keychain that answers `errSecNotAvailable` for a reason; what has a cause is worth a warning in the log.
    public init(reason: String, cause: (any Error)? = nil) {
        error = KeychainError(.notAvailable, reason, cause: cause)
    }

    /// Itself.
    public var device: any KeychainDevice { self }

    /// Itself.
    public var authentication: any AuthenticationService { self }

    /// One that says why there is no keychain.
    public var enclave: any KeyEnclave { UnavailableEnclave(error) }

    /// Says why there is no keychain.
    public func perform(_ request: KeychainRequest) throws(KeychainError) -> KeychainAnswer { throw error }

    /// Says why there is no keychain.
    public func status() throws(KeychainError) -> DeviceStatus { throw error }

    /// Says why there is no keychain.
    public func lock() throws(KeychainError) { throw error }

    /// Says why there is no keychain.
    public func unlock(passcode: SecretBytes) throws(KeychainError) { throw error }

    /// Says why there is no keychain.
    public func setPasscode(_ passcode: SecretBytes) throws(KeychainError) { throw error }

    /// Says why there is no keychain.
    public func changePasscode(from old: SecretBytes, to new: SecretBytes) throws(KeychainError) { throw error }

    /// Says why there is no keychain.
    public func removePasscode(_ passcode: SecretBytes) throws(KeychainError) { throw error }

    /// Says why there is no keychain.
    public func setPolicy(_ policy: DevicePolicy) throws(KeychainError) { throw error }

    /// Has nothing to wipe.
    public func lockThisProcess() {}

    /// None.
    public var biometry: Biometry { .none }

    /// There is nobody to ask.
    public func obstacle(to policy: AuthenticationPolicy, _ context: AuthenticationContext) -> AuthenticationFailure? {
        context.isInvalid ? .invalidContext : .notInteractive
    }

    /// There is nobody to ask.
    public func evaluate(
        _ policy: AuthenticationPolicy,
        reason: String,
        _ context: AuthenticationContext
    ) throws(AuthenticationFailure) {
        throw .notInteractive
    }

    /// There is nobody to ask.
    public func evaluate(
        _ accessControl: AccessControl,
        reason: String,
        _ context: AuthenticationContext
    ) throws(AuthenticationFailure) {
        throw .notInteractive
    }
}

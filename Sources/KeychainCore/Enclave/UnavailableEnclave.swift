// SPDX-License-Identifier: Apache-2.0

/// An enclave of a device that has none: every call says why.
public struct UnavailableEnclave: KeyEnclave {
    private let error: KeychainError

    /// An enclave that fails for a reason.
    public init(_ error: KeychainError) { self.error = error }

    /// Software that is not there.
    public var kind: KeyEnclaveKind { .software }

    /// No.
    public var isAvailable: Bool { false }

    /// Says why there is no enclave.
    public func makeKey(
        _ algorithm: EnclaveAlgorithm,
        _ accessControl: AccessControl,
        _ context: AuthenticationContext?
    ) throws(KeychainError) -> EnclaveKey { throw error }

    /// Says why there is no enclave.
    public func key(_ sealed: SecretBytes) throws(KeychainError) -> EnclaveKey { throw error }

    /// Says why there is no enclave.
    public func perform(
        _ operation: EnclaveOperation,
        with sealed: SecretBytes,
        _ context: AuthenticationContext?
    ) throws(KeychainError) -> SecretBytes { throw error }
}

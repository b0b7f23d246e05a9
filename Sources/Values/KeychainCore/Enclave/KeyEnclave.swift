// SPDX-License-Identifier: Apache-2.0

/// Keeps private keys that never leave the device.
///
/// It implements `SecureEnclave` and `kSecAttrTokenIDSecureEnclave`.
///
/// It sends commands, and has no state except for their destination. A key is identified by its sealed form, which is
/// useless on another device. Thread-safe.
package struct KeyEnclave: Sendable {
    /// Performs the commands.
    package typealias Perform = @Sendable (KeychainCommand.Enclave) throws(KeychainError) -> KeychainReply

    private let perform: Perform

    /// The enclave that commands reach through a closure.
    package init(_ perform: @escaping Perform) { self.perform = perform }

    /// The kind of enclave that keeps the keys; `nil` if there is none.
    package var kind: KeyEnclaveKind? {
        guard case .enclave(let kind)? = try? perform(.kind) else { return nil }
        return kind
    }

    /// Whether keys can be generated and used here, regardless of the lock state.
    package var isAvailable: Bool { kind != nil }

    /// Generates a key.
    ///
    /// - Parameters:
    ///   - algorithm: the algorithm of the key.
    ///   - accessControl: when it can be used, and what the owner has to show first.
    ///   - context: the source of an application password; `nil` to prompt.
    /// - Returns: The key, with its sealed form.
    /// - Throws: `errSecInteractionNotAllowed` while the protection class is locked, `errSecAuthFailed`,
    ///   `errSecNotAvailable`.
    package func makeKey(
        _ algorithm: EnclaveAlgorithm,
        accessControl: AccessControl,
        context: AuthenticationContext?
    ) throws(KeychainError) -> EnclaveKey {
        try Self.key(perform(.makeKey(algorithm, accessControl, context)))
    }

    /// Reads the public part of a sealed key; never prompts, and works in every lock state.
    ///
    /// - Throws: `errSecDecode` for anything other than a sealed key of this device.
    package func key(_ sealed: SecretBytes) throws(KeychainError) -> EnclaveKey { try Self.key(perform(.key(sealed))) }

    /// Uses a key, after the owner has shown what its access control requires.
    ///
    /// - Throws: `errSecInteractionNotAllowed`, `errSecUserCanceled`, `errSecAuthFailed` as for an item under the same
    ///   access control; `errSecParam` for an operation that the algorithm does not support.
    package func perform(
        _ operation: EnclaveOperation,
        with sealed: SecretBytes,
        _ context: AuthenticationContext?
    ) throws(KeychainError) -> SecretBytes {
        guard case .secret(let result) = try perform(.use(operation, sealed, context)) else { throw .unexpectedReply }
        return result
    }

    private static func key(_ reply: KeychainReply) throws(KeychainError) -> EnclaveKey {
        guard case .enclaveKey(let key) = reply else { throw .unexpectedReply }
        return key
    }
}

/// The kinds of enclave; raw values are part of messages.
package enum KeyEnclaveKind: UInt8, Sendable, Hashable, CaseIterable {
    /// A program: the keys are sealed at rest, and in its memory while they are used.
    case software = 1
    /// A chip.
    case hardware = 2
}

/// The algorithms of keys in an enclave; raw values are part of the sealed form.
package enum EnclaveAlgorithm: UInt8, Sendable, Hashable, CaseIterable {
    /// ECDSA and ECDH over NIST P-256 (FIPS 186-5, SP 800-56A).
    case p256 = 1
    /// ML-KEM-768 (FIPS 203).
    case mlKEM768 = 2
    /// ML-KEM-1024 (FIPS 203).
    case mlKEM1024 = 3
    /// ML-DSA-65 (FIPS 204).
    case mlDSA65 = 4
    /// ML-DSA-87 (FIPS 204).
    case mlDSA87 = 5
}

/// A key of an enclave, without its private part.
package struct EnclaveKey: Sendable, Hashable {
    /// The algorithm.
    package var algorithm: EnclaveAlgorithm
    /// The public key: X9.63 uncompressed for P-256, else the encoding of FIPS 203 or 204.
    package var publicKey: [UInt8]
    /// When it can be used.
    package var accessControl: AccessControl
    /// The private key as only this device can open it.
    package var sealed: SecretBytes

    /// A key from its parts.
    package init(
        algorithm: EnclaveAlgorithm,
        publicKey: [UInt8],
        accessControl: AccessControl,
        sealed: SecretBytes
    ) {
        self.algorithm = algorithm
        self.publicKey = publicKey
        self.accessControl = accessControl
        self.sealed = sealed
    }
}

/// A use of a private key.
package enum EnclaveOperation: Sendable, Hashable {
    /// An ECDSA signature of a digest, r ‖ s (RFC 4754).
    case sign(digest: [UInt8])
    /// The shared secret with a public key in X9.63 form: the x-coordinate.
    case agree(publicKey: [UInt8])
    /// The shared secret of an ML-KEM encapsulation.
    case decapsulate([UInt8])
    /// An ML-DSA signature of a message, with a context string.
    case signMessage([UInt8], context: [UInt8])
}

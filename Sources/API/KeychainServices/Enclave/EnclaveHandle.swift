// SPDX-License-Identifier: Apache-2.0

package import Foundation
import KeychainCore

/// A key of the enclave, for the module `CryptoKit`: bytes in, bytes out.
///
/// It uses no type of the modules beneath, so that an installed `CryptoKit` uses the installed keychain rather than a
/// second copy: the symbols of those modules are hidden.
package struct EnclaveHandle: Sendable {
    /// The algorithm of a key.
    package enum Algorithm: Sendable {
        case p256, mlKEM768, mlKEM1024, mlDSA65, mlDSA87
    }

    /// The public key: X9.63 uncompressed for P-256, else the encoding of FIPS 203 or 204.
    package let publicKey: Data

    /// The sealed form.
    package let dataRepresentation: Data

    // The keychain that has the key, regardless of the context where it is used.
    private let keychain: any KeychainBackend
    private let sealed: SecretBytes
    private let context: ClientContext?

    /// Whether keys can be created and used here.
    package static var isAvailable: Bool { KeychainContext.inEffect.backend.enclave.isAvailable }

    /// Creates a key.
    ///
    /// - Throws: An error of the domain `NSOSStatusErrorDomain`, like every function here; a use that the access
    ///   control does not permit fails with an error of LocalAuthentication.
    package init(
        _ algorithm: Algorithm,
        accessControl: SecAccessControl,
        context: (any AuthenticationContextHolder)?
    ) throws {
        let keychain = KeychainContext.inEffect.backend
        let context = context?.authenticationContext
        let key = try Self.reporting { () throws(KeychainError) in
            try keychain.enclave.makeKey(
                algorithm.enclaveAlgorithm,
                accessControl: accessControl.value,
                context: context?.value(for: keychain)
            )
        }
        self.init(in: keychain, key: key, context: context)
    }

    /// Reads the sealed form of a key.
    package init(
        _ algorithm: Algorithm,
        dataRepresentation: Data,
        _ context: (any AuthenticationContextHolder)?
    ) throws {
        let keychain = KeychainContext.inEffect.backend
        let sealed = dataRepresentation.withUnsafeBytes(SecretBytes.init(copying:))
        let key = try Self.reporting { () throws(KeychainError) in
            let key = try keychain.enclave.key(sealed)
            guard key.algorithm == algorithm.enclaveAlgorithm else {
                throw KeychainError(.decode, "the sealed key is for another algorithm")
            }
            return key
        }
        self.init(in: keychain, key: key, context: context?.authenticationContext)
    }

    private init(in keychain: any KeychainBackend, key: EnclaveKey, context: ClientContext?) {
        self.keychain = keychain
        self.context = context
        sealed = key.sealed
        publicKey = Data(key.publicKey)
        dataRepresentation = key.sealed.withUnsafeBytes { Data($0) }
    }

    /// The ECDSA signature of a digest, r ‖ s (RFC 4754).
    package func signature(ofDigest digest: some Sequence<UInt8>) throws -> Data {
        try perform(.sign(digest: Array(digest))) { Data($0) }
    }

    /// The signature of a message, in a context (FIPS 204).
    package func signature(of message: some Sequence<UInt8>, context: some Sequence<UInt8>) throws -> Data {
        try perform(.signMessage(Array(message), context: Array(context))) { Data($0) }
    }

    /// Lends the secret shared with the owner of a public key in X9.63 form: its x-coordinate (SP 800-56A).
    package func withSharedSecret<Result>(
        with publicKey: Data,
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        try perform(.agree(publicKey: Array(publicKey)), body)
    }

    /// Lends the secret that was encapsulated for the key (FIPS 203).
    package func withDecapsulated<Result>(
        _ encapsulated: some Sequence<UInt8>,
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        try perform(.decapsulate(Array(encapsulated)), body)
    }

    private func perform<Result>(
        _ operation: EnclaveOperation,
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        let result = try Self.reporting { () throws(KeychainError) in
            try keychain.enclave.perform(operation, with: sealed, context?.value(for: keychain))
        }
        return try result.withUnsafeBytes(body)
    }

    private static func reporting<Result>(_ body: () throws(KeychainError) -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            if error.isOperationNotAllowed { throw SecurityError.operationNotAllowed(error.reason) }
            throw NSError(
                domain: NSOSStatusErrorDomain,
                code: Int(error.status.rawValue),
                userInfo: [NSLocalizedDescriptionKey: error.reason]
            )
        }
    }
}

extension EnclaveHandle.Algorithm {
    fileprivate var enclaveAlgorithm: EnclaveAlgorithm {
        switch self {
        case .p256: .p256
        case .mlKEM768: .mlKEM768
        case .mlKEM1024: .mlKEM1024
        case .mlDSA65: .mlDSA65
        case .mlDSA87: .mlDSA87
        }
    }
}

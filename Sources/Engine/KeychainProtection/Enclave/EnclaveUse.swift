// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
import KeychainCore
import KeychainKeys

/// A use of a private key that its algorithm supports.
///
/// Its parameters were validated before any prompt.
package struct EnclaveUse: Sendable {
    private let kind: Kind

    private enum Kind: Sendable {
        case sign(digest: AnyDigest)
        case agree(P256.KeyAgreement.PublicKey)
        case decapsulate(EnclaveAlgorithm, [UInt8])
        case signMessage(EnclaveAlgorithm, [UInt8], context: [UInt8])
    }

    /// The longest context of an ML-DSA signature, in bytes (FIPS 204, algorithm 2).
    private static let longestContext = 255

    /// Checks an operation; `nil` when the algorithm does not have it, or when its parameters are impossible.
    package init?(_ operation: EnclaveOperation, _ algorithm: EnclaveAlgorithm) {
        switch (operation, algorithm) {
        case (.sign(let digest), .p256) where !digest.isEmpty: kind = .sign(digest: AnyDigest(bytes: digest))
        case (.agree(let publicKey), .p256):
            guard let publicKey = try? P256.KeyAgreement.PublicKey(x963Representation: publicKey) else { return nil }
            kind = .agree(publicKey)
        case (.decapsulate(let encapsulated), .mlKEM768) where encapsulated.count == 1088,
            (.decapsulate(let encapsulated), .mlKEM1024) where encapsulated.count == 1568:
            kind = .decapsulate(algorithm, encapsulated)
        case (.signMessage(let message, let context), .mlDSA65) where context.count <= Self.longestContext,
            (.signMessage(let message, let context), .mlDSA87) where context.count <= Self.longestContext:
            kind = .signMessage(algorithm, message, context: context)
        default: return nil
        }
    }

    /// Uses a private key, whose own copies of it are wiped by the caller.
    func result(_ privateKey: UnsafeRawBufferPointer) throws(ProtectionError) -> SecretBytes {
        do {
            switch kind {
            case .sign(let digest):
                let key = try P256.Signing.PrivateKey(rawRepresentation: privateKey)
                return SecretBytes(Array(try key.signature(for: digest).rawRepresentation))
            case .agree(let publicKey):
                let key = try P256.KeyAgreement.PrivateKey(rawRepresentation: privateKey)
                return try key.sharedSecretFromKeyAgreement(with: publicKey)
                    .withUnsafeBytes(SecretBytes.init(copying:))
            case .decapsulate(.mlKEM1024, let encapsulated):
                let key = try MLKEM1024.PrivateKey(seedRepresentation: privateKey, publicKey: nil)
                return try key.decapsulate(encapsulated).withUnsafeBytes(SecretBytes.init(copying:))
            case .decapsulate(_, let encapsulated):
                let key = try MLKEM768.PrivateKey(seedRepresentation: privateKey, publicKey: nil)
                return try key.decapsulate(encapsulated).withUnsafeBytes(SecretBytes.init(copying:))
            case .signMessage(.mlDSA87, let message, let context):
                let key = try MLDSA87.PrivateKey(seedRepresentation: privateKey, publicKey: nil)
                return SecretBytes(Array(try key.signature(for: message, context: context)))
            case .signMessage(_, let message, let context):
                let key = try MLDSA65.PrivateKey(seedRepresentation: privateKey, publicKey: nil)
                return SecretBytes(Array(try key.signature(for: message, context: context)))
            }
        } catch {
            throw .cryptography("a private key cannot be used")
        }
    }
}

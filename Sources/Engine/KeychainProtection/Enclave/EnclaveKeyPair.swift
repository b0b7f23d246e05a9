// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
import KeychainCore

/// A key pair on its way into its sealed form.
struct EnclaveKeyPair {
    /// The public key, as in ``EnclaveKey/publicKey``.
    let publicKey: [UInt8]
    /// The scalar of P-256, the seed d ‖ z of ML-KEM (FIPS 203), the seed ξ of ML-DSA (FIPS 204).
    let privateKey: SecretBytes

    /// Generates a key pair.
    ///
    /// A P-256 key is compact representable: its public key is determined by the x-coordinate alone
    /// (draft-jivsov-ecc-compact), which has no disadvantage for other uses.
    init(generating algorithm: EnclaveAlgorithm) throws(ProtectionError) {
        self = try StackMemory.wiped(.privateKey) { () throws(ProtectionError) in
            do {
                return try Self.generate(algorithm)
            } catch {
                throw .cryptography("a key cannot be made")
            }
        }
    }

    private init(_ publicKey: Data, _ privateKey: Data) {
        self.publicKey = Array(publicKey)
        var privateKey = privateKey
        self.privateKey = privateKey.withUnsafeMutableBytes { bytes in
            defer { bytes.wipe() }
            return SecretBytes(copying: UnsafeRawBufferPointer(bytes))
        }
    }

    private static func generate(_ algorithm: EnclaveAlgorithm) throws -> EnclaveKeyPair {
        switch algorithm {
        case .p256:
            let key = P256.Signing.PrivateKey(compactRepresentable: true)
            return EnclaveKeyPair(key.publicKey.x963Representation, key.rawRepresentation)
        case .mlKEM768:
            let key = try MLKEM768.PrivateKey()
            return EnclaveKeyPair(key.publicKey.rawRepresentation, key.seedRepresentation)
        case .mlKEM1024:
            let key = try MLKEM1024.PrivateKey()
            return EnclaveKeyPair(key.publicKey.rawRepresentation, key.seedRepresentation)
        case .mlDSA65:
            let key = try MLDSA65.PrivateKey()
            return EnclaveKeyPair(key.publicKey.rawRepresentation, key.seedRepresentation)
        case .mlDSA87:
            let key = try MLDSA87.PrivateKey()
            return EnclaveKeyPair(key.publicKey.rawRepresentation, key.seedRepresentation)
        }
    }
}

extension EnclaveAlgorithm {
    /// The number of bytes of a public key.
    var publicKeyByteCount: Int {
        switch self {
        case .p256: 65
        case .mlKEM768: 1184
        case .mlKEM1024: 1568
        case .mlDSA65: 1952
        case .mlDSA87: 2592
        }
    }

    /// The number of bytes that are stored of a private key.
    var privateKeyByteCount: Int {
        switch self {
        case .p256, .mlDSA65, .mlDSA87: 32
        case .mlKEM768, .mlKEM1024: 64
        }
    }
}

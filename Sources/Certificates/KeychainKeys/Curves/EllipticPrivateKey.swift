// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import KeychainCore

/// A private key on a curve, in this process.
struct EllipticPrivateKey: EllipticKeyOperations {
    /// K, with the length of a coordinate.
    let scalar: SecretBytes

    private let backing: Backing

    private enum Backing: Sendable {
        case p256(P256.Signing.PrivateKey)
        case p384(P384.Signing.PrivateKey)
        case p521(P521.Signing.PrivateKey)
    }

    /// A new key.
    init(generating curve: Curve) {
        switch curve {
        case .p256:
            let key = P256.Signing.PrivateKey(compactRepresentable: false)
            (backing, scalar) = (.p256(key), SecretBytes(wiping: key.rawRepresentation))
        case .p384:
            let key = P384.Signing.PrivateKey(compactRepresentable: false)
            (backing, scalar) = (.p384(key), SecretBytes(wiping: key.rawRepresentation))
        case .p521:
            let key = P521.Signing.PrivateKey(compactRepresentable: false)
            (backing, scalar) = (.p521(key), SecretBytes(wiping: key.rawRepresentation))
        }
    }

    /// The key with a scalar between 1 and the curve's order.
    init(scalar: UnsafeRawBufferPointer, _ curve: Curve) throws(KeyError) {
        guard scalar.count == curve.coordinateCount else {
            throw .malformed("the private key does not have the length of the curve")
        }
        self.scalar = SecretBytes(copying: scalar)
        do {
            switch curve {
            case .p256: backing = .p256(try P256.Signing.PrivateKey(rawRepresentation: scalar))
            case .p384: backing = .p384(try P384.Signing.PrivateKey(rawRepresentation: scalar))
            case .p521: backing = .p521(try P521.Signing.PrivateKey(rawRepresentation: scalar))
            }
        } catch {
            throw .malformed("the private key does not lie below the curve's order")
        }
    }

    /// The point of the public key.
    var publicKey: EllipticPublicKey {
        switch backing {
        case .p256(let key): .p256(key.publicKey)
        case .p384(let key): .p384(key.publicKey)
        case .p521(let key): .p521(key.publicKey)
        }
    }

    /// The point of the public key: 04 ‖ X ‖ Y.
    var point: [UInt8] {
        switch backing {
        case .p256(let key): Array(key.publicKey.x963Representation)
        case .p384(let key): Array(key.publicKey.x963Representation)
        case .p521(let key): Array(key.publicKey.x963Representation)
        }
    }

    func signature(of digest: [UInt8]) throws(KeyError) -> [UInt8] {
        let digest = AnyDigest(bytes: digest)
        do {
            switch backing {
            case .p256(let key): return Array(try key.signature(for: digest).rawRepresentation)
            case .p384(let key): return Array(try key.signature(for: digest).rawRepresentation)
            case .p521(let key): return Array(try key.signature(for: digest).rawRepresentation)
            }
        } catch {
            throw .failed(.internalComponent, "the signature could not be made")
        }
    }

    func sharedSecret(with publicKey: PublicKey) throws(KeyError) -> SecretBytes {
        guard publicKey.curve == self.publicKey.curve else {
            throw .parameter("the two keys are not on the same curve")
        }
        let secret: SharedSecret
        do {
            secret = try sharedSecret(publicKey.externalRepresentation)
        } catch {
            throw .parameter("the keys have no shared secret")
        }
        return secret.withUnsafeBytes { SecretBytes(copying: $0) }
    }

    private func sharedSecret(_ point: [UInt8]) throws -> SharedSecret {
        try scalar.withUnsafeBytes { scalar in
            switch backing {
            case .p256:
                try P256.KeyAgreement.PrivateKey(rawRepresentation: scalar)
                    .sharedSecretFromKeyAgreement(with: P256.KeyAgreement.PublicKey(x963Representation: point))
            case .p384:
                try P384.KeyAgreement.PrivateKey(rawRepresentation: scalar)
                    .sharedSecretFromKeyAgreement(with: P384.KeyAgreement.PublicKey(x963Representation: point))
            case .p521:
                try P521.KeyAgreement.PrivateKey(rawRepresentation: scalar)
                    .sharedSecretFromKeyAgreement(with: P521.KeyAgreement.PublicKey(x963Representation: point))
            }
        }
    }
}

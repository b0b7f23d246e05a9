// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The primitive operations of a private key on a curve, wherever it is stored; all others are built on them
/// (Semantics, "Key algorithms").
package protocol EllipticKeyOperations: Sendable {
    /// Makes an ECDSA signature.
    ///
    /// - Parameter digest: the digest, of any length; it is truncated to the length of the curve's order (FIPS 186-5).
    /// - Returns: r ‖ s, each as long as a coordinate (RFC 4754).
    /// - Throws: ``KeyError/failed(_:_:)`` with the error of the key's storage.
    func signature(of digest: [UInt8]) throws(KeyError) -> [UInt8]

    /// Carries out ECDH.
    ///
    /// - Parameter publicKey: a key on the same curve.
    /// - Returns: The x-coordinate of the shared point, as long as a coordinate.
    /// - Throws: ``KeyError/parameter(_:)`` for a key on another curve; ``KeyError/failed(_:_:)``.
    func sharedSecret(with publicKey: PublicKey) throws(KeyError) -> SecretBytes
}

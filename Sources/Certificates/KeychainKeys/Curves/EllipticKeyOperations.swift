// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// What a private key of a curve does itself, wherever it lives; everything else is layered on it (Semantics, "Key
/// algorithms").
package protocol EllipticKeyOperations: Sendable {
    /// Makes an ECDSA signature.
    ///
    /// - Parameter digest: the digest, of any length; bits beyond the curve's order are cut off (FIPS 186-5).
    /// - Returns: r ‖ s, each as long as a coordinate (RFC 4754).
    /// - Throws: ``KeyError/failed(_:_:)`` with what the place that keeps the key says.
    func signature(of digest: [UInt8]) throws(KeyError) -> [UInt8]

    /// Carries out ECDH.
    ///
    /// - Parameter publicKey: a key on the same curve.
    /// - Returns: The x-coordinate of the shared point, as long as a coordinate.
    /// - Throws: ``KeyError/parameter(_:)`` for a key on another curve; ``KeyError/failed(_:_:)``.
    func sharedSecret(with publicKey: PublicKey) throws(KeyError) -> SecretBytes
}

// SPDX-License-Identifier: Apache-2.0

import CryptoKit
import Foundation

/// A message that is sealed and signed.
public struct Envelope {
    private let key = SymmetricKey(size: .bits256)
    private let signer = P256.Signing.PrivateKey()

    /// Fresh keys.
    public init() {}

    /// Seals a message, signs its digest, checks the signature, and opens it again.
    public func roundTrip(_ message: Data) throws -> Data {
        let box = try AES.GCM.seal(message, using: key)
        let digest = SHA256.hash(data: message)
        let signature = try signer.signature(for: digest)
        guard signer.publicKey.isValidSignature(signature, for: digest) else {
            throw CryptoKitError.authenticationFailure
        }
        return try AES.GCM.open(box, using: key)
    }
}

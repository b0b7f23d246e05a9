// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import KeychainCore

/// AES-GCM (SP 800-38D) with a 16-byte nonce, as in the hybrid algorithms: the ciphertext, then the tag.
struct AuthenticatedCipher {
    static let tagCount = 16
    static let nonceCount = 16
    static var zeroNonce: SecretBytes { SecretBytes(Array(repeating: 0, count: nonceCount)) }

    let key: SecretBytes
    let nonce: SecretBytes

    func seal(_ plaintext: UnsafeRawBufferPointer, authenticating data: [UInt8]) throws(KeyError) -> [UInt8] {
        do {
            let box = try AES.GCM.seal(plaintext, using: symmetricKey, nonce: gcmNonce(), authenticating: data)
            return Array(box.ciphertext) + Array(box.tag)
        } catch {
            throw .failed(.internalComponent, "the data could not be encrypted")
        }
    }

    func open(_ sealed: UnsafeRawBufferPointer, authenticating data: [UInt8]) throws(KeyError) -> SecretBytes {
        guard sealed.count >= Self.tagCount else { throw .decryptionFailed }
        do {
            let box = try AES.GCM.SealedBox(
                nonce: gcmNonce(),
                ciphertext: sealed.dropLast(Self.tagCount),
                tag: sealed.suffix(Self.tagCount)
            )
            return SecretBytes(wiping: try AES.GCM.open(box, using: symmetricKey, authenticating: data))
        } catch {
            throw .decryptionFailed
        }
    }

    private var symmetricKey: SymmetricKey { key.withUnsafeBytes { SymmetricKey(data: $0) } }

    private func gcmNonce() throws -> AES.GCM.Nonce { try nonce.withUnsafeBytes { try AES.GCM.Nonce(data: $0) } }
}

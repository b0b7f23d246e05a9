// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
import KeychainCore

/// AES-256-GCM (NIST SP 800-38D) with a random 96-bit nonce; sealed bytes are nonce, ciphertext, 128-bit tag.
enum GCM {
    /// The number of bytes of nonce and tag.
    static let overheadByteCount = nonceByteCount + 16

    static let nonceByteCount = 12

    /// Seals a message under a nonce that is used for nothing else; a fresh one by default.
    static func seal(
        _ plaintext: UnsafeRawBufferPointer,
        under key: SymmetricKey,
        _ nonce: AES.GCM.Nonce? = nil,
        associatedData: [UInt8]
    ) throws(ProtectionError) -> [UInt8] {
        do {
            let nonce = try nonce ?? freshNonce()
            let box = try AES.GCM.seal(plaintext, using: key, nonce: nonce, authenticating: associatedData)
            guard let combined = box.combined else { throw ProtectionError.cryptography("AES-GCM nonce length") }
            return Array(combined)
        } catch {
            throw .cryptography("AES-GCM: \(error)")
        }
    }

    /// swift-crypto's own calls the system for each word of it.
    private static func freshNonce() throws -> AES.GCM.Nonce {
        try withUnsafeTemporaryAllocation(byteCount: nonceByteCount, alignment: 8) { buffer in
            buffer.fillFromSystemGenerator()
            return try AES.GCM.Nonce(data: UnsafeRawBufferPointer(buffer))
        }
    }

    /// Passes the plaintext to `body` and wipes it afterwards; `nil` if the bytes are not authentic.
    static func open<Result>(
        _ sealed: ArraySlice<UInt8>,
        under key: SymmetricKey,
        associatedData: [UInt8],
        _ body: (UnsafeRawBufferPointer) throws(ProtectionError) -> Result
    ) throws(ProtectionError) -> Result? {
        let box = sealed.withUnsafeBytes { try? AES.GCM.SealedBox(combined: $0) }
        guard let box, var plaintext = try? AES.GCM.open(box, using: key, authenticating: associatedData) else {
            return nil
        }
        var result: Swift.Result<Result, ProtectionError>?
        plaintext.withUnsafeMutableBytes { bytes in
            defer { bytes.wipe() }
            do throws(ProtectionError) {
                result = .success(try body(UnsafeRawBufferPointer(bytes)))
            } catch {
                result = .failure(error)
            }
        }
        return try result?.get()
    }

    /// The plaintext; `nil` when the bytes do not authenticate.
    static func open(_ sealed: ArraySlice<UInt8>, under key: SymmetricKey, associatedData: [UInt8]) -> SecretBytes? {
        try? open(sealed, under: key, associatedData: associatedData) { SecretBytes(copying: $0) }
    }
}

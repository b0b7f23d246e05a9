// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import KeychainCore

/// Keys from passcodes and passwords, by scrypt (RFC 7914).
enum Scrypt {
    /// Derives a key of 256 bits from a passcode or password of any length, including 0.
    ///
    /// The input of scrypt is the number of bytes, as eight bytes, and then the bytes: its initial HMAC pads short keys
    /// with zeros, so that "a" and "a\0" would be equal.
    ///
    /// - Throws: ``ProtectionError/noMemory``.
    static func key(
        from password: SecretBytes,
        salt: [UInt8],
        _ parameters: ScryptParameters
    ) throws(ProtectionError) -> SymmetricKey {
        var input: [UInt8] = []
        // Growing the array would leave a copy behind.
        input.reserveCapacity(8 + password.count)
        defer { input.wipe() }
        input.append(littleEndian: UInt64(password.count))
        password.withUnsafeBytes { input.append(contentsOf: $0) }
        return try derive(input, salt: salt, parameters, byteCount: LockedKey.byteCount)
    }

    /// Scrypt as in RFC 7914, section 6.
    static func derive(
        _ input: [UInt8],
        salt: [UInt8],
        _ parameters: ScryptParameters,
        byteCount: Int
    ) throws(ProtectionError) -> SymmetricKey {
        guard parameters.areAcceptable else { throw .cryptography("scrypt parameters out of bounds") }
        do {
            return try KDF.Scrypt.deriveKey(
                from: input,
                salt: salt,
                outputByteCount: byteCount,
                rounds: 1 << Int(parameters.log2Cost),
                blockSize: Int(parameters.blockSize),
                parallelism: Int(parameters.parallelization)
            )
        } catch {
            // With acceptable parameters, there is no other failure.
            throw .noMemory
        }
    }
}

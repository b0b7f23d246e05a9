// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import KeychainCore

/// Keys from passcodes and passwords, by scrypt (RFC 7914).
enum Scrypt {
    /// A key of 256 bits from a passcode or password of any length, none among them.
    ///
    /// The input of scrypt is the number of bytes, in eight, and then the bytes: the HMAC at its beginning fills short
    /// keys up with zeros, and would take "a" and "a\0" for the same.
    ///
    /// - Throws: ``ProtectionError/noMemory``.
    static func key(
        from password: SecretBytes,
        salt: [UInt8],
        _ parameters: ScryptParameters
    ) throws(ProtectionError) -> SymmetricKey {
        var input: [UInt8] = []
        // Growing would leave a copy behind.
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
            // With acceptable parameters nothing else can fail.
            throw .noMemory
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import KeychainASN1
import KeychainCore
import SwiftASN1

/// An `EncryptedPrivateKeyInfo` of PKCS #8 (RFC 5958, section 3).
public enum EncryptedPrivateKey {
    /// Decrypts a private key: PBES2 with PBKDF2 and AES or Triple-DES in CBC mode, or a block cipher of PKCS #12.
    ///
    /// - Parameters:
    ///   - der: the encrypted key.
    ///   - password: the password.
    /// - Returns: The `PrivateKeyInfo` in DER.
    /// - Throws: ``ContainerError``: what comes out under a wrong password has no padding, or is no DER.
    public static func decrypt(_ der: [UInt8], password: String) throws(ContainerError) -> SecretBytes {
        try CallStack.wiped { () throws(ContainerError) in try decrypt(der, password: password, WorkBudget()) }
    }

    static func decrypt(
        _ der: [UInt8],
        password: String,
        _ budget: WorkBudget
    ) throws(ContainerError) -> SecretBytes {
        var budget = budget
        var lastError = ContainerError.wrongPassword
        for variant in Password(password).variants {
            do throws(ContainerError) {
                return try decrypt(FieldReader(parsing: der[...], "an encrypted key"), variant, &budget)
            } catch {
                lastError = error
            }
        }
        throw lastError
    }

    /// Decrypts what was parsed already, at the expense of a file.
    static func decrypt(
        _ fields: FieldReader,
        _ password: Password,
        _ budget: inout WorkBudget
    ) throws(ContainerError) -> SecretBytes {
        var fields = fields
        let scheme = try EncryptionScheme(fields.next("algorithm"))
        let encrypted = try fields.octets("encrypted data")
        try fields.end()
        var plain = try scheme.decrypt(encrypted, password, &budget)
        defer { plain.wipe() }
        // One in 256 wrong passwords leaves something that looks like padding.
        guard let node = try? BER.parse(plain), node.identifier == .sequence else { throw .wrongPassword }
        return SecretBytes(plain)
    }

    /// Encrypts a private key by PBES2: PBKDF2 with HMAC-SHA-256 and 16 random bytes of salt, AES-256 in CBC mode.
    ///
    /// - Parameters:
    ///   - privateKeyInfo: the key in DER.
    ///   - password: the password.
    ///   - iterations: of PBKDF2; the default takes about a tenth of a second.
    /// - Returns: The `EncryptedPrivateKeyInfo` in DER.
    /// - Throws: ``ContainerError`` when the library refuses.
    public static func encrypt(
        _ privateKeyInfo: SecretBytes,
        password: String,
        iterations: Int = 600_000
    ) throws(ContainerError) -> [UInt8] {
        try CallStack.wiped { () throws(ContainerError) in
            try encrypt(privateKeyInfo, password, iterations)
        }
    }

    private static func encrypt(
        _ privateKeyInfo: SecretBytes,
        _ password: String,
        _ iterations: Int
    ) throws(ContainerError) -> [UInt8] {
        var password = Array(password.utf8)
        defer { password.wipe() }
        let salt = SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) }
        do {
            let key = try KDF.Insecure.PBKDF2.deriveKey(
                from: password,
                salt: salt,
                using: .sha256,
                outputByteCount: 32,
                unsafeUncheckedRounds: iterations
            )
            let start = AES._CBC.IV()
            var plain = privateKeyInfo.unprotectedCopy
            defer { plain.wipe() }
            let encrypted = try AES._CBC.encrypt(plain, using: key, iv: start)
            return try document(salt, iterations, Array(start), Array(encrypted))
        } catch {
            throw .unsupported("a key cannot be encrypted")
        }
    }

    private static func document(
        _ salt: [UInt8],
        _ iterations: Int,
        _ initializationVector: [UInt8],
        _ encrypted: [UInt8]
    ) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { document in
            try document.appendConstructedNode(identifier: .sequence) { algorithm in
                try algorithm.serialize(ASN1ObjectIdentifier.passwordBasedEncryption)
                try algorithm.appendConstructedNode(identifier: .sequence) { parameters in
                    try parameters.appendConstructedNode(identifier: .sequence) { derivation in
                        try derivation.serialize([1, 2, 840, 113549, 1, 5, 12] as ASN1ObjectIdentifier)
                        try derivation.appendConstructedNode(identifier: .sequence) { values in
                            try values.serialize(ASN1OctetString(contentBytes: salt[...]))
                            try values.serialize(iterations)
                            try values.appendConstructedNode(identifier: .sequence) { function in
                                try function.serialize([1, 2, 840, 113549, 2, 9] as ASN1ObjectIdentifier)
                                function.appendPrimitiveNode(identifier: .null) { _ in }
                            }
                        }
                    }
                    try parameters.appendConstructedNode(identifier: .sequence) { cipher in
                        try cipher.serialize([2, 16, 840, 1, 101, 3, 4, 1, 42] as ASN1ObjectIdentifier)
                        try cipher.serialize(ASN1OctetString(contentBytes: initializationVector[...]))
                    }
                }
            }
            try document.serialize(ASN1OctetString(contentBytes: encrypted[...]))
        }
        return serializer.serializedBytes
    }
}

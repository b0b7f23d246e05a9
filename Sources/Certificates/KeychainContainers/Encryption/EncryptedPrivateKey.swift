// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore
import SwiftASN1

/// An `EncryptedPrivateKeyInfo` of PKCS #8 (RFC 5958, section 3).
package enum EncryptedPrivateKey {
    /// Decrypts a private key: PBES2 with PBKDF2 and AES or Triple-DES in CBC mode, or a block cipher of PKCS #12.
    ///
    /// - Parameters:
    ///   - der: the encrypted key.
    ///   - password: the password.
    /// - Returns: The `PrivateKeyInfo` in DER.
    /// - Throws: ``ContainerError``: with a wrong password, the result has no valid padding, or is not DER.
    package static func decrypt(_ der: [UInt8], password: String) throws(ContainerError) -> SecretBytes {
        var budget = WorkBudget()
        return try decrypt(der, password: password, &budget)
    }

    /// The same, within the work budget of the file that contains the key.
    package static func decrypt(
        _ der: [UInt8],
        password: String,
        _ budget: inout WorkBudget
    ) throws(ContainerError) -> SecretBytes {
        try StackMemory.wiped { () throws(ContainerError) in
            var lastError = ContainerError.wrongPassword
            for variant in Password(password).variants {
                do throws(ContainerError) {
                    return try decrypt(
                        ContainerFieldReader(parsing: der[...], "an encrypted key"),
                        with: variant,
                        within: &budget
                    )
                } catch {
                    lastError = error
                }
            }
            throw lastError
        }
    }

    /// Decrypts a parsed key, within the work budget of a file.
    static func decrypt(
        _ fields: ContainerFieldReader,
        with password: Password,
        within budget: inout WorkBudget
    ) throws(ContainerError) -> SecretBytes {
        var fields = fields
        let scheme = try EncryptionScheme(fields.next("algorithm"))
        let encrypted = try fields.octets("encrypted data")
        try fields.end()
        var plain = try scheme.decrypt(encrypted, with: password, within: &budget)
        defer { plain.wipe() }
        // One in 256 wrong passwords results in valid padding.
        guard let node = try? EncodedValue.parse(plain[...], .basic, within: .file), node.identifier == .sequence else {
            throw .wrongPassword
        }
        return SecretBytes(plain)
    }

    /// Encrypts a private key by PBES2: PBKDF2 with HMAC-SHA-256 and 16 random bytes of salt, AES-256 in CBC mode.
    ///
    /// - Parameters:
    ///   - privateKeyInfo: the key in DER.
    ///   - password: the password.
    ///   - iterations: the iterations of PBKDF2; the default takes about a tenth of a second.
    /// - Returns: The `EncryptedPrivateKeyInfo` in DER.
    /// - Throws: ``ContainerError`` if the library fails.
    package static func encrypt(
        _ privateKeyInfo: SecretBytes,
        password: String,
        iterations: Int = 600_000
    ) throws(ContainerError) -> [UInt8] {
        try StackMemory.wiped { () throws(ContainerError) in
            try encrypt(privateKeyInfo, with: password, iterations: iterations)
        }
    }

    private static func encrypt(
        _ privateKeyInfo: SecretBytes,
        with text: String,
        iterations: Int
    ) throws(ContainerError) -> [UInt8] {
        var password = Password(text)
        defer { password.wipe() }
        let encrypted = try EncryptedPrivateKey.encrypted(
            privateKeyInfo,
            with: password,
            by: .aes256,
            iterations: iterations
        )
        return try DERDocument.bytes { try $0.serialize(encrypted) }
    }

    /// Encrypts with a password whose forms were already computed.
    static func encrypted(
        _ privateKeyInfo: SecretBytes,
        with password: Password,
        by encryption: ContainerEncryption,
        iterations: Int
    ) throws(ContainerError) -> EncryptedPrivateKeyInfo {
        let scheme = EncryptionScheme(encryption, iterations: iterations)
        let bytes = try privateKeyInfo.withUnsafeBytes { (plain) throws(ContainerError) in
            try scheme.encrypt(plain, password)
        }
        return EncryptedPrivateKeyInfo(scheme: scheme, bytes: bytes)
    }
}

/// A new `EncryptedPrivateKeyInfo`.
struct EncryptedPrivateKeyInfo: DERSerializable {
    let scheme: EncryptionScheme
    let bytes: [UInt8]

    func serialize(into serializer: inout DER.Serializer) throws {
        try serializer.appendConstructedNode(identifier: .sequence) { document in
            try document.serialize(scheme)
            try document.serialize(ASN1OctetString(contentBytes: bytes[...]))
        }
    }
}

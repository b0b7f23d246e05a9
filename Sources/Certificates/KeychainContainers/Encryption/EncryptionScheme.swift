// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import SwiftASN1

/// A password-based encryption scheme, as stated by the `AlgorithmIdentifier` of an encrypted file.
enum EncryptionScheme {
    /// PBES2 (RFC 8018, section 6.2).
    case passwordBased(PBKDF2, Cipher, initializationVector: [UInt8])
    /// One of the schemes of PKCS #12 (RFC 7292, appendix C).
    case legacy(Cipher, salt: [UInt8], iterations: Int)

    init(_ node: ASN1Node) throws(ContainerError) {
        var fields = try ContainerFieldReader(node, "an encryption algorithm")
        let identifier = try fields.objectIdentifier("encryption algorithm")
        if identifier == .passwordBasedEncryption {
            self = try Self.passwordBased(fields.next("parameters"))
        } else if let cipher = Self.legacyCiphers[identifier] {
            self = try Self.legacy(cipher, fields.next("parameters"))
        } else {
            throw .unsupported("the encryption algorithm \(identifier) is not implemented")
        }
        try fields.end()
    }

    /// The schemes of PKCS #12 that are not stream ciphers.
    private static let legacyCiphers: [ASN1ObjectIdentifier: Cipher] = [
        [1, 2, 840, 113549, 1, 12, 1, 3]: .tripleDES(keyByteCount: 24),
        [1, 2, 840, 113549, 1, 12, 1, 4]: .tripleDES(keyByteCount: 16),
        [1, 2, 840, 113549, 1, 12, 1, 5]: .rc2(keyByteCount: 16),
        [1, 2, 840, 113549, 1, 12, 1, 6]: .rc2(keyByteCount: 5),
    ]

    private static func legacy(_ cipher: Cipher, _ node: ASN1Node) throws(ContainerError) -> EncryptionScheme {
        var fields = try ContainerFieldReader(node, "the parameters of an encryption")
        let salt = try Array(fields.octets("salt"))
        let iterations = try fields.integer("number of iterations")
        try fields.end()
        return .legacy(cipher, salt: salt, iterations: iterations)
    }

    private static func passwordBased(_ node: ASN1Node) throws(ContainerError) -> EncryptionScheme {
        var fields = try ContainerFieldReader(node, "the parameters of an encryption")
        let derivation = try PBKDF2(fields.next("key derivation"))
        var scheme = try ContainerFieldReader(fields.next("cipher"), "a cipher")
        try fields.end()
        let identifier = try scheme.objectIdentifier("cipher")
        guard let cipher = ciphers[identifier] else {
            throw .unsupported("the cipher \(identifier) is not implemented")
        }
        let start = try Array(scheme.octets("start of a cipher"))
        try scheme.end()
        guard start.count == cipher.blockByteCount else { throw .malformed("the start of a cipher has a wrong length") }
        guard derivation.keyByteCount == nil || derivation.keyByteCount == cipher.keyByteCount else {
            throw .malformed("a key has another length than its cipher takes")
        }
        return .passwordBased(derivation, cipher, initializationVector: start)
    }

    /// The ciphers of PBES2, and of encrypted messages (RFC 3565, RFC 3370).
    static let ciphers: [ASN1ObjectIdentifier: Cipher] = [
        [2, 16, 840, 1, 101, 3, 4, 1, 2]: .aes(keyByteCount: 16),
        [2, 16, 840, 1, 101, 3, 4, 1, 22]: .aes(keyByteCount: 24),
        [2, 16, 840, 1, 101, 3, 4, 1, 42]: .aes(keyByteCount: 32),
        [1, 2, 840, 113549, 3, 7]: .tripleDES(keyByteCount: 24),
    ]

    /// Decrypts.
    ///
    /// - Throws: `.wrongPassword` if the result has no valid padding; `.unsupported` if the budget is exhausted.
    func decrypt(
        _ bytes: ArraySlice<UInt8>,
        with password: Password,
        within budget: inout WorkBudget
    ) throws(ContainerError) -> [UInt8] {
        var keying = try keying(password, &budget)
        defer { keying.key.wipe() }
        return try cipher.decrypt(bytes, key: keying.key, initializationVector: keying.start)
    }

    /// Encrypts.
    func encrypt(_ plain: UnsafeRawBufferPointer, _ password: Password) throws(ContainerError) -> [UInt8] {
        // The caller chose the number of iterations, not a file.
        var budget = WorkBudget(left: .max)
        var keying = try keying(password, &budget)
        defer { keying.key.wipe() }
        return try cipher.encrypt(plain, key: keying.key, initializationVector: keying.start)
    }

    private var cipher: Cipher {
        switch self {
        case .passwordBased(_, let cipher, _), .legacy(let cipher, _, _): cipher
        }
    }

    private func keying(
        _ password: Password,
        _ budget: inout WorkBudget
    ) throws(ContainerError) -> (key: [UInt8], start: [UInt8]) {
        switch self {
        case .passwordBased(let derivation, let cipher, let start):
            return (try derivation.derive(password, byteCount: cipher.keyByteCount, &budget), start)
        case .legacy(let cipher, let salt, let iterations):
            let hash = LegacyHash.sha1
            try budget.spend(
                iterations,
                at: .pkcs12,
                over: cipher.keyByteCount,
                cipher.blockByteCount,
                blockByteCount: hash.byteCount
            )
            let key = hash.derive(
                .encryptionKey,
                from: password.big,
                salt: salt[...],
                iterations: iterations,
                byteCount: cipher.keyByteCount
            )
            let start = hash.derive(
                .initializationVector,
                from: password.big,
                salt: salt[...],
                iterations: iterations,
                byteCount: cipher.blockByteCount
            )
            return (key, start)
        }
    }
}

extension ASN1ObjectIdentifier {
    /// PBES2.
    static let passwordBasedEncryption: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 5, 13]
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainContainers
import KeychainCore
import KeychainTestSupport
import Testing

/// Private keys under a password.
struct EncryptedPrivateKeyTests {
    @Test(
        "a key that OpenSSL has encrypted is decrypted",
        arguments: [
            "", "-v2 aes128", "-v2 aes-192-cbc -v2prf hmacWithSHA1", "-v2 aes256 -v2prf hmacWithSHA224",
            "-v2 aes256 -v2prf hmacWithSHA384", "-v2 aes256 -v2prf hmacWithSHA512", "-v2 des3", "-iter 1",
            "-v1 PBE-SHA1-3DES", "-v1 PBE-SHA1-2DES", "-v1 PBE-SHA1-RC2-40 -provider legacy -provider default",
            "-v1 PBE-SHA1-RC2-128 -provider legacy -provider default",
        ]
    )
    func decrypts(_ options: String) throws {
        let files = try Files.shared.get()
        let encrypted = try Self.encrypt(options)
        let decrypted = try EncryptedPrivateKey.decrypt(encrypted, password: "pässword")
        #expect(decrypted == SecretBytes(files.privateKeyInfo))
        for password in ["", "password", "pässword "] {
            let error = #expect(throws: ContainerError.self) {
                try EncryptedPrivateKey.decrypt(encrypted, password: password)
            }
            #expect(error?.kind == .wrongPassword)
        }
    }

    @Test(
        "what is not implemented says so",
        arguments: ["-scrypt", "-v1 PBE-MD5-DES -provider legacy -provider default", "-v2 camellia256"]
    )
    func unsupported(_ options: String) throws {
        let encrypted = try Self.encrypt(options)
        let error = #expect(throws: ContainerError.self) {
            try EncryptedPrivateKey.decrypt(encrypted, password: "pässword")
        }
        #expect(error?.kind == .unsupported)
    }

    @Test("a key that we have encrypted is decrypted by OpenSSL, and by ourselves")
    func encrypts() throws {
        let files = try Files.shared.get()
        let key = SecretBytes(files.privateKeyInfo)
        let encrypted = try EncryptedPrivateKey.encrypt(key, password: "pässword")
        #expect(try EncryptedPrivateKey.decrypt(encrypted, password: "pässword") == key)
        try files.workshop.write(encrypted, to: "ours.p8")
        try files.workshop.run(
            """
            openssl pkcs8 -inform DER -in ours.p8 -passin pass:pässword -outform DER -out theirs.p8 -topk8 -nocrypt
            openssl asn1parse -inform DER -in ours.p8 | grep -q ':aes-256-cbc'
            openssl asn1parse -inform DER -in ours.p8 | grep -q ':hmacWithSHA256'
            openssl asn1parse -inform DER -in ours.p8 | grep -q 'INTEGER *:0927C0'
            """
        )
        #expect(try files.workshop.bytes("theirs.p8") == files.privateKeyInfo)
        // Neither the salt nor the start is used twice.
        #expect(try EncryptedPrivateKey.encrypt(key, password: "pässword", iterations: 1) != encrypted)
    }

    @Test("a cut-off or altered key is refused")
    func damaged() throws {
        let encrypted = try Self.encrypt("-iter 1")
        for count in 0..<encrypted.count {
            #expect(throws: ContainerError.self) {
                try EncryptedPrivateKey.decrypt(Array(encrypted.prefix(count)), password: "pässword")
            }
        }
    }

    private static func encrypt(_ options: String) throws -> [UInt8] {
        let files = try Files.shared.get()
        // Several tests encrypt it in the same way at the same time.
        let name = "key-\(UUID().uuidString)"
        try files.workshop.run(
            "openssl pkcs8 -topk8 -in key.pem -passout pass:pässword -outform DER -out $1 \(options)",
            name
        )
        return try files.workshop.bytes(name)
    }
}

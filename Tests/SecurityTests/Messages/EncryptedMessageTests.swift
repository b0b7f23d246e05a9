// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Security
import Testing

/// Encrypted messages, both ways.
struct EncryptedMessageTests {
    /// Runs `body` with a keychain that has an identity.
    private static func holding(_ name: String?, _ body: () throws -> Void) throws {
        let files = try MessageFiles.shared.get()
        try files.trusting { () throws in
            if let name {
                let item = [kSecValueRef: try files.identity(name)] as CFDictionary
                #expect(SecItemAdd(item, nil) == errSecSuccess)
            }
            try body()
        }
    }

    @Test(
        "a message that OpenSSL encrypted is decrypted with an identity of the keychain",
        arguments: [
            ("aes128", "rsa", "-aes128 -recip rsa.pem"), ("aes192", "rsa", "-aes192 -recip rsa.pem"),
            ("aes256", "rsa", "-aes256 -recip rsa.pem"), ("des3", "rsa", "-des3 -recip rsa.pem"),
            ("streamed", "rsa", "-aes256 -stream -recip rsa.pem"), ("keyid", "rsa", "-aes256 -keyid -recip rsa.pem"),
            ("oaep", "rsa", "-aes256 -recip rsa.pem -keyopt rsa_padding_mode:oaep"),
            (
                "oaep-sha256", "rsa",
                "-aes256 -recip rsa.pem -keyopt rsa_padding_mode:oaep -keyopt rsa_oaep_md:sha256"
            ),
            ("ec", "ec", "-aes256 -recip ec.pem"), ("ec-keyid", "ec", "-aes128 -keyid -recip ec.pem"),
            ("ec-sha256", "ec", "-aes256 -recip ec.pem -keyopt ecdh_kdf_md:sha256"),
            ("p384", "p384", "-aes192 -recip p384.pem -keyopt ecdh_kdf_md:sha384"),
            ("p521", "p521", "-aes256 -recip p521.pem -keyopt ecdh_kdf_md:sha512"),
            ("several", "ec", "-aes256 -recip rsa.pem -recip p384.pem -recip ec.pem"),
        ]
    )
    func decrypted(name: String, owner: String, options: String) throws {
        let files = try MessageFiles.shared.get()
        try files.run(
            "openssl cms -encrypt -binary $2 -in contents -outform DER -out enc-$1.p7m",
            with: name,
            and: options
        )
        let message = try files.data("enc-\(name).p7m")
        try Self.holding(owner) { () throws in
            for count in [Int.max, 1] {
                let (decoder, status) = try MessageCalls.read(message, by: count)
                #expect(status == errSecSuccess)
                #expect(try MessageCalls.contents(decoder) == files.data("contents"))
                let isEncrypted = MessageCalls.value(DarwinBoolean(false)) { CMSDecoderIsContentEncrypted(decoder, $0) }
                #expect(isEncrypted.boolValue)
                #expect(MessageCalls.value(1) { CMSDecoderGetNumSigners(decoder, $0) } == 0)
                #expect(MessageCalls.standing(in: decoder) == .unsigned)
                #expect(MessageCalls.value(nil) { CMSDecoderCopyAllCerts(decoder, $0) } == nil)
                #expect(MessageCalls.value(nil) { CMSDecoderCopyEncapsulatedContentType(decoder, $0) } == nil)
            }
        }
        try Self.holding("clock") { () throws in #expect(try MessageCalls.read(message).1 == errSecItemNotFound) }
    }

    @Test("whatever is wrong with what is encrypted, the status is the same, and never are the contents told")
    func altered() throws {
        let files = try MessageFiles.shared.get()
        let contents = Data("short".utf8)
        for (owner, options) in [("rsa", "-aes256 -recip rsa.pem"), ("ec", "-aes256 -recip ec.pem")] {
            try files.write(contents, to: "five")
            try files.run(
                "openssl cms -encrypt -binary $2 -in five -outform DER -out altered-$1.p7m",
                with: owner,
                and: options
            )
            let message = try files.data("altered-\(owner).p7m")
            // The one block of the contents, and the end of their key, which lies before the type of the contents.
            let data = Data([0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01])
            let key = try #require(message.range(of: data)).lowerBound - 4
            let places = Array(message.count - 16..<message.count) + Array(key - 16..<key)
            try Self.holding(owner) { () throws in
                var refused = 0
                for place in places {
                    var other = message
                    other[place] ^= 1
                    let (decoder, status) = try MessageCalls.read(other)
                    if status == errSecDecode { refused += 1 }
                    guard status == errSecSuccess else {
                        #expect(status == errSecDecode)
                        continue
                    }
                    // One block in 256 ends in padding by chance.
                    #expect(MessageCalls.contents(decoder) != contents)
                }
                #expect(refused > places.count / 2)
                #expect(try MessageCalls.contents(MessageCalls.decoder(message)) == contents)
            }
        }
    }

    @Test("a cipher that is not implemented is not taken for a wrong key")
    func unknownCipher() throws {
        let files = try MessageFiles.shared.get()
        try files.run(
            """
            openssl cms -encrypt -binary -camellia128 -recip rsa.pem -in contents -outform DER -out camellia.p7m
            """
        )
        try Self.holding("rsa") { () throws in
            #expect(try MessageCalls.read(files.data("camellia.p7m")).1 == errSecUnimplemented)
        }
    }

    @Test("OpenSSL decrypts for every recipient what was encrypted for them", arguments: [0, 5, 16, 70000])
    func encrypted(_ count: Int) throws {
        let files = try MessageFiles.shared.get()
        let contents = try files.data("contents").prefix(count)
        let encoder = try MessageCalls.encoder()
        let recipients = ["rsa", "ec", "p384", "p521"]
        #expect(try CMSEncoderAddRecipients(encoder, recipients.map(files.certificate) as CFArray) == errSecSuccess)
        let message = try #require(MessageCalls.finish(encoder, Data(contents)).message)
        try files.write(message, to: "ours-\(count).p7m")
        try files.write(Data(contents), to: "plain-\(count)")
        for recipient in recipients {
            try files.run(
                """
                openssl cms -decrypt -binary -inform DER -in ours-$1.p7m -recip $2.pem -inkey $2.key -out ours-$1.$2
                cmp plain-$1 ours-$1.$2
                """,
                with: "\(count)",
                and: recipient
            )
            try Self.holding(recipient) { () throws in
                #expect(try MessageCalls.contents(MessageCalls.decoder(message)) == Data(contents))
            }
        }
    }

    @Test("a message that is signed and encrypted is decrypted, and then verified")
    func signedAndEncrypted() throws {
        let files = try MessageFiles.shared.get()
        let contents = try files.data("contents")
        let message = try files.trusting { () throws -> Data in
            let encoder = try MessageCalls.encoder()
            #expect(try CMSEncoderAddSigners(encoder, files.identity("ec")) == errSecSuccess)
            #expect(try CMSEncoderAddSupportingCerts(encoder, files.certificate("middle")) == errSecSuccess)
            #expect(try CMSEncoderAddRecipients(encoder, files.certificate("rsa")) == errSecSuccess)
            #expect(CMSEncoderAddSignedAttributes(encoder, .attrSigningTime) == errSecSuccess)
            return try #require(MessageCalls.finish(encoder, contents).message)
        }
        #expect(message.range(of: contents.prefix(64)) == nil)
        try Self.holding("rsa") { () throws in
            let decoder = try MessageCalls.decoder(message)
            #expect(MessageCalls.contents(decoder) == contents)
            #expect(MessageCalls.standing(in: decoder) == .valid)
            #expect(MessageCalls.value(DarwinBoolean(false)) { CMSDecoderIsContentEncrypted(decoder, $0) }.boolValue)
        }
        try Self.holding(nil) { () throws in #expect(try MessageCalls.read(message).1 == errSecItemNotFound) }
        // What OpenSSL decrypts is the signed part without its frame.
        try files.write(message, to: "both.p7m")
        try files.run(
            "openssl cms -decrypt -binary -inform DER -in both.p7m -recip rsa.pem -inkey rsa.key -out both.inner"
        )
        let inner = [UInt8](try files.data("both.inner"))
        let type = TestDER.objectIdentifier("1.2.840.113549.1.7.2")
        try files.write(Data(TestDER.sequence(type, TestDER.tagged(0, inner))), to: "both.signed")
        try files.run(
            """
            openssl cms -verify -binary -inform DER -CAfile root.pem -purpose any -in both.signed -out both.out
            cmp contents both.out
            """
        )
    }

    @Test("nothing is encrypted for a kind of key that is not implemented")
    func unknownKey() throws {
        let der = CertificateMaker.certificate(
            subject: CertificateMaker.name("subject"),
            issuer: CertificateMaker.name("issuer"),
            keyAlgorithm: TestDER.sequence(TestDER.objectIdentifier("1.3.101.112"))
        )
        let certificate = try #require(SecCertificateCreateWithData(nil, Data(der) as CFData))
        let encoder = try MessageCalls.encoder()
        #expect(CMSEncoderAddRecipients(encoder, certificate) == errSecSuccess)
        #expect(MessageCalls.finish(encoder, Data([1])).status == errSecUnsupportedKeyFormat)
    }
}

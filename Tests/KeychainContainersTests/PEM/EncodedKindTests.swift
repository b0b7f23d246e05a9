// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainContainers
import KeychainTestSupport
import Testing

/// What a file holds, told by its outermost fields.
struct EncodedKindTests {
    @Test("files of OpenSSL are recognized")
    func recognized() throws {
        let files = try Files.shared.get()
        try files.workshop.run(
            """
            mkdir kinds
            openssl genrsa -out rsa.pem 2048
            openssl rsa -in rsa.pem -traditional -outform DER -out kinds/rsaPrivateKey
            openssl rsa -in rsa.pem -RSAPublicKey_out -outform DER -out kinds/rsaPublicKey
            openssl pkcs8 -topk8 -nocrypt -in rsa.pem -outform DER -out kinds/privateKeyInfo
            openssl ec -in key.pem -outform DER -out kinds/ellipticPrivateKey
            openssl pkey -in key.pem -pubout -outform DER -out kinds/publicKeyInfo
            openssl pkcs8 -topk8 -in key.pem -passout pass:a -outform DER -out kinds/encryptedPrivateKeyInfo
            openssl pkcs12 -export -nokeys -in leaf.pem -passout pass:a -out kinds/pkcs12
            cp leaf.der kinds/certificate
            openssl crl2pkcs7 -nocrl -certfile chain.pem -outform DER -out kinds/contentInfo
            """
        )
        for kind in EncodedKind.allCases {
            #expect(EncodedKind(try files.workshop.bytes("kinds/\(kind)")) == kind)
        }
    }

    @Test("what stands behind a value does not count")
    func first() throws {
        let certificate = try Files.shared.get().certificates[0]
        for rest in [[0], Array("\n".utf8), certificate] as [[UInt8]] {
            #expect(EncodedValue.first(of: certificate + rest) == certificate)
            #expect(EncodedKind(certificate + rest) == .certificate)
        }
        let unfinished: [[UInt8]] = [[], [0x30], [0x30, 5, 0], [0x30, 0x80, 0], [0x30, 0x85, 0], [0x30, 0x82, 1]]
        for bytes in unfinished { #expect(EncodedValue.first(of: bytes) == bytes) }
    }

    @Test(
        "anything else is not",
        arguments: [
            [], [0x30], [0x30, 0x00], [0x05, 0x00], [0x31, 0x02, 0x05, 0x00], TestDER.sequence(TestDER.integer(1)),
            TestDER.sequence(TestDER.octetString([1]), TestDER.integer(1)),
        ] as [[UInt8]]
    )
    func unknown(_ bytes: [UInt8]) {
        #expect(EncodedKind(bytes) == nil)
    }

    @Test(
        "labels of PEM are known",
        arguments: [
            ("CERTIFICATE", .certificate), ("X509 CERTIFICATE", .certificate), ("PRIVATE KEY", .privateKeyInfo),
            ("ENCRYPTED PRIVATE KEY", .encryptedPrivateKeyInfo), ("RSA PRIVATE KEY", .rsaPrivateKey),
            ("EC PRIVATE KEY", .ellipticPrivateKey), ("PUBLIC KEY", .publicKeyInfo), ("RSA PUBLIC KEY", .rsaPublicKey),
            ("PKCS7", .contentInfo), ("CMS", .contentInfo), ("PKCS12", .pkcs12),
            ("TRUSTED CERTIFICATE", .certificate), ("CERTIFICATE REQUEST", nil), ("NEW CERTIFICATE REQUEST", nil),
            ("ATTRIBUTE CERTIFICATE", nil), ("OPENSSH PRIVATE KEY", nil), ("certificate", nil), ("", nil),
        ] as [(String, EncodedKind?)]
    )
    func label(_ label: String, _ kind: EncodedKind?) {
        #expect(EncodedKind(label: label) == kind)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainServices
import KeychainTestSupport
import Security
import Testing

/// Certificates with their private keys.
struct IdentityTests {
    private let key: SecKey
    private let certificate: SecCertificate

    init() throws {
        key = try #require(Self.makeKey())
        certificate = try Self.certificate(of: key)
    }

    @Test("a certificate and its key make an identity, and come out of it again")
    func halves() throws {
        let identity = try #require(SecIdentityCreate(nil, certificate, key))
        var certificate: SecCertificate?
        #expect(SecIdentityCopyCertificate(identity, &certificate) == errSecSuccess)
        #expect(certificate == self.certificate)
        var key: SecKey?
        #expect(SecIdentityCopyPrivateKey(identity, &key) == errSecSuccess)
        #expect(key == self.key)
        #expect(CFGetTypeID(identity) == SecIdentityGetTypeID())
        #expect(identity == SecIdentityCreate(nil, self.certificate, self.key))
    }

    @Test("another key, or the public one, makes no identity")
    func wrongKey() throws {
        let other = try #require(Self.makeKey())
        #expect(SecIdentityCreate(nil, certificate, other) == nil)
        let publicKey = try #require(SecKeyCopyPublicKey(key))
        #expect(SecIdentityCreate(nil, certificate, publicKey) == nil)
    }

    @Test("the public key of a certificate is that of the key it was made for")
    func publicKey() throws {
        #expect(SecCertificateCopyKey(certificate) == SecKeyCopyPublicKey(key))
        var found: SecKey?
        #expect(SecCertificateCopyPublicKey(certificate, &found) == errSecSuccess)
        #expect(found == SecKeyCopyPublicKey(key))
    }

    @Test("a key of a kind that is not implemented is none, and the certificate is one all the same")
    func unknownKey() throws {
        let der = CertificateMaker.certificate(
            subject: CertificateMaker.name("subject"),
            issuer: CertificateMaker.name("issuer"),
            keyAlgorithm: TestDER.sequence(TestDER.objectIdentifier("1.2.3.4"))
        )
        let certificate = try #require(SecCertificateCreateWithData(nil, Data(der) as CFData))
        #expect(SecCertificateCopyKey(certificate) == nil)
        var key: SecKey?
        #expect(SecCertificateCopyPublicKey(certificate, &key) == errSecUnsupportedKeyFormat)
    }

    @Test("an identity is found by its certificate once its key is in the keychain, and not before")
    func byCertificate() throws {
        let context = KeychainContext(backend: try TemporaryKeychain(), client: Client(accessGroups: ["group"]))
        try KeychainContext.$current.withValue(context) {
            var identity: SecIdentity?
            #expect(SecIdentityCreateWithCertificate(nil, certificate, &identity) == errSecItemNotFound)
            let other = try #require(Self.makeKey())
            try #require(SecItemAdd([kSecValueRef: other] as CFDictionary, nil) == errSecSuccess)
            #expect(SecIdentityCreateWithCertificate(nil, certificate, &identity) == errSecItemNotFound)
            #expect(identity == nil)
            try #require(SecItemAdd([kSecValueRef: key] as CFDictionary, nil) == errSecSuccess)
            #expect(SecIdentityCreateWithCertificate(nil, certificate, &identity) == errSecSuccess)
            #expect(identity == SecIdentityCreate(nil, certificate, key))
        }
    }

    private static func makeKey() -> SecKey? {
        let parameters: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
        ]
        return SecKeyCreateRandomKey(parameters as CFDictionary, nil)
    }

    private static func certificate(of key: SecKey) throws -> SecCertificate {
        let publicKey = try #require(SecKeyCopyPublicKey(key))
        let bits = try #require(SecKeyCopyExternalRepresentation(publicKey, nil)) as Data
        let der = CertificateMaker.certificate(
            subject: CertificateMaker.name("subject"),
            issuer: CertificateMaker.name("issuer"),
            publicKeyBits: Array(bits)
        )
        return try #require(SecCertificateCreateWithData(nil, Data(der) as CFData))
    }
}

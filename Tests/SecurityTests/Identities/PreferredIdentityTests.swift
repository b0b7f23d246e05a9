// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainSimulation
import KeychainTestSupport
import Security
import Testing

/// Identities that the user prefers for a service.
struct PreferredIdentityTests {
    private func identity(_ serial: UInt8) throws -> SecIdentity {
        let parameters: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
        ]
        let key = try #require(SecKeyCreateRandomKey(parameters as CFDictionary, nil))
        let bits = try #require(SecKeyCopyPublicKey(key).flatMap { SecKeyCopyExternalRepresentation($0, nil) }) as Data
        let der = CertificateMaker.certificate(
            subject: CertificateMaker.name("client"),
            issuer: CertificateMaker.name("Authority"),
            serial: [serial],
            publicKeyBits: Array(bits)
        )
        let certificate = try #require(SecCertificateCreateWithData(nil, Data(der) as CFData))
        return try #require(SecIdentityCreate(nil, certificate, key))
    }

    /// An add of an identity to a keychain file of macOS stores its certificate alone.
    private func store(_ identity: SecIdentity, _ isMac: Bool) throws {
        guard isMac else {
            #expect(SecItemAdd([kSecValueRef: identity] as CFDictionary, nil) == errSecSuccess)
            return
        }
        let options: NSDictionary = [kSecImportExportPassphrase: "p"]
        var parameters = SecItemImportExportKeyParameters()
        parameters.passphrase = Unmanaged.passRetained("p" as CFString)
        var file: CFData?
        #expect(SecItemExport(identity, .formatPKCS12, [], &parameters, &file) == errSecSuccess)
        var items: CFArray?
        #expect(try SecPKCS12Import(#require(file), options, &items) == errSecSuccess)
    }

    @Test("a preference is set, found, replaced and cleared", arguments: [false, true])
    func life(_ isMac: Bool) throws {
        let device = try VirtualDevice(isMac ? .mac : .iOS)
        try device.install("com.example.app", team: "TEAMID1234").run {
            let name: CFString = "https://intranet.example.com/"
            #expect(SecIdentityCopyPreferred(name, nil, nil) == nil)
            #expect(SecIdentitySetPreferred(nil, name, nil) == errSecSuccess)
            let first = try identity(1)
            let second = try identity(2)
            for identity in [first, second] {
                try store(identity, isMac)
                #expect(SecIdentitySetPreferred(identity, name, nil) == errSecSuccess)
                #expect(SecIdentityCopyPreferred(name, nil, nil) == identity)
                var certificate: SecCertificate?
                SecIdentityCopyCertificate(identity, &certificate)
                #expect(SecCertificateCopyPreferred(name, nil) == certificate)
            }
            #expect(SecIdentityCopyPreferred("https://other.example.com/", nil, nil) == nil)
            let authority = Data(CertificateMaker.name("Authority"))
            #expect(SecIdentityCopyPreferred(name, nil, [authority] as CFArray) == second)
            #expect(SecIdentityCopyPreferred(name, nil, [Data(CertificateMaker.name("Other"))] as CFArray) == nil)
            #expect(SecIdentitySetPreferred(nil, name, nil) == errSecSuccess)
            #expect(SecIdentityCopyPreferred(name, nil, nil) == nil)
            #expect(SecIdentitySetPreferred(first, "", nil) == errSecParam)
        }
    }
}

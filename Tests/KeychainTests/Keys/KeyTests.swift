// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import Keychain
import KeychainTesting
import Security
import Testing

@Suite("Keys and certificates", .keychain(entitlements: .grouped))
struct KeyTests {
    private let plain = Protection.accessible(.whenUnlocked)
    private let item = GenericPassword(service: "key")

    private func keeps<Key: KeychainStorable>(_ key: Key, _ keychain: any KeychainProtocol) throws {
        try keychain.set(key, for: item, protection: plain)
        let read = try keychain.value(Key.self, for: item)
        #expect(try read?.keychainRepresentation == key.keychainRepresentation, "\(Key.self)")
        #expect(try keychain.delete(item))
        try keychain.add(key, for: item, protection: plain)
        #expect(try keychain.value(Key.self, for: item) != nil)
        try keychain.set(Data([1]), for: item, protection: plain)
        guard Key.self != SymmetricKey.self else { return }
        let error = failure { () throws(KeychainItemError) in try keychain.value(Key.self, for: item) }
        #expect(error?.kind == .undecodableValue)
    }

    @Test("Keys of CryptoKit are kept as passwords", arguments: Way.allCases)
    func passwords(way: Way) throws {
        let keychain = try way.subject().keychain
        #expect(try keychain.value(SymmetricKey.self, for: item) == nil)
        try keeps(SymmetricKey(size: .bits256), keychain)
        try keeps(Curve25519.Signing.PrivateKey(), keychain)
        try keeps(Curve25519.KeyAgreement.PrivateKey(), keychain)
        try keeps(P256.Signing.PrivateKey(), keychain)
        try keeps(P384.Signing.PrivateKey(), keychain)
        try keeps(P521.Signing.PrivateKey(), keychain)
        try keeps(P256.KeyAgreement.PrivateKey(), keychain)
        try keeps(P384.KeyAgreement.PrivateKey(), keychain)
        try keeps(P521.KeyAgreement.PrivateKey(), keychain)
    }

    private func keepsAsKey<Key: NISTPrivateKey>(_ key: Key, _ keychain: any KeychainProtocol) throws {
        let item = try keychain.add(key, tag: "signing", protection: plain)
        #expect(item.tag == "signing" && item.isPrivate && item.applicationLabel.count == 20)
        #expect(try keychain.privateKey(Key.self, for: item)?.x963Representation == key.x963Representation)
        #expect(try keychain.secKey(for: item) == key.secKey)
        let again = failure { () throws(KeychainItemError) in try keychain.add(key, tag: "signing", protection: plain) }
        #expect(again?.isDuplicate == true)
        let secKey = try #require(key.secKey)
        try keychain.set(
            .key(secKey),
            for: item,
            protection: .accessible(.afterFirstUnlock),
            details: ItemDetails(label: "mine"),
            authentication: .forbidden
        )
        #expect(try keychain.attributes(of: item)?.details.label == "mine")
        let found = try keychain.items(matching: .all(withTag: "signing"))
        #expect(found.map { $0.item.inAccessGroup(nil) } == [item])
        #expect(try keychain.secKey(for: #require(found.first).item) == secKey)
        #expect(try keychain.delete(item))
        #expect(try keychain.secKey(for: item) == nil)
    }

    @Test("Keys on the NIST curves are kept as keys", arguments: Way.allCases)
    func keys(way: Way) throws {
        let keychain = try way.subject().keychain
        try keepsAsKey(P256.Signing.PrivateKey(), keychain)
        try keepsAsKey(P384.Signing.PrivateKey(), keychain)
        try keepsAsKey(P521.Signing.PrivateKey(), keychain)
        try keepsAsKey(P256.KeyAgreement.PrivateKey(), keychain)
    }

    @Test(
        "A key without a token is not the one in the Secure Enclave that has its label",
        arguments: [Way.engine, .functions]
    )
    func twins(way: Way) throws {
        let subject = try way.subject()
        let keychain = subject.keychain
        let label = Data("label".utf8)
        func item(_ token: CFString?) -> KeyItem {
            KeyItem(
                tag: "t",
                applicationLabel: label,
                keyClass: kSecAttrKeyClassPrivate,
                keyType: kSecAttrKeyTypeECSECPrimeRandom,
                sizeInBits: 256,
                tokenID: token
            )
        }
        let parameters: [String: Any] = [
            kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits as String: 256,
            kSecAttrTokenID as String: kSecAttrTokenIDSecureEnclave,
            kSecPrivateKeyAttrs as String: [
                kSecAttrApplicationTag as String: Data("t".utf8), kSecAttrApplicationLabel as String: label,
                kSecAttrIsPermanent as String: true,
            ] as [String: Any],
        ]
        #expect(SecKeyCreateRandomKey(NSDictionary(dictionary: parameters), nil) != nil)
        let (software, enclave) = (item(nil), item(kSecAttrTokenIDSecureEnclave))
        #expect(try keychain.contains(enclave))
        #expect(try !keychain.contains(software))
        #expect(try keychain.secKey(for: software) == nil)
        #expect(try !keychain.delete(software))
        #expect(try !keychain.update(software, with: ItemUpdate(details: ItemDetails(label: "no"))))
        let key = ItemContents.data(Data([1]))
        try keychain.set(key, for: software, protection: plain, details: .none, authentication: .allowed)
        try keychain.set(
            .data(Data([2])),
            for: software,
            protection: plain,
            details: ItemDetails(label: "software"),
            authentication: .allowed
        )
        #expect(try keychain.items(matching: .everyKey).count == 2)
        #expect(try keychain.attributes(of: software)?.details.label == "software")
        #expect(try keychain.attributes(of: enclave)?.details.label == nil)
        #expect(try keychain.delete(software))
        #expect(try keychain.contains(enclave))
        try subject.lock()
        #expect(try !keychain.contains(item(nil).inAccessGroup(Entitlements.sharedGroup)))
        #expect(try keychain.delete(enclave))
    }

    @Test("What the item functions stored by reference is found by the item of the reference")
    func byReference() throws {
        let keychain = SystemKeychain()
        let der = try #require(Data(base64Encoded: SampleCertificate.der))
        let certificate = try #require(SecCertificateCreateWithData(nil, der as NSData))
        #expect(SecItemAdd(NSDictionary(dictionary: [kSecValueRef as String: certificate]), nil) == errSecSuccess)
        #expect(try keychain.certificate(for: CertificateItem(certificate)) == certificate)
        let key = try #require(P384.Signing.PrivateKey().secKey)
        let tagged: [String: Any] = [
            kSecValueRef as String: key, kSecAttrApplicationTag as String: Data("t".utf8),
        ]
        #expect(SecItemAdd(NSDictionary(dictionary: tagged), nil) == errSecSuccess)
        #expect(try keychain.secKey(for: KeyItem(key, tag: "t")) == key)
    }

    @Test("A certificate is found by issuer, serial number and version", arguments: Way.allCases)
    func certificates(way: Way) throws {
        let keychain = try way.subject().keychain
        let der = try #require(Data(base64Encoded: SampleCertificate.der))
        let certificate = try #require(SecCertificateCreateWithData(nil, der as NSData))
        let item = try keychain.add(certificate, protection: .accessible(.always))
        #expect(item.serialNumber == Data([3]))
        #expect(try keychain.certificate(for: item) == certificate)
        #expect(try keychain.items(matching: .everyCertificate).map { $0.item.inAccessGroup(nil) } == [item])
        #expect(try keychain.items(matching: .all(issuedBy: item.issuer)).count == 1)
        let sequence = try #require(SecCertificateCopyNormalizedIssuerSequence(certificate) as Data?)
        #expect(try keychain.items(matching: .all(issuedBy: sequence)).count == 1)
        #expect(try keychain.delete(item))
        #expect(try keychain.certificate(for: item) == nil)
    }
}

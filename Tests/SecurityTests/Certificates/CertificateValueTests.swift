// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Security
import Testing

/// What `SecCertificateCopyValues` says of certificates.
struct CertificateValueTests {
    private static let subject = CertificateMaker.name([
        [.printable("2.5.4.6", "DE")],
        [.utf8("2.5.4.10", "Maus und Söhne")],
        [.utf8("2.5.4.11", "Käse"), .commonName("Maus")],
    ])

    private static let purposes = ["1.3.6.1.5.5.7.3.1", "1.2.840.113635.100.4.1"]

    private static let der = CertificateMaker.certificate(
        subject: subject,
        issuer: CertificateMaker.name([[.printable("2.5.4.6", "FR")], [.commonName("Chat")]]),
        serial: [0x01, 0x00],
        validity: [CertificateMaker.utcTime("010101000000Z"), CertificateMaker.utcTime("010101000100Z")],
        extensions: [
            CertificateMaker.certificateExtension(
                "2.5.29.17",
                TestDER.sequence(
                    TestDER.value(0x82, Array("example.com".utf8)),
                    TestDER.value(0x81, Array("m@example.com".utf8)),
                    TestDER.value(0x86, Array("https://example.com/".utf8)),
                    TestDER.value(0x87, [127, 0, 0, 1]),
                    TestDER.value(0x87, [0x20, 1, 0xD, 0xB8] + [UInt8](repeating: 0, count: 11) + [1])
                )
            ),
            CertificateMaker.certificateExtension(
                "2.5.29.19",
                isCritical: true,
                TestDER.sequence([0x01, 0x01, 0xFF], TestDER.integer(3))
            ),
            CertificateMaker.certificateExtension("2.5.29.15", isCritical: true, [0x03, 0x02, 0x05, 0xA0]),
            CertificateMaker.certificateExtension(
                "2.5.29.37",
                TestDER.sequence(purposes.flatMap { TestDER.objectIdentifier($0) })
            ),
            CertificateMaker.certificateExtension("2.5.29.14", TestDER.octetString([1, 2, 3])),
            CertificateMaker.certificateExtension(
                "1.3.6.1.5.5.7.1.1",
                TestDER.sequence(
                    TestDER.sequence(
                        TestDER.objectIdentifier("1.3.6.1.5.5.7.48.1"),
                        TestDER.value(0x86, Array("http://ocsp.example.com".utf8))
                    )
                )
            ),
            CertificateMaker.certificateExtension("1.2.3.4", TestDER.utf8("own")),
        ]
    )

    private func certificate() throws -> SecCertificate {
        try #require(SecCertificateCreateWithData(nil, Data(Self.der) as CFData))
    }

    private func values(_ keys: [CFString]? = nil) throws -> [CFString: [CFString: Any]] {
        let values = SecCertificateCopyValues(try certificate(), keys.map { $0 as CFArray }, nil)
        return try #require(values as? [CFString: [CFString: Any]])
    }

    private func section(_ key: CFString) throws -> [[CFString: Any]] {
        let property = try #require(values()[key])
        #expect(property[kSecPropertyKeyType] as? String == "section")
        return try #require(property[kSecPropertyKeyValue] as? [[CFString: Any]])
    }

    private func text(_ properties: [[CFString: Any]], _ label: String) -> String? {
        properties.first { $0[kSecPropertyKeyLabel] as? String == label }?[kSecPropertyKeyValue] as? String
    }

    @Test("the validity is in seconds since 2001, and the expiry also a date")
    func validity() throws {
        let values = try values()
        let after = try #require(values[kSecOIDX509V1ValidityNotAfter])
        #expect(after[kSecPropertyKeyValue] as? Double == 60)
        #expect(after[kSecPropertyKeyType] as? String == kSecPropertyTypeNumber as String)
        #expect(after[kSecPropertyKeyLabel] as? String == "Not Valid After")
        #expect(after[kSecPropertyKeyLocalizedLabel] as? String == "Not Valid After")
        #expect(values[kSecOIDX509V1ValidityNotBefore]?[kSecPropertyKeyValue] as? Double == 0)
        let expiry = values[kSecOIDInvalidityDate]?[kSecPropertyKeyValue] as? Date
        #expect(expiry == Date(timeIntervalSinceReferenceDate: 60))
    }

    @Test("names are sections of texts by their types, in order, and joined attributes a section of their own")
    func names() throws {
        let issuer = try section(kSecOIDX509V1IssuerName)
        #expect(text(issuer, kSecOIDCommonName as String) == "Chat")
        #expect(text(issuer, kSecOIDCountryName as String) == "FR")
        let subject = try section(kSecOIDX509V1SubjectName)
        #expect(subject.map { $0[kSecPropertyKeyLabel] as? String } == ["2.5.4.6", "2.5.4.10", "Relative Name"])
        #expect(text(subject, "2.5.4.10") == "Maus und Söhne")
        let joined = try #require(subject.last?[kSecPropertyKeyValue] as? [[CFString: Any]])
        #expect(text(joined, kSecOIDOrganizationalUnitName as String) == "Käse")
        #expect(text(joined, kSecOIDCommonName as String) == "Maus")
    }

    @Test("fields that are one value are that value")
    func fields() throws {
        let values = try values()
        #expect(values[kSecOIDX509V1Version]?[kSecPropertyKeyValue] as? String == "3")
        #expect(values[kSecOIDX509V1SerialNumber]?[kSecPropertyKeyValue] as? String == "256")
        let key = try #require(values[kSecOIDX509V1SubjectPublicKey]?[kSecPropertyKeyValue] as? Data)
        #expect(key == Data([4] + [UInt8](repeating: 0x2A, count: 64)))
        #expect(values[kSecOIDX509V1Signature]?[kSecPropertyKeyType] as? String == "data")
        #expect(text(try section(kSecOIDX509V1SignatureAlgorithm), "Algorithm") == "1.2.840.10045.4.3.2")
        let algorithm = try section(kSecOIDX509V1SubjectPublicKeyAlgorithm)
        #expect(text(algorithm, "Algorithm") == "1.2.840.10045.2.1")
        #expect(text(algorithm, "Parameters") == "1.2.840.10045.3.1.7")
    }

    @Test("extensions say what is in them, and whether they are critical")
    func extensions() throws {
        let names = try section(kSecOIDSubjectAltName)
        #expect(text(names, "Critical") == "No")
        #expect(text(names, "DNS Name") == "example.com")
        #expect(text(names, "Email Address") == "m@example.com")
        #expect(names.compactMap { $0[kSecPropertyKeyValue] as? URL } == [URL(string: "https://example.com/")])
        let addresses = names.filter { $0[kSecPropertyKeyLabel] as? String == "IP Address" }
        let texts = addresses.compactMap { $0[kSecPropertyKeyValue] as? String }
        #expect(texts == ["127.0.0.1", "2001:db8:0:0:0:0:0:1"])
        let constraints = try section(kSecOIDBasicConstraints)
        #expect(text(constraints, "Critical") == "Yes")
        #expect(text(constraints, "Certificate Authority") == "Yes")
        #expect(text(constraints, "Path Length Constraint") == "3")
        let values = try values()
        let usage = try #require(values[kSecOIDKeyUsage]?[kSecPropertyKeyValue] as? NSNumber)
        #expect(usage.uint32Value == 0x8000_0005)
        let purposes = values[kSecOIDExtendedKeyUsage]?[kSecPropertyKeyValue] as? [Data]
        #expect(purposes == Self.purposes.map { Data(TestDER.objectIdentifier($0).dropFirst(2)) })
        let identifier = try section(kSecOIDSubjectKeyIdentifier).last
        #expect(identifier?[kSecPropertyKeyValue] as? Data == Data([1, 2, 3]))
        let access = try section(kSecOIDAuthorityInfoAccess).last
        #expect(access?[kSecPropertyKeyValue] as? URL == URL(string: "http://ocsp.example.com"))
        let own = try section("1.2.3.4").last
        #expect(own?[kSecPropertyKeyType] as? String == kSecPropertyTypeData as String)
        #expect(own?[kSecPropertyKeyValue] as? Data == Data(TestDER.utf8("own")))
    }

    @Test("fingerprints are of the whole certificate")
    func fingerprints() throws {
        let prints = try section("Fingerprints")
        #expect(prints.map { $0[kSecPropertyKeyLabel] as? String } == ["SHA-1", "SHA-256"])
        #expect(prints.map { ($0[kSecPropertyKeyValue] as? Data)?.count } == [20, 32])
    }

    @Test("only the fields that are asked for are given, and those that are not there are left out")
    func keys() throws {
        #expect(Set(try values([kSecOIDX509V1Version, kSecOIDNameConstraints]).keys) == [kSecOIDX509V1Version])
        #expect(try values([]).isEmpty)
        var error: Unmanaged<CFError>?
        #expect(SecCertificateCopyValues(try certificate(), [1] as CFArray, &error) == nil)
        #expect((error?.takeRetainedValue()).map(CFErrorGetCode) == Int(errSecParam))
    }

    @Test("the older functions give what the newer ones do")
    func olderFunctions() throws {
        let certificate = try certificate()
        #expect(SecCertificateCopySerialNumber(certificate, nil) as Data? == Data([1, 0]))
        #expect(SecCertificateCopyShortDescription(nil, certificate, nil) as String? == "Maus")
        let text = SecCertificateCopyLongDescription(nil, certificate, nil) as String?
        #expect(text == "DE, Maus und Söhne, Käse, Maus; issued by FR, Chat")
        let content = try #require(SecCertificateCopyNormalizedIssuerContent(certificate, nil)) as Data
        let whole = try #require(SecCertificateCopyNormalizedIssuerSequence(certificate)) as Data
        #expect(whole == Data(TestDER.sequence(Array(content))))
    }

    @Test(
        "an address that is no URL is a text",
        arguments: ["", ",http:", "http://[", "http://a.e]ample/", "http://a:b/", "a b", "%", "http://ä/"]
    )
    func otherAddress(_ address: String) throws {
        let names = TestDER.sequence(TestDER.value(0x86, Array(address.utf8)))
        let der = CertificateMaker.certificate(
            subject: Self.subject,
            issuer: Self.subject,
            extensions: [CertificateMaker.certificateExtension("2.5.29.17", names)]
        )
        let certificate = try #require(SecCertificateCreateWithData(nil, Data(der) as CFData))
        let values = SecCertificateCopyValues(certificate, nil, nil) as? [String: [CFString: Any]]
        let property = (values?[kSecOIDSubjectAltName as String]?[kSecPropertyKeyValue] as? [[CFString: Any]])?.last
        #expect(property?[kSecPropertyKeyType] as? String == kSecPropertyTypeString as String)
        #expect(property?[kSecPropertyKeyValue] as? String == address)
    }

    @Test("an extension that is not well formed is its bytes", arguments: ["2.5.29.19", "2.5.29.31", "2.5.29.15"])
    func malformed(_ type: String) throws {
        let der = CertificateMaker.certificate(
            subject: Self.subject,
            issuer: Self.subject,
            extensions: [CertificateMaker.certificateExtension(type, [0x04, 0x01, 0x2A])]
        )
        let certificate = try #require(SecCertificateCreateWithData(nil, Data(der) as CFData))
        let values = SecCertificateCopyValues(certificate, [type] as CFArray, nil) as? [String: [CFString: Any]]
        let parts = values?[type]?[kSecPropertyKeyValue] as? [[CFString: Any]]
        #expect(parts?.last?[kSecPropertyKeyValue] as? Data == Data([0x04, 0x01, 0x2A]))
    }
}

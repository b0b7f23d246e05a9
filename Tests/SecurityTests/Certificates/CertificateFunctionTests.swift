// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Security
import Testing

/// The functions on certificates.
struct CertificateFunctionTests {
    private static let name = CertificateMaker.name([
        [.printable("2.5.4.10", "Mouse  and Sons")], [.commonName("Mouse")],
    ])

    private static let der = Data(
        CertificateMaker.certificate(
            subject: name,
            issuer: CertificateMaker.name("Cat"),
            serial: [0x00, 0xFF],
            validity: [CertificateMaker.utcTime("010101000000Z"), CertificateMaker.utcTime("010101000100Z")],
            extensions: [
                CertificateMaker.certificateExtension(
                    "2.5.29.17",
                    TestDER.sequence(TestDER.value(0x81, Array("m@example.com".utf8)))
                )
            ]
        )
    )

    @Test("bytes that are no certificate give none")
    func noCertificate() {
        #expect(SecCertificateCreateWithData(nil, Data() as CFData) == nil)
        #expect(SecCertificateCreateWithData(nil, Self.der.dropLast() as CFData) == nil)
    }

    @Test("bytes behind a certificate are no part of it")
    func bytesBehind() throws {
        let certificate = try #require(SecCertificateCreateWithData(nil, (Self.der + [0]) as CFData))
        #expect(SecCertificateCopyData(certificate) as Data == Self.der)
    }

    @Test("a certificate gives back what is in it")
    func fields() throws {
        let certificate = try #require(SecCertificateCreateWithData(nil, Self.der as CFData))
        #expect(SecCertificateCopyData(certificate) as Data == Self.der)
        #expect(SecCertificateCopySubjectSummary(certificate) as String? == "Mouse")
        #expect(SecCertificateCopySerialNumberData(certificate, nil) as Data? == Data([0x00, 0xFF]))
        let before = SecCertificateCopyNotValidBeforeDate(certificate)
        let after = SecCertificateCopyNotValidAfterDate(certificate)
        #expect(before?.timeIntervalSinceReferenceDate == 0)
        #expect(after?.timeIntervalSinceReferenceDate == 60)
        #expect(CFGetTypeID(certificate) == SecCertificateGetTypeID())
    }

    @Test("names are normalized, and whole sequences")
    func names() throws {
        let certificate = try #require(SecCertificateCreateWithData(nil, Self.der as CFData))
        let subject = CertificateMaker.name([[.printable("2.5.4.10", "MOUSE AND SONS")], [.commonName("Mouse")]])
        #expect(SecCertificateCopyNormalizedSubjectSequence(certificate) as Data? == Data(subject))
        #expect(SecCertificateCopyNormalizedIssuerSequence(certificate) as Data? == Data(CertificateMaker.name("Cat")))
    }

    @Test("the common name and the e-mail addresses are handed out")
    func texts() throws {
        let certificate = try #require(SecCertificateCreateWithData(nil, Self.der as CFData))
        var commonName: CFString?
        #expect(SecCertificateCopyCommonName(certificate, &commonName) == errSecSuccess)
        #expect(commonName as String? == "Mouse")
        var addresses: CFArray?
        #expect(SecCertificateCopyEmailAddresses(certificate, &addresses) == errSecSuccess)
        #expect(addresses as? [String] == ["m@example.com"])
    }

    @Test("a certificate without names has none")
    func noNames() throws {
        let der = CertificateMaker.certificate(subject: TestDER.sequence(), issuer: CertificateMaker.name("Cat"))
        let certificate = try #require(SecCertificateCreateWithData(nil, Data(der) as CFData))
        #expect(SecCertificateCopySubjectSummary(certificate) == nil)
        var commonName: CFString? = "before"
        #expect(SecCertificateCopyCommonName(certificate, &commonName) == -26276)
        #expect(commonName == nil)
        var addresses: CFArray?
        #expect(SecCertificateCopyEmailAddresses(certificate, &addresses) == errSecSuccess)
        #expect(addresses?.count == 0)
    }

    @Test("certificates are equal when their bytes are")
    func equality() throws {
        let one = try #require(SecCertificateCreateWithData(nil, Self.der as CFData))
        let same = try #require(SecCertificateCreateWithData(nil, Self.der as CFData))
        let der = CertificateMaker.certificate(subject: Self.name, issuer: Self.name)
        let other = try #require(SecCertificateCreateWithData(nil, Data(der) as CFData))
        #expect(one == same)
        #expect(one != other)
        #expect(Set([one, same, other]).count == 2)
    }
}

// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore
import KeychainTestSupport
import Testing

/// What certificates of our own making are read as.
struct CertificateTests {
    @Test("a certificate has the version that it says", arguments: [1, 2, 3])
    func version(_ version: Int) throws {
        #expect(try Certificate(der: Samples.certificate(version: version)).version == version)
    }

    @Test(
        "versions that do not exist are refused, and the first when it is written out",
        arguments: [0x00, 0x03, 0x7F, 0xFF] as [UInt8]
    )
    func unknownVersion(_ number: UInt8) {
        var der = Samples.certificate()
        let version: [UInt8] = [0xA0, 0x03, 0x02, 0x01, 0x02]
        let start = der.indices.first { der[$0...].starts(with: version) } ?? 0
        der[start + 4] = number
        #expect(throws: CertificateError.self) { try Certificate(der: der) }
    }

    @Test(
        "serial numbers are taken as they are",
        arguments: [
            [0x00], [0x01], [0xFF], [0x80, 0x00], [0x00, 0x00, 0x01], [UInt8](repeating: 0xA5, count: 21),
            [UInt8](repeating: 0x11, count: 200),
        ] as [[UInt8]]
    )
    func serialNumber(_ octets: [UInt8]) throws {
        #expect(try Certificate(der: Samples.certificate(serial: octets)).serialNumber == octets)
    }

    @Test("an empty serial number is refused")
    func emptySerialNumber() {
        #expect(throws: CertificateError.self) { try Certificate(der: Samples.certificate(serial: [])) }
    }

    @Test(
        "what stands behind a certificate is no part of it",
        arguments: [[0], [0x30], [0x30, 0x03, 0x02, 0x01, 0x01]]
    )
    func trailingBytes(_ bytes: [UInt8]) throws {
        let der = Samples.certificate()
        let certificate = try Certificate(der: der + bytes)
        #expect(certificate.der == der)
        #expect(certificate.reference.data == SecretBytes(der))
        #expect(try certificate == Certificate(der: der))
    }

    @Test("a signature may have bits that are not used")
    func unusedBits() throws {
        var der = Samples.certificate()
        let count = try #require(Certificate(der: der).signature).bytes.count
        let unused = der.count - count - 1
        #expect(der[unused] == 0)
        der[unused] = 3
        der[der.count - 1] &= 0xF8
        #expect(try Certificate(der: der).signature == nil)
    }

    @Test("a certificate without a subject has an empty one, and no summary")
    func emptySubject() throws {
        let certificate = try Certificate(der: Samples.certificate(subject: TestDER.sequence()))
        #expect(certificate.normalizedSubject == [])
        #expect(certificate.normalizedSubjectSequence == [0x30, 0x00])
        #expect(certificate.subjectSummary == nil)
        #expect(certificate.commonName == nil)
    }

    @Test("the attributes of a certificate that is added by reference are those of Semantics, Computed attributes")
    func attributes() throws {
        // certificate-005 and -002 of the conformance cases.
        let certificate = try Certificate(der: Samples.mouse)
        #expect(
            certificate.attributes == [
                "ctyp": .number(.integer(3)),
                "cenc": .number(.integer(3)),
                "issr": .data(SecretBytes(Samples.mouseName)),
                "subj": .data(SecretBytes(Samples.mouseName)),
                "slnr": .data(SecretBytes([0x12, 0x34])),
                "skid": .data(SecretBytes(Samples.mouseKeyHash)),
                "pkhh": .data(SecretBytes(Samples.mouseKeyHash)),
            ]
        )
        #expect(certificate.reference.subjectSummary == "MouseCA")
        #expect(certificate.reference.data == SecretBytes(Samples.mouse))
        #expect(certificate.isSelfIssued)
    }

    @Test("without the extension there is no key identifier among the attributes")
    func noKeyIdentifier() throws {
        let attributes = try Certificate(der: Samples.certificate(version: 1)).attributes
        #expect(attributes["skid"] == nil)
        #expect(attributes["ctyp"] == .number(.integer(1)))
    }

    @Test("an empty key identifier is none")
    func emptyKeyIdentifier() throws {
        let empty = CertificateMaker.certificateExtension("2.5.29.14", [0x04, 0x00])
        let certificate = try Certificate(der: Samples.certificate(extensions: [empty]))
        #expect(certificate.subjectKeyIdentifier == nil)
        #expect(certificate.attributes["skid"] == nil)
    }

    @Test("certificates are equal when their encodings are")
    func equality() throws {
        let one = try Certificate(der: Samples.certificate(serial: [1]))
        let other = try Certificate(der: Samples.certificate(serial: [2]))
        #expect(try one == Certificate(der: one.der))
        #expect(one != other)
        #expect(Set([one, other, one]).count == 2)
    }

    @Test("1,000 arbitrary certificates are read, and found by their issuers")
    func manyCertificates() throws {
        var generator = SeededGenerator(seed: 5)
        var certificates: [Certificate] = []
        var issuer: [UInt8]?
        for _ in 0..<1000 {
            let der = CertificateMaker.arbitraryCertificate(issuer: issuer, using: &generator)
            let certificate = try Certificate(der: der)
            // Every second one is issued by the one before.
            let isNext = issuer == nil
            if !isNext { #expect(certificate.normalizedIssuer == certificates.last?.normalizedSubject) }
            issuer = isNext ? certificate.normalizedSubjectSequence : nil
            certificates.append(certificate)
        }
        #expect(Set(certificates.map(\.version)) == [1, 2, 3])
        #expect(certificates.contains { $0.serialNumber.count > 20 })
        #expect(certificates.contains { $0.subjectKeyIdentifier != nil })
        let byIssuer = Dictionary(grouping: certificates) { $0.normalizedIssuer }
        let found = certificates.reduce(0) { $0 + (byIssuer[$1.normalizedSubject]?.count ?? 0) }
        #expect(found >= 500)
    }
}

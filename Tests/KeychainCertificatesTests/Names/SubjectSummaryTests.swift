// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainTestSupport
import Testing

private typealias Attribute = CertificateMaker.Attribute

/// What a certificate is called (Semantics, "Computed attributes").
struct SubjectSummaryTests {
    @Test(
        "the summary is the best name that there is",
        arguments: [
            ([], [], nil),
            ([(Types.commonName, "Mouse")], [], "Mouse"),
            ([(Types.commonName, "Mouse"), (Types.description, "of the house")], [], "Mouse (of the house)"),
            ([(Types.description, "of the house")], [], "of the house"),
            ([(Types.commonName, "general"), (Types.commonName, "particular")], [], "particular, general"),
            (
                [(Types.commonName, "A"), (Types.description, "d"), (Types.commonName, "B"), (Types.commonName, "C")],
                [],
                "C, B, A (d)"
            ),
            ([(Types.unit, "Cheese"), (Types.organization, "Sons"), (Types.unit, "Milk")], [], "Milk, Cheese"),
            ([(Types.organization, "Sons"), (Types.organization, "Daughters")], [], "Daughters, Sons"),
            ([(Types.country, "GB"), (Types.locality, "Leeds")], [], "Leeds, GB"),
            (
                [(Types.unit, "Cheese"), (Types.email, "m@example.com"), (Types.email, "n@example.com")], [],
                "m@example.com"
            ),
            ([(Types.email, "m@example.com")], [Samples.email("n@example.com")], "n@example.com"),
            ([(Types.unit, "Cheese"), (Types.description, "old")], [], "Cheese"),
            ([(Types.commonName, "Mouse")], [Samples.email("m@example.com")], "Mouse"),
            ([(Types.organization, "Sons")], [Samples.dns("example.com")], "example.com"),
            (
                [(Types.organization, "Sons")], [Samples.dns("example.com"), Samples.email("m@example.com")],
                "m@example.com"
            ),
            ([(Types.organization, "Sons"), (Types.unit, "Cheese"), (Types.country, "GB")], [], "Cheese"),
            ([(Types.country, "GB"), (Types.organization, "Sons")], [], "Sons"),
            ([(Types.country, "GB")], [], "GB"),
            ([(Types.commonName, ""), (Types.organization, "Sons")], [], ""),
            ([(Types.commonName, "a"), (Types.commonName, "")], [], ", a"),
            ([(Types.description, ""), (Types.commonName, "x")], [], "x ()"),
            ([(Types.email, ""), (Types.organization, "Sons")], [], ""),
            ([(Types.organization, "Sons")], [Samples.email("")], ""),
            ([(Types.organization, "Sons")], [Samples.email("m@example.com"), Samples.email("")], "m@example.com"),
            ([(Types.organization, "Sons")], [(0x81, [0x6D, 0xE4])], "mä"),
            ([], [Samples.dns("1.2.3.4")], nil),
            ([(Types.organization, "Sons")], [Samples.dns("a/b"), Samples.dns("*.example.com")], "*.example.com"),
            ([(Types.organization, "Sons")], [Samples.dns("ex_ample.com")], "ex_ample.com"),
            ([(Types.organization, "Sons")], [Samples.dns("")], "Sons"),
            ([(Types.organization, "Sons")], [Samples.dns("example.com.")], "Sons"),
            ([(Types.organization, "Sons")], [Samples.dns("-a.example.com"), Samples.dns("a-.b")], "Sons"),
            ([(Types.organization, "Sons")], [Samples.dns("a..b"), Samples.dns("ä.example.com")], "Sons"),
            ([(Types.organization, "Sons")], [Samples.dns(String(repeating: "a", count: 64))], "Sons"),
            (
                [(Types.organization, "Sons")], [Samples.dns(String(repeating: "a", count: 63))],
                String(repeating: "a", count: 63)
            ),
        ] as [([(String, String)], [(tag: UInt8, content: [UInt8])], String?)]
    )
    func summary(
        subject: [(String, String)],
        alternatives: [(tag: UInt8, content: [UInt8])],
        expected: String?
    ) throws {
        let name = CertificateMaker.name(subject.map { [Attribute.utf8($0.0, $0.1)] })
        let extensions = alternatives.isEmpty ? [] : [Samples.alternativeNames(alternatives)]
        let certificate = try Certificate(der: Samples.certificate(subject: name, extensions: extensions))
        #expect(certificate.subjectSummary == expected)
    }

    @Test("the common name is the most specific one, in a multi-valued part as well")
    func commonName() throws {
        let name = CertificateMaker.name([
            [.utf8(Types.commonName, "first")], [.utf8(Types.country, "GB"), .utf8(Types.commonName, "second")],
        ])
        #expect(try Certificate(der: Samples.certificate(subject: name)).commonName == "second")
    }

    @Test(
        "names are read in every string type",
        arguments: [
            (0x0C, Array("Mäuse".utf8), "Mäuse"),
            (0x12, Array("123".utf8), "31 32 33"),
            (0x04, [0x61, 0x0A], "61 0A"),
            (0x13, Array("Mouse".utf8), "Mouse"),
            (0x14, [0x4D, 0xE4, 0x75], "Mäu"),
            (0x16, Array("m@x".utf8), "m@x"),
            (0x1A, Array("Mouse".utf8), "Mouse"),
            (0x1C, [0, 0, 0, 0x61], "\0\0\0a"),
            (0x1C, [0, 0, 0, 0xE4], "00 00 00 E4"),
            (0x1E, [0, 0x4D, 0xD8, 0x3D, 0xDC, 0x2D], "M🐭"),
            // not of their type
            (0x0C, [0x4D, 0xE4], nil), (0x1E, [0], nil), (0x1E, [0xD8, 0x3D], nil), (0x02, [0x4D], nil),
        ] as [(UInt8, [UInt8], String?)]
    )
    func stringType(tag: UInt8, content: [UInt8], expected: String?) throws {
        let name = CertificateMaker.name([[Attribute(Types.commonName, tag: tag, content: content)]])
        #expect(try Certificate(der: Samples.certificate(subject: name)).commonName == expected)
    }

    @Test("e-mail addresses are those of the alternative names, then those of the subject, each once")
    func emailAddresses() throws {
        let name = CertificateMaker.name([
            [Attribute(Types.email, tag: 0x16, content: Array("b@example.com".utf8))],
            [Attribute(Types.email, tag: 0x16, content: Array("c@example.com".utf8))],
        ])
        let alternatives = Samples.alternativeNames([
            Samples.email("a@example.com"), Samples.dns("example.com"), Samples.email("b@example.com"),
        ])
        let certificate = try Certificate(der: Samples.certificate(subject: name, extensions: [alternatives]))
        #expect(certificate.emailAddresses == ["a@example.com", "b@example.com", "c@example.com"])
        #expect(certificate.dnsNames == ["example.com"])
        #expect(certificate.names(emailAddress: "C@EXAMPLE.com"))
        #expect(!certificate.names(emailAddress: "d@example.com"))
        #expect(!certificate.names(emailAddress: ""))
        let empty = try Certificate(
            der: Samples.certificate(extensions: [Samples.alternativeNames([Samples.email("")])])
        )
        #expect(empty.names(emailAddress: ""))
    }
}

/// Types of attributes.
private enum Types {
    static let commonName = "2.5.4.3"
    static let organization = "2.5.4.10"
    static let unit = "2.5.4.11"
    static let description = "2.5.4.13"
    static let country = "2.5.4.6"
    static let locality = "2.5.4.7"
    static let email = "1.2.840.113549.1.9.1"
}

// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore
import KeychainTestSupport
import Testing

/// Certificates with one thing wrong: an error that says so, or a certificate, and never the end of the process.
struct MalformedCertificateTests {
    /// A certificate with a field of every kind.
    private static let sample = Samples.certificate(
        subject: CertificateMaker.name([
            [.printable("2.5.4.10", "Mouse  and Sons"), .utf8("2.5.4.11", "Cheese")], [.commonName("Mouse")],
        ]),
        serial: [0x00, 0x80],
        extensions: [
            CertificateMaker.certificateExtension("2.5.29.14", TestDER.octetString([1, 2, 3])),
            Samples.alternativeNames([
                Samples.email("m@example.com"), Samples.dns("example.com"), Samples.address([10, 0, 0, 1]),
            ]),
            Samples.purposes(["1.3.6.1.5.5.7.3.1"]),
            CertificateMaker.certificateExtension("2.5.29.19", isCritical: true, TestDER.sequence()),
        ]
    )

    private static let values = TestTree.all(of: sample)

    @Test("the sample is a certificate, and what is changed in it is every value that it has")
    func sample() throws {
        #expect(try Certificate(der: Self.sample).subjectSummary == "Mouse")
        #expect(Self.values.count == 50)
    }

    @Test("a certificate that is cut off is refused")
    func truncated() {
        for count in 0..<Self.sample.count {
            #expect(throws: CertificateError.self) { try Certificate(der: Array(Self.sample.prefix(count))) }
        }
    }

    @Test("a bit that changes leaves a certificate of the changed bytes, or none")
    func flipped() {
        var refused = 0
        for index in Self.sample.indices {
            for bit in 0..<8 {
                var der = Self.sample
                der[index] ^= 1 << UInt8(bit)
                refused += isRefused(der) ? 1 : 0
            }
        }
        #expect(refused > Self.sample.count)
    }

    @Test("a length that is too large or too small is refused")
    func lengths() {
        for value in Self.values {
            for change in [1, -1] {
                var der = Self.sample
                der[value.lengthOffset] = UInt8(truncatingIfNeeded: Int(der[value.lengthOffset]) + change)
                // The content of an octet or bit string, or of text, may be shorter only when something else is longer.
                #expect(throws: CertificateError.self) { try Certificate(der: der) }
            }
        }
    }

    @Test("a value that is left out, empty, or of another type, with all lengths right, is read or refused")
    func rebuilt() throws {
        let tree = try #require(TestTree.parse(Self.sample))
        var refused = 0
        for index in 0..<tree.count {
            for change in TestTree.Change.allCases {
                refused += isRefused(tree.changed(index, change).der) ? 1 : 0
            }
        }
        #expect(refused > tree.count)
    }

    @Test("no field of the body can be left out but the version and the extensions")
    func mandatoryFields() throws {
        let tree = try #require(TestTree.parse(Self.sample))
        let body = tree.children[0]
        for index in body.children.indices {
            var changed = tree
            changed.children[0].children.remove(at: index)
            let isOptional = index == 0 || index == body.children.count - 1
            #expect(isRefused(changed.der) != isOptional, "field \(index)")
        }
    }

    @Test("an extension may occur twice, and the last one counts")
    func duplicateExtension() throws {
        let one = CertificateMaker.certificateExtension("1.2.3", [0x05, 0x00])
        _ = try Certificate(der: Samples.certificate(extensions: [one, one]))
        let identifiers = [[1], [2]].map {
            CertificateMaker.certificateExtension("2.5.29.14", TestDER.octetString($0))
        }
        #expect(try Certificate(der: Samples.certificate(extensions: identifiers)).subjectKeyIdentifier == [2])
    }

    /// Name constraints with one DNS name, of the permitted ones (A0) or of the excluded ones (A1).
    private static func nameConstraints(_ tag: UInt8, _ name: [UInt8]) -> [UInt8] {
        TestDER.sequence(TestDER.value(tag, TestDER.sequence(TestDER.value(0x82, name))))
    }

    /// A name that Swift compares in a time that grows with the square of its length.
    private static let marks = Array(("a" + String(repeating: "\u{301}\u{327}", count: 600)).utf8)

    /// Extensions with a value that is not of their form.
    private static let malformed: [(name: String, type: String, value: [UInt8])] = [
        ("basic constraints", "2.5.29.19", [0x05, 0x00]),
        ("basic constraints with a name", "2.5.29.19", TestDER.sequence([0x0C, 0x01, 0x61])),
        ("key usage", "2.5.29.15", [0x04, 0x01, 0x80]),
        ("name constraints", "2.5.29.30", TestDER.sequence([0x02, 0x01, 0x01])),
        ("permitted name that is not text", "2.5.29.30", nameConstraints(0xA0, [0x61, 0xFF])),
        ("excluded name that is not text", "2.5.29.30", nameConstraints(0xA1, [0x61, 0xFF])),
        ("permitted name with too many marks", "2.5.29.30", nameConstraints(0xA0, marks)),
        ("excluded name with too many marks", "2.5.29.30", nameConstraints(0xA1, marks)),
        ("alternative name with too many marks", "2.5.29.17", TestDER.sequence(TestDER.value(0x82, marks))),
        ("authority key identifier", "2.5.29.35", [0x04, 0x01, 0x01]),
        ("policies", "2.5.29.32", TestDER.sequence([0x02, 0x01, 0x01])),
        ("no policy", "2.5.29.32", TestDER.sequence()),
        ("no purpose", "2.5.29.37", TestDER.sequence()),
        ("no alternative name", "2.5.29.17", TestDER.sequence()),
        ("alternative names that are none", "2.5.29.17", []),
        ("no distribution point", "2.5.29.31", TestDER.sequence()),
        ("no information access", "1.3.6.1.5.5.7.1.1", TestDER.sequence()),
        ("inhibition of anyPolicy", "2.5.29.54", [0x05, 0x00]),
    ]

    @Test("a malformed extension makes a certificate unreadable where it is critical, and permits nothing elsewhere")
    func malformedExtension() throws {
        for (name, type, value) in Self.malformed {
            func der(_ isCritical: Bool) -> [UInt8] {
                Samples.certificate(
                    extensions: [CertificateMaker.certificateExtension(type, isCritical: isCritical, value)]
                )
            }
            #expect(throws: CertificateError.self, "\(name)") { try Certificate(der: der(true)) }
            let certificate = try Certificate(der: der(false))
            #expect(certificate.dnsNames.isEmpty)
            let inBetween = Timestamp(secondsSinceReferenceDate: 760_000_000)
            let isNamed = certificate.satisfies(.tls(isServer: true, host: "subject"), at: inBetween)
            #expect(!isNamed || type != "2.5.29.17", "a malformed extension brings the common name back")
            for host in ["host.example", "192.0.2.1"] {
                #expect(certificate.mayCertify(host: host) == (type != "2.5.29.30"), "\(name)")
            }
        }
    }

    @Test("extensions of a right form are read, critical or not", arguments: [false, true])
    func wellFormedExtension(_ isCritical: Bool) throws {
        let name = TestDER.value(0x82, Array("example.com".utf8))
        let values: [(String, [UInt8])] = [
            ("2.5.29.19", TestDER.sequence([0x01, 0x01, 0xFF, 0x02, 0x01, 0x00])),
            ("2.5.29.15", [0x03, 0x02, 0x05, 0xA0]),
            ("2.5.29.30", TestDER.sequence(TestDER.value(0xA0, TestDER.sequence(name)))),
            ("2.5.29.35", TestDER.sequence(TestDER.value(0x80, [1, 2]))),
            ("2.5.29.32", TestDER.sequence(TestDER.sequence(TestDER.objectIdentifier("2.5.29.32.0")))),
            ("2.5.29.31", TestDER.sequence(TestDER.sequence())),
            (
                "1.3.6.1.5.5.7.1.1",
                TestDER.sequence(TestDER.sequence(TestDER.objectIdentifier("1.3.6.1.5.5.7.48.1") + name))
            ),
            ("2.5.29.54", [0x02, 0x01, 0x00]),
        ]
        let extensions = values.map { CertificateMaker.certificateExtension($0, isCritical: isCritical, $1) }
        _ = try Certificate(der: Samples.certificate(extensions: extensions))
    }

    @Test("arbitrary bytes are refused")
    func arbitrary() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<2000 {
            let count = Int.random(in: 0..<64, using: &generator)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            #expect(throws: CertificateError.self) { try Certificate(der: [0x30] + bytes) }
        }
    }

    @Test("values inside values without end are refused")
    func nested() {
        var der: [UInt8] = []
        for _ in 0..<20_000 { der = [0x30, 0x80] + der }
        #expect(throws: CertificateError.self) { try Certificate(der: der) }
        var definite = TestDER.sequence()
        for _ in 0..<2000 { definite = TestDER.sequence(definite) }
        #expect(throws: CertificateError.self) { try Certificate(der: definite) }
    }

    private func isRefused(_ der: [UInt8]) -> Bool {
        do {
            // What is read must also be usable to the end.
            let certificate = try Certificate(der: der)
            #expect(certificate.attributes.count >= 6)
            #expect(certificate.reference.data.count == der.count)
            return false
        } catch {
            #expect(error.status == .decode)
            return true
        }
    }
}

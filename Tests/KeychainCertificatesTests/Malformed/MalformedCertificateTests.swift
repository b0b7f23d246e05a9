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

    @Test("an extension that occurs twice is refused")
    func duplicateExtension() {
        let one = CertificateMaker.certificateExtension("1.2.3", [0x05, 0x00])
        let der = Samples.certificate(extensions: [one, one])
        #expect(throws: CertificateError.self) { try Certificate(der: der) }
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

// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore
import KeychainTestSupport
import Testing

private typealias Attribute = CertificateMaker.Attribute

/// The form in which names are compared (Semantics, "Computed attributes").
struct DistinguishedNameTests {
    @Test(
        "a printable string is folded",
        arguments: [
            ("Mouse", "MOUSE"), ("  mouse  and   sons ", "MOUSE AND SONS"), ("", ""), ("   ", ""), ("a-z{", "A-Z{"),
            ("MOUSE", "MOUSE"), ("a\tb", "A B"), ("\t a \t b", "A B"),
        ]
    )
    func printable(_ given: String, _ expected: String) {
        #expect(normalized([[.printable("2.5.4.10", given)]]) == content([[.printable("2.5.4.10", expected)]]))
    }

    @Test("another string type stays as it is", arguments: [0x0C, 0x12, 0x14, 0x16, 0x1A, 0x1C, 0x1E] as [UInt8])
    func other(_ tag: UInt8) {
        let name = [[Attribute("2.5.4.10", tag: tag, content: Array("  mouse  and sons".utf8))]]
        #expect(normalized(name) == content(name))
    }

    @Test("lengths fit what is left, of a long name as well")
    func lengths() {
        let long = String(repeating: "mouse   ", count: 40)
        let folded = String(repeating: "MOUSE ", count: 40).dropLast()
        #expect(
            normalized([[.printable("2.5.4.10", long), .printable("2.5.4.11", "x")]])
                == content([[.printable("2.5.4.10", String(folded)), .printable("2.5.4.11", "X")]])
        )
    }

    @Test(
        "what is no sequence stays as it is",
        arguments: [[], [0x31, 0x00], [0x10, 0x00], [0x30], [0x30, 0x01], [0x30, 0x00, 0x00], [0x13, 0x01, 0x61]]
            as [[UInt8]]
    )
    func noSequence(_ bytes: [UInt8]) {
        #expect(DistinguishedName.normalizedContent(SecretBytes(bytes)) == SecretBytes(bytes))
        #expect(DistinguishedName.name(.data(SecretBytes(bytes))) == nil)
    }

    @Test("a sequence is a name if it is one of sets of attributes, or empty")
    func names() {
        func isName(_ bytes: [UInt8]) -> Bool { DistinguishedName.name(.data(SecretBytes(bytes))) != nil }
        #expect(isName(CertificateMaker.name("mouse")))
        #expect(isName([0x30, 0x00]))
        #expect(!isName([0x30, 0x03, 0x02, 0x01, 0x01]))
        #expect(!isName([0x30, 0x03, 0x0C, 0x01, 0x61]))
        #expect(!isName([0x30, 0x02, 0x31, 0x00]))
        #expect(DistinguishedName.name(.string("CN=mouse")) == nil)
    }

    @Test("a name nested too deep to be one stays as it is")
    func deep() {
        var name = TestDER.value(0x13, Array("mouse".utf8))
        for _ in 0..<2000 { name = TestDER.sequence(name) }
        #expect(DistinguishedName.normalizedContent(SecretBytes(name)) == SecretBytes(name))
    }

    @Test("a name of more values than any certificate has stays as it is", arguments: [(5_461, true), (5_462, false)])
    func large(_ count: Int, _ isNormalized: Bool) {
        // Three values each, and the whole is one.
        let part = TestDER.sequence(TestDER.value(0x06, [0x55, 4, 3]) + TestDER.value(0x13, Array("a".utf8)))
        let name = TestDER.sequence(Array(repeatElement(part, count: count).joined()))
        let isAsItWas = DistinguishedName.normalizedContent(SecretBytes(name)) == SecretBytes(name)
        #expect(isAsItWas != isNormalized)
    }

    private func normalized(_ name: [[CertificateMaker.Attribute]]) -> SecretBytes {
        DistinguishedName.normalizedContent(SecretBytes(CertificateMaker.name(name)))
    }

    /// The content of a name as it is.
    private func content(_ name: [[CertificateMaker.Attribute]]) -> SecretBytes {
        let der = CertificateMaker.name(name)
        let header = der[1] < 0x80 ? 2 : 2 + Int(der[1] & 0x7F)
        return SecretBytes(Array(der.dropFirst(header)))
    }
}

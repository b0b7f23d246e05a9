// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore
import KeychainTestSupport
import Testing

/// Times in certificates; the expected numbers are those of `date -u +%s` less 978307200.
struct ValidityTests {
    @Test(
        "times are read in the forms that certificates have",
        arguments: [
            (0x17, "240101000000Z", 725_760_000), (0x17, "491231235959Z", 1_546_300_799),
            (0x17, "500101000000Z", -1_609_459_200), (0x17, "010101000000Z", 0), (0x17, "0101010000Z", 0),
            (0x17, "010101013000+0130", 0), (0x17, "001231230000-0100", 0), (0x17, "000229000000Z", -26_524_800),
            (0x18, "20010101000000Z", 0), (0x18, "99991231235959Z", 252_423_993_599),
            (0x18, "00000101000000Z", -63_145_526_400), (0x18, "19700101000000Z", -978_307_200),
            (0x18, "200101010000Z", 0),
        ] as [(UInt8, String, Double)]
    )
    func time(tag: UInt8, text: String, seconds: Double) throws {
        let time = TestDER.value(tag, Array(text.utf8))
        let certificate = try Certificate(der: Samples.certificate(validity: [time, time]))
        #expect(certificate.validity.notBefore == Timestamp(secondsSinceReferenceDate: seconds))
        #expect(certificate.validity.notAfter == Timestamp(secondsSinceReferenceDate: seconds))
    }

    @Test(
        "what is no time is refused",
        arguments: [
            (0x17, ""), (0x17, "Z"), (0x17, "240101000000"), (0x17, "241301000000Z"), (0x17, "240001000000Z"),
            (0x17, "240132000000Z"), (0x17, "230229000000Z"), (0x17, "240101240000Z"), (0x17, "240101006000Z"),
            (0x17, "240101000060Z"), (0x17, "240101000000Y"), (0x17, "240101000000ZZ"), (0x17, "240101000000+1"),
            (0x17, "240101000000+2400"), (0x17, "24010100000aZ"), (0x17, "20240101000000Z"),
            (0x18, "20240101000000.5Z"), (0x18, "240101000000Z"), (0x18, "21000229000000Z"), (0x0C, "240101000000Z"),
        ] as [(UInt8, String)]
    )
    func noTime(_ tag: UInt8, _ text: String) {
        let time = TestDER.value(tag, Array(text.utf8))
        let good = CertificateMaker.utcTime("240101000000Z")
        #expect(throws: CertificateError.self) { try Certificate(der: Samples.certificate(validity: [time, good])) }
        #expect(throws: CertificateError.self) { try Certificate(der: Samples.certificate(validity: [good, time])) }
    }

    @Test(
        "both ends belong to the time in which a certificate is valid",
        arguments: [(-1, false), (0, true), (60, true), (120, true), (120.5, false)] as [(Double, Bool)]
    )
    func ends(_ seconds: Double, _ isValid: Bool) throws {
        let certificate = try Certificate(
            der: Samples.certificate(
                validity: [CertificateMaker.utcTime("010101000000Z"), CertificateMaker.utcTime("010101000200Z")]
            )
        )
        #expect(certificate.isValid(at: Timestamp(secondsSinceReferenceDate: seconds)) == isValid)
    }

    @Test("a certificate that ends before it starts is never valid")
    func backwards() throws {
        let times = [CertificateMaker.utcTime("010101000200Z"), CertificateMaker.utcTime("010101000000Z")]
        let certificate = try Certificate(der: Samples.certificate(validity: times))
        #expect(!certificate.isValid(at: Timestamp(secondsSinceReferenceDate: 60)))
    }
}

// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore
import KeychainTestSupport
import Testing

/// What a certificate by itself satisfies.
struct PolicyTests {
    private static let now = Timestamp(secondsSinceReferenceDate: 800_000_000)
    private static let serverPurpose = "1.3.6.1.5.5.7.3.1"
    private static let clientPurpose = "1.3.6.1.5.5.7.3.2"
    private static let emailPurpose = "1.3.6.1.5.5.7.3.4"
    private static let anyPurpose = "2.5.29.37.0"

    @Test("a certificate that is not valid satisfies nothing")
    func expired() throws {
        let certificate = try Certificate(der: Samples.certificate())
        let early = Timestamp(secondsSinceReferenceDate: 0)
        #expect(certificate.satisfies(.basicX509, at: Self.now))
        #expect(!certificate.satisfies(.basicX509, at: early))
        #expect(!certificate.satisfies(.tls(isServer: true, host: nil), at: early))
    }

    @Test(
        "a critical extension must be known, another one need not be",
        arguments: [("1.2.3.4", true, false), ("1.2.3.4", false, true), ("2.5.29.19", true, true)]
            as [(String, Bool, Bool)]
    )
    func critical(type: String, isCritical: Bool, isSatisfied: Bool) throws {
        let one = CertificateMaker.certificateExtension(type, isCritical: isCritical, TestDER.sequence())
        let certificate = try Certificate(der: Samples.certificate(extensions: [one]))
        #expect(certificate.satisfies(.basicX509, at: Self.now) == isSatisfied)
        #expect(certificate.satisfies(.tls(isServer: false, host: nil), at: Self.now) == isSatisfied)
    }

    @Test(
        "a key serves the purposes that it is limited to",
        arguments: [
            ([], true, true), ([serverPurpose], true, false), ([clientPurpose], false, true),
            ([serverPurpose, clientPurpose], true, true), ([emailPurpose], false, false),
            ([emailPurpose, anyPurpose], true, true),
        ] as [([String], Bool, Bool)]
    )
    func purposes(purposes: [String], server: Bool, client: Bool) throws {
        let extensions = purposes.isEmpty ? [] : [Samples.purposes(purposes)]
        let certificate = try Certificate(der: Samples.certificate(extensions: extensions))
        #expect(certificate.satisfies(.tls(isServer: true, host: nil), at: Self.now) == server)
        #expect(certificate.satisfies(.tls(isServer: false, host: nil), at: Self.now) == client)
        #expect(certificate.extendedKeyUsage == (purposes.isEmpty ? nil : purposes))
        #expect(certificate.satisfies(.basicX509, at: Self.now))
    }

    @Test(
        "a server has the name that it is asked for (RFC 6125, RFC 9525)",
        arguments: [
            ("example.com", ["example.com"], true), ("EXAMPLE.com.", ["Example.COM"], true),
            ("example.com", ["example.com."], true), ("www.example.com", ["example.com"], false),
            ("www.example.com", ["*.example.com"], true), ("a.b.example.com", ["*.example.com"], false),
            ("example.com", ["*.example.com"], false), ("example.com", ["*.com"], false),
            ("www.example.com", ["w*.example.com"], false), ("www.example.com", ["www.*.com"], false),
            ("www.example.com", ["*"], false), ("*.example.com", ["*.example.com"], true), ("com", ["*"], false),
            ("", [""], false), ("a..b", ["a..b"], false), ("example.com", ["other.com", "example.com"], true),
            ("10.0.0.1", ["10.0.0.1"], false), ("10.0.0.1", ["*.0.0.1"], false), ("subject", ["other"], false),
            ("10.0.0.1\u{0}.example.com", ["10.0.0.1"], false),
        ] as [(String, [String], Bool)]
    )
    func host(host: String, names: [String], matches: Bool) throws {
        let names = Samples.alternativeNames(names.map(Samples.dns))
        let certificate = try Certificate(der: Samples.certificate(extensions: [names]))
        #expect(certificate.satisfies(.tls(isServer: true, host: host), at: Self.now) == matches)
    }

    @Test(
        "a server has the address that it is asked for",
        arguments: [
            ("10.0.0.1", [10, 0, 0, 1], true), ("10.0.0.2", [10, 0, 0, 1], false),
            ("::1", [UInt8](repeating: 0, count: 15) + [1], true),
            ("[::1]", [UInt8](repeating: 0, count: 15) + [1], true), ("::1", [0, 0, 0, 1], false),
        ] as [(String, [UInt8], Bool)]
    )
    func address(host: String, address: [UInt8], matches: Bool) throws {
        let names = Samples.alternativeNames([Samples.address(address)])
        let certificate = try Certificate(der: Samples.certificate(extensions: [names]))
        #expect(certificate.satisfies(.tls(isServer: true, host: host), at: Self.now) == matches)
    }

    @Test("the common name counts in a certificate without alternative names only, and never for an address")
    func commonName() throws {
        let named = CertificateMaker.name("example.com")
        let bare = try Certificate(der: Samples.certificate(subject: named))
        #expect(bare.satisfies(.tls(isServer: true, host: "example.com"), at: Self.now))
        #expect(!bare.satisfies(.tls(isServer: true, host: "example.org"), at: Self.now))
        let other = Samples.alternativeNames([Samples.email("m@example.com")])
        let alternative = try Certificate(der: Samples.certificate(subject: named, extensions: [other]))
        #expect(!alternative.satisfies(.tls(isServer: true, host: "example.com"), at: Self.now))
        let address = try Certificate(der: Samples.certificate(subject: CertificateMaker.name("10.0.0.1")))
        #expect(!address.satisfies(.tls(isServer: true, host: "10.0.0.1"), at: Self.now))
    }

    @Test("a client's name is not compared with the host")
    func client() throws {
        let certificate = try Certificate(der: Samples.certificate())
        #expect(certificate.satisfies(.tls(isServer: false, host: "example.com"), at: Self.now))
    }
}

// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import Testing

/// Certificates and identities by their issuers (Semantics, "Values and combinations" and "Copying matching items",
/// step 8).
struct IssuerTests {
    private func issuers(_ names: String...) -> [String: PropertyValue] {
        ["m_Issuers": .array(names.map { .data(SecretBytes(Fixture.nameSequence($0))) })]
    }

    /// Certificates 1, 2, …, each issued by the one before it, the first by "root".
    private func chain(of length: UInt8, calls: Calls, more: [String: PropertyValue] = [:]) {
        for number in 1...length {
            let issuer = number == 1 ? "root" : "ca \(number - 1)"
            let certificate = Fixture.certificate(number, issuer: issuer, subject: "ca \(number)")
            #expect(calls.add(.certificate(certificate), more) == .done)
        }
    }

    @Test("a thousand certificates, each found by its issuer, and the identities among them")
    func thousand() throws {
        let calls = Calls(backend: try TemporaryKeychain())
        var generator = SeededGenerator(seed: 8)
        var issuers: [String] = []
        for number in 0..<1_000 {
            let issuer = "issuer \(UInt64.random(in: 0...(.max), using: &generator))"
            issuers.append(issuer)
            var certificate = Fixture.certificate(1, issuer: issuer, subject: "subject \(number)")
            certificate.attributes["slnr"] = .data(SecretBytes(Array("\(number)".utf8)))
            certificate.attributes["pkhh"] = .data(SecretBytes(Array("hash \(number)".utf8)))
            #expect(calls.add(.certificate(certificate)) == .done)
            guard number.isMultiple(of: 100) else { continue }
            #expect(
                calls.add(.key(Fixture.key(1)), ["klbl": .data(SecretBytes(Array("hash \(number)".utf8)))]) == .done
            )
        }
        for (number, issuer) in issuers.enumerated() {
            let name: [String: PropertyValue] = ["issr": .data(SecretBytes(Fixture.nameSequence(issuer)))]
            let found = calls.copy(.every(.certificate) + .asAttributes + name)
            #expect(found.values.count == 1)
            #expect(found.dictionary?["slnr"] == .data(SecretBytes(Array("\(number)".utf8))))
            guard number.isMultiple(of: 50) else { continue }
            #expect(calls.copy(.every(.certificate) + .asData + self.issuers(issuer)).values.count == 1)
            let status = number.isMultiple(of: 100) ? Status.success : .itemNotFound
            #expect(calls.copy(.one(.identity) + .asReference + name).status == status)
            #expect(calls.copy(.one(.identity) + .asReference + self.issuers(issuer)).status == status)
        }
        #expect(calls.copy(.every(.identity) + .asReference).values.count == 10)
    }

    @Test("an issuer counts wherever it is, behind up to ten certificates")
    func depth() throws {
        let calls = Calls(backend: try TemporaryKeychain())
        chain(of: 12, calls: calls)
        for number in [1, 9, 10, 11, 12] as [UInt8] { #expect(calls.add(.key(Fixture.key(number))) == .done) }
        let all = calls.copy(.every(.certificate) + .asAttributes + issuers("root"))
        #expect(all.values.count == 11)
        #expect(calls.copy(.every(.certificate) + .asData + issuers("ca 3")).values.count == 9)
        #expect(calls.copy(.every(.certificate) + .asData + issuers("ca 12")) == .failed(.itemNotFound))
        for number in 1...12 as ClosedRange<UInt8> {
            let named = [String: PropertyValue].one(.certificate) + ["subj": Fixture.name("ca \(number)")]
            #expect(calls.copy(named + issuers("root")).status == (number <= 11 ? .success : .itemNotFound))
        }
        #expect(calls.copy(.every(.identity) + .asReference + issuers("root")).values.count == 4)
        #expect(calls.copy(.every(.identity) + .asReference + issuers("nobody", "ca 10")).values.count == 2)
        #expect(calls.copy(.one(.identity) + issuers("nobody")) == .failed(.itemNotFound))
    }

    @Test("certificates that issue each other lead nowhere")
    func cycle() throws {
        let calls = Calls(backend: try TemporaryKeychain())
        #expect(calls.add(.certificate(Fixture.certificate(1, issuer: "a", subject: "b"))) == .done)
        #expect(calls.add(.certificate(Fixture.certificate(2, issuer: "b", subject: "a"))) == .done)
        #expect(calls.add(.certificate(Fixture.certificate(3, issuer: "c", subject: "c"))) == .done)
        #expect(calls.copy(.every(.certificate) + .asData + issuers("a")).values.count == 2)
        #expect(calls.copy(.every(.certificate) + .asData + issuers("c")).values.count == 1)
        let one = [String: PropertyValue].one(.certificate) + ["slnr": .data(SecretBytes([1]))]
        #expect(calls.copy(one + ["issr": Fixture.name("a")] + issuers("d")) == .failed(.itemNotFound))
    }

    @Test("a chain leads through the client's groups only, or through the one that the query names")
    func groups() throws {
        let calls = Calls(backend: try TemporaryKeychain())
        chain(of: 1, calls: calls, more: ["agrp": .string("group.two")])
        #expect(calls.add(.identity(identity(2, issuer: "ca 1"))) == .done)
        #expect(calls.copy(.one(.identity) + issuers("root")) == .done)
        #expect(
            calls.copy(.one(.identity) + issuers("root") + ["agrp": .string("group.one")]) == .failed(.itemNotFound)
        )
        var other = calls
        other.client.accessGroups = ["group.one"]
        #expect(other.copy(.one(.identity) + issuers("ca 1")) == .done)
        #expect(other.copy(.one(.identity) + issuers("root")) == .failed(.itemNotFound))
        #expect(other.copy(.one(.certificate) + issuers("root")) == .failed(.itemNotFound))
    }

    @Test("names are compared in their normalized form, and what is no name is passed over")
    func names() throws {
        let calls = Calls(backend: try TemporaryKeychain())
        let stored = CertificateMaker.name([[.printable("2.5.4.3", "BIG CA")]])
        var certificate = Fixture.certificate(1)
        certificate.attributes["issr"] = .data(SecretBytes(Array(stored.dropFirst(2))))
        #expect(calls.add(.certificate(certificate)) == .done)
        let asked = CertificateMaker.name([[.printable("2.5.4.3", " big  ca")]])
        let name = PropertyValue.data(SecretBytes(asked))
        let garbage = PropertyValue.data(SecretBytes([1, 2, 3]))
        #expect(calls.copy(.one(.certificate) + ["m_Issuers": .array([garbage, name])]) == .done)
        #expect(calls.copy(.one(.certificate) + ["m_Issuers": .array([garbage])]) == .done)
    }

    private func identity(_ number: UInt8, issuer: String) -> IdentityReference {
        IdentityReference(certificate: Fixture.certificate(number, issuer: issuer), key: Fixture.key(number))
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainTestSupport
import Synchronization
import Testing

/// Conditions that the contents of a certificate decide (Semantics, "Values and combinations" and "Copying matching
/// items").
struct CertificateContentTests {
    /// A certificate that is valid from one year's begin to another's.
    private static func certificate(
        _ number: UInt8,
        _ years: ClosedRange<Int> = 2020...2090,
        emailAddress: String? = nil
    ) -> CertificateReference {
        var certificate = Fixture.certificate(number)
        var subject = [[CertificateMaker.Attribute.commonName("subject")]]
        if let emailAddress {
            subject.append([
                CertificateMaker.Attribute("1.2.840.113549.1.9.1", tag: 0x16, content: Array(emailAddress.utf8))
            ])
        }
        let times = [years.lowerBound, years.upperBound].map { CertificateMaker.generalizedTime("\($0)0101000000Z") }
        certificate.data = SecretBytes(
            CertificateMaker.certificate(
                subject: CertificateMaker.name(subject),
                issuer: CertificateMaker.name("issuer"),
                serial: [number],
                validity: times
            )
        )
        return certificate
    }

    private static func date(_ year: Int) -> PropertyValue {
        let time = DateComponents(calendar: Calendar(identifier: .gregorian), year: year, month: 6).date ?? Date()
        return .date(Timestamp(secondsSinceReferenceDate: time.timeIntervalSinceReferenceDate))
    }

    private static func calls(judge: (any CertificateJudge)? = nil) throws -> Calls {
        var device = DeviceOptions()
        device.certificateJudge = judge
        let calls = Calls(backend: try TemporaryKeychain(device: device))
        for (number, years) in [(1, 2000...2010), (2, 2005...2090), (3, 2080...2090)] as [(UInt8, ClosedRange<Int>)] {
            let identity = IdentityReference(certificate: certificate(number, years), key: Fixture.key(number))
            #expect(calls.add(.identity(identity)) == .done)
        }
        return calls
    }

    @Test(
        "a certificate is valid at the date, or now; a limit counts only those that are",
        arguments: [ItemClass.certificate, .identity]
    )
    func validity(_ itemClass: ItemClass) throws {
        let calls = try Self.calls()
        let expected: [(PropertyValue, [UInt8])] = [
            (Self.date(1999), []), (Self.date(2001), [1]), (Self.date(2007), [1, 2]), (.null, [2]),
            (Self.date(2085), [2, 3]), (Self.date(2091), []),
        ]
        for (date, numbers) in expected {
            let query: [String: PropertyValue] = ["m_ValidOnDate": date] + .asAttributes
            let all = calls.copy(.every(itemClass) + query)
            #expect(all.values.count == numbers.count)
            #expect(all.status == (numbers.isEmpty ? .itemNotFound : .success))
            let one = calls.copy(.one(itemClass) + query)
            #expect(one.dictionary?["slnr"] == numbers.first.map { .data(SecretBytes([$0])) })
        }
        #expect(calls.copy(.one(itemClass) + ["m_ValidOnDate": Self.date(2085)]) == .done)
    }

    @Test(
        "a validity without duration, or with an end on the reference date, contains no date",
        arguments: [(2001...2090, false), (1990...2001, false), (2010...2010, false), (2000...2090, true)]
    )
    func oddValidity(_ years: ClosedRange<Int>, _ counts: Bool) throws {
        let calls = Calls(backend: try TemporaryKeychain())
        #expect(calls.add(.certificate(Self.certificate(1, years))) == .done)
        let begin = DateComponents(
            calendar: Calendar(identifier: .gregorian),
            timeZone: TimeZone(secondsFromGMT: 0),
            year: years.lowerBound
        )
        let seconds = try #require(begin.date).timeIntervalSinceReferenceDate
        let query: [String: PropertyValue] = [
            "m_ValidOnDate": .date(Timestamp(secondsSinceReferenceDate: seconds))
        ]
        #expect(calls.copy(.one(.certificate) + query) == (counts ? .done : .failed(.itemNotFound)))
        #expect(calls.copy(.one(.certificate)) == .done)
    }

    @Test("a policy is asked of the certificate, at the date or now", arguments: [ItemClass.certificate, .identity])
    func policy(_ itemClass: ItemClass) throws {
        let calls = try Self.calls()
        let client: [String: PropertyValue] = ["m_Policy": .policy(.tls(isServer: false, host: nil))] + .asAttributes
        #expect(calls.copy(.every(itemClass) + client).values.count == 1)
        #expect(calls.copy(.every(itemClass) + client + ["m_ValidOnDate": Self.date(2007)]).values.count == 2)
        // Basic X.509 is the evaluation of a whole chain, and nobody is there to judge it.
        let basic: [String: PropertyValue] = ["m_Policy": .policy(.basicX509)] + .asAttributes
        #expect(calls.copy(.every(itemClass) + basic) == .failed(.itemNotFound))
        let host: [String: PropertyValue] = ["m_Policy": .policy(.tls(isServer: true, host: "elsewhere.example"))]
        #expect(calls.copy(.every(itemClass) + host + .asAttributes) == .failed(.itemNotFound))
        #expect(calls.copy(.one(.key) + basic) == .failed(.unimplemented))
    }

    @Test("an e-mail address is one of the certificate's; without reading it nothing is found")
    func emailAddress() throws {
        let calls = Calls(backend: try TemporaryKeychain())
        #expect(calls.add(.certificate(Self.certificate(1, emailAddress: "anna@example.com"))) == .done)
        #expect(calls.add(.certificate(Self.certificate(2, emailAddress: "bert@example.com"))) == .done)
        #expect(calls.add(.key(Fixture.key(2))) == .done)
        let bert: [String: PropertyValue] = ["m_EmailAddressIfPresent": .string("bert@example.com")]
        #expect(
            calls.copy(.one(.certificate) + bert + .asData).data
                == Self.certificate(2, emailAddress: "bert@example.com").data
        )
        #expect(calls.copy(.one(.certificate) + bert) == .failed(.itemNotFound))
        #expect(calls.copy(.one(.certificate) + bert + .asAttributes) == .failed(.itemNotFound))
        #expect(calls.copy(.one(.identity) + bert + .asReference).values.count == 1)
        let anna: [String: PropertyValue] = ["m_EmailAddressIfPresent": .string("anna@example.com")]
        #expect(calls.copy(.one(.identity) + anna + .asReference) == .failed(.itemNotFound))
        #expect(calls.add(.certificate(Self.certificate(3))) == .done)
        #expect(calls.copy(.every(.certificate) + bert + .asData).values.count == 1)
        #expect(
            calls.copy(.every(.certificate) + bert + ["m_TrustedOnly": .boolean(false)] + .asAttributes).values.count
                == 1
        )
    }

    @Test("what is no certificate meets no condition on its contents")
    func garbage() throws {
        let calls = Calls(backend: try TemporaryKeychain())
        #expect(calls.add(.certificate(Fixture.certificate(1))) == .done)
        #expect(calls.copy(.one(.certificate) + .asReference).values.count == 1)
        let conditions: [[String: PropertyValue]] = [
            ["m_ValidOnDate": .null], ["m_TrustedOnly": .boolean(false)], ["m_TrustedOnly": .boolean(true)],
            ["m_Policy": .policy(.tls(isServer: false, host: nil))], ["m_Policy": .policy(.basicX509)],
            ["m_EmailAddressIfPresent": .string("")],
        ]
        for condition in conditions {
            #expect(calls.copy(.one(.certificate) + condition + .asData) == .failed(.itemNotFound))
        }
    }

    @Test(
        "without a judge nothing is trusted, and where trust does not matter everything is found",
        arguments: [ItemClass.certificate, .identity]
    )
    func trust(_ itemClass: ItemClass) throws {
        let calls = try Self.calls()
        #expect(calls.copy(.one(itemClass) + ["m_TrustedOnly": .boolean(true)]) == .failed(.itemNotFound))
        #expect(calls.copy(.every(itemClass) + .asData + ["m_TrustedOnly": .boolean(false)]).values.count == 3)
    }

    /// Trusts certificates by their serial numbers, and notes what it was asked.
    private final class Judge: CertificateJudge {
        let trusted: UInt8?
        let asked = Mutex<[(policy: CertificatePolicy, date: Timestamp)]>([])

        init(trusting trusted: UInt8?) { self.trusted = trusted }

        func trusts(
            _ certificate: [UInt8],
            others: [[UInt8]],
            for policy: CertificatePolicy,
            at date: Timestamp
        ) throws(KeychainError) -> Bool {
            asked.withLock { $0.append((policy, date)) }
            guard let trusted else { throw KeychainError(.notAvailable, "nothing can judge") }
            return CertificateContentTests.certificate(trusted, 2005...2090).data == SecretBytes(certificate)
        }
    }

    @Test(
        "a judge says which certificates are trusted, for basic X.509 and at the date of the query",
        arguments: [ItemClass.certificate, .identity]
    )
    func judgement(_ itemClass: ItemClass) throws {
        let judge = Judge(trusting: 2)
        let calls = try Self.calls(judge: judge)
        let conditions: [[String: PropertyValue]] = [
            ["m_TrustedOnly": .boolean(true)], ["m_Policy": .policy(.basicX509)], ["m_Policy": .policy(.revocation(1))],
            ["m_TrustedOnly": .boolean(true), "m_Policy": .policy(.tls(isServer: true, host: nil))],
        ]
        for condition in conditions {
            let found = calls.copy(.every(itemClass) + .asAttributes + condition + ["m_ValidOnDate": Self.date(2007)])
            #expect(found.values.count == 1, "\(condition.keys)")
        }
        guard case .date(let date) = Self.date(2007) else { return }
        let asked = judge.asked.withLock(\.self)
        #expect(asked.allSatisfy { $0.date == date })
        #expect(Set(asked.map(\.policy)) == [.basicX509, .revocation(1)])
        // A policy that judges the certificate alone, and trust that does not matter, ask nobody.
        judge.asked.withLock { $0 = [] }
        let alone: [String: PropertyValue] = [
            "m_TrustedOnly": .boolean(false), "m_Policy": .policy(.tls(isServer: true, host: nil)),
        ]
        #expect(calls.copy(.every(itemClass) + .asAttributes + alone).values.count == 1)
        let questions = judge.asked.withLock(\.count)
        #expect(questions == 0)
    }

    @Test("where nothing can judge, the call fails instead of leaving certificates out")
    func noJudgement() throws {
        let calls = try Self.calls(judge: Judge(trusting: nil))
        #expect(calls.copy(.one(.certificate) + ["m_TrustedOnly": .boolean(true)]) == .failed(.notAvailable))
    }
}

// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainTestSupport
import Testing

/// Who has issued whom.
struct ChainTests {
    @Test("a chain goes from the certificate to the last issuer that is at hand")
    func chain() throws {
        let root = try certificate("root", by: "root")
        let middle = try certificate("middle", by: "root")
        let leaf = try certificate("leaf", by: "middle")
        let stranger = try certificate("stranger", by: "root")
        #expect(chain(leaf, [stranger, root, leaf, middle]) == [leaf, middle, root])
        #expect(chain(leaf, [root]) == [leaf])
        #expect(chain(root, [root, middle]) == [root])
    }

    @Test("a chain ends where certificates name each other")
    func circle() throws {
        let one = try certificate("one", by: "other")
        let other = try certificate("other", by: "one")
        #expect(chain(one, [one, other]) == [one, other])
    }

    @Test("of two issuers of one name the one that has signed is taken, else the first")
    func renewed() throws {
        let leaf = try certificate("leaf", by: "root")
        let old = try certificate("root", by: "root", serial: [1])
        let new = try certificate("root", by: "root", serial: [2])
        let pool = CertificatePool([old, new])
        #expect(pool.chain(from: leaf) { issuer, certificate in issuer == new && certificate == leaf } == [leaf, new])
        #expect(pool.chain(from: leaf) { _, _ in false } == [leaf, old])
    }

    @Test("a chain has ten certificates at most, however many name each other")
    func longest() throws {
        let many = try (0..<60).map { (number: UInt8) throws -> Certificate in
            let isEven = number.isMultiple(of: 2)
            return try certificate(isEven ? "a" : "b", by: isEven ? "b" : "a", serial: [number])
        }
        let found = chain(try certificate("leaf", by: "a"), many)
        #expect(found.count == CertificatePool.longestChain)
        #expect(Set(found).count == found.count)
    }

    private func chain(_ leaf: Certificate, _ certificates: [Certificate]) -> [Certificate] {
        CertificatePool(certificates).chain(from: leaf) { _, _ in false }
    }

    private func certificate(_ subject: String, by issuer: String, serial: [UInt8] = [1]) throws -> Certificate {
        let der = CertificateMaker.certificate(
            subject: CertificateMaker.name(subject),
            issuer: CertificateMaker.name(issuer),
            serial: serial
        )
        return try Certificate(der: der)
    }
}

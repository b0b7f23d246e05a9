// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTesting
import Security
import Testing

@Suite("The expiry of a certificate", .fieldApp)
struct CertificateExpiryTests {
    @Test("the date is that of the certificate")
    func expiry() throws {
        let client = try ClientIdentity(file: ClientIdentityTests.file, password: "hunter2")
        var certificate: SecCertificate?
        #expect(SecIdentityCopyCertificate(client.identity, &certificate) == errSecSuccess)
        let found = try #require(certificate)
        let expiry = try #require(CertificateExpiry(found))
        #expect(expiry.expires == SecCertificateCopyNotValidAfterDate(found) as Date?)
        #expect(expiry.issuer != nil)
    }

    @Test("a host without a preference has no preferred identity")
    func preferredIdentity() {
        #expect(CertificateExpiry.preferredIdentity(for: "www.example.com") == nil)
    }
}

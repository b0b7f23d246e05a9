// SPDX-License-Identifier: Apache-2.0

package import KeychainCertificates
package import KeychainCore

extension TrustSettings {
    /// Sets the decisions about a certificate.
    ///
    /// - Throws: `errSecParam` for trust that the certificate cannot have: as a root if it is not self-signed, or as a
    ///   root if it already is one.
    package mutating func set(
        _ rules: [Rule],
        for certificate: Certificate,
        at date: Timestamp
    ) throws(KeychainError) {
        let wrong: Decision = certificate.isSelfIssued ? .trustAsRoot : .trustRoot
        let decisions = rules.isEmpty ? [.trustRoot] : rules.map { $0.decision ?? .trustRoot }
        guard !decisions.contains(wrong) else {
            let reason =
                certificate.isSelfIssued
                ? "a self-signed certificate is trusted as the root that it is (trustRoot)"
                : "a certificate that another has issued is not a root; it can be trusted as one (trustAsRoot)"
            throw .parameter(reason)
        }
        entries[Self.key(of: certificate.der)] = Entry(certificate, rules, modified: date)
    }

    /// Removes the decisions about a certificate.
    ///
    /// - Throws: `errSecItemNotFound`
    package mutating func remove(_ certificate: Certificate) throws(KeychainError) {
        guard entry(for: certificate) != nil else {
            throw KeychainError(.itemNotFound, "there are no trust settings for the certificate")
        }
        entries[Self.key(of: certificate.der)] = nil
    }

    /// Replaces settings; entries without a certificate take theirs from the replaced ones.
    package func replacing(_ earlier: TrustSettings) -> TrustSettings {
        var settings = self
        for (key, entry) in settings.entries where entry.certificate == nil {
            guard let known = earlier.entries[key], known.issuer == entry.issuer,
                known.serialNumber == entry.serialNumber
            else { continue }
            settings.entries[key]?.certificate = known.certificate
        }
        return settings
    }

    /// The known certificates with an entry, in the order of their keys.
    package var certificates: [Certificate] {
        entries.sorted { $0.key < $1.key }.compactMap { _, entry in
            entry.certificate.flatMap { try? Certificate(der: $0) }
        }
    }
}

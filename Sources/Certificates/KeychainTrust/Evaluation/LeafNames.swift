// SPDX-License-Identifier: Apache-2.0

/// Whether a certificate has a name that OpenSSL looks for (X509_check_email(3)).
enum LeafNames {
    /// Whether an e-mail address is one of the certificate's.
    static func haveAddress(_ address: String, _ certificate: ParsedCertificate, _ library: OpenSSLLibrary) -> Bool {
        defer { library.forgetErrors() }
        guard !address.isEmpty, !address.utf8.contains(0) else { return false }
        return library.checkEmailAddress(certificate.pointer, address, address.utf8.count, 0) == 1
    }
}

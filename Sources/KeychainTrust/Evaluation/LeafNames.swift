// SPDX-License-Identifier: Apache-2.0

/// Whether a certificate has a name (X509_check_host(3)).
enum LeafNames {
    // The flags of x509v3.h.
    private static let neverSubject: UInt32 = 0x20
    private static let noPartialWildcards: UInt32 = 0x4

    /// Whether a host is among the alternative names; the common name does not count (RFC 9525, section 2).
    static func haveHost(_ host: String, _ certificate: ParsedCertificate, _ library: OpenSSLLibrary) -> Bool {
        defer { library.forgetErrors() }
        var host = host
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        // A name that ends with the root's label is the same name.
        if host.hasSuffix("."), !host.hasSuffix("..") { host.removeLast() }
        guard !host.isEmpty, !host.hasPrefix("."), !host.utf8.contains(0) else { return false }
        switch library.checkAddress(certificate.pointer, host, 0) {
        case 1: return true
        case 0: return false
        // It is no address.
        default:
            let flags = neverSubject | noPartialWildcards
            return library.checkHost(certificate.pointer, host, host.utf8.count, flags, nil) == 1
        }
    }

    /// Whether an e-mail address is one of the certificate's.
    static func haveAddress(_ address: String, _ certificate: ParsedCertificate, _ library: OpenSSLLibrary) -> Bool {
        defer { library.forgetErrors() }
        guard !address.isEmpty, !address.utf8.contains(0) else { return false }
        return library.checkEmailAddress(certificate.pointer, address, address.utf8.count, 0) == 1
    }
}

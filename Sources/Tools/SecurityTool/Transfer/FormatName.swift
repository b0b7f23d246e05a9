// SPDX-License-Identifier: Apache-2.0

import KeychainContainers

/// The names of formats and kinds of items for `import` and `export`.
enum FormatName {
    /// The format of a value of `-f`; `nil` for another word.
    static func format(_ word: Word) -> ExternalFormat? { word.text.flatMap { formats[$0] } }

    /// The kind of a value of `-t` of `import`; `nil` for another word.
    static func type(_ word: Word) -> ExternalItemType? { word.text.flatMap { types[$0] } }

    /// A PKCS #12 file for programs that read no newer one; macOS does not have this name.
    static let olderPKCS12 = "pkcs12-legacy"

    private static let formats: [String: ExternalFormat] = [
        "openssl": .openSSL, "openssh1": .ssh, "openssh2": .sshv2, "bsafe": .bsafe, "raw": .rawKey, "pkcs7": .pkcs7,
        "pkcs8": .wrappedPKCS8, "pkcs12": .pkcs12, olderPKCS12: .pkcs12, "netscape": .netscapeCertificateSequence,
        "x509": .x509Certificate, "pemseq": .pemSequence,
    ]

    private static let types: [String: ExternalItemType] = [
        "pub": .publicKey, "priv": .privateKey, "session": .sessionKey, "cert": .certificate, "agg": .aggregate,
    ]
}

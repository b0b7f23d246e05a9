// SPDX-License-Identifier: Apache-2.0

/// A file format for keys and certificates, with the numbers of `SecExternalFormat`.
package enum ExternalFormat: UInt32, Sendable, CaseIterable {
    /// To be detected, or the default of an item.
    case unknown = 0
    /// A bare key: PKCS #1, SEC 1 or plain PKCS #8, or `SubjectPublicKeyInfo`.
    case openSSL
    /// A key of OpenSSH 1; not implemented.
    case ssh
    /// A key of BSAFE; not implemented.
    case bsafe
    /// A symmetric key; not implemented.
    case rawKey
    /// A private key encrypted by PKCS #8.
    case wrappedPKCS8
    /// A private key in OpenSSL's former encryption; not implemented.
    case wrappedOpenSSL
    /// An encrypted key of OpenSSH 1; not implemented.
    case wrappedSSH
    /// Not implemented.
    case wrappedLSH
    /// A certificate in DER.
    case x509Certificate
    /// Documents in PEM, one after the other.
    case pemSequence
    /// Certificates in PKCS #7.
    case pkcs7
    /// Keys and certificates under a password.
    case pkcs12
    /// Certificates in a form of Netscape's; not implemented.
    case netscapeCertificateSequence
    /// A key of OpenSSH 2; not implemented.
    case sshv2
}

/// A kind of item in a file, with the numbers of `SecExternalItemType`.
package enum ExternalItemType: UInt32, Sendable, CaseIterable {
    /// To be detected.
    case unknown = 0
    /// A private key.
    case privateKey
    /// A public key.
    case publicKey
    /// A symmetric key; not implemented.
    case sessionKey
    /// A certificate.
    case certificate
    /// Several items.
    case aggregate
}

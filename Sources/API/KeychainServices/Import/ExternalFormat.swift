// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainContainers

/// A format of files with keys and certificates, by Apple's numbers.
public enum SecExternalFormat: UInt32, Sendable {
    /// In: to be found out. Out: the usual one of the item.
    case formatUnknown = 0
    /// A bare key: PKCS #1, SEC 1 or plain PKCS #8, or `SubjectPublicKeyInfo`.
    case formatOpenSSL
    /// A key of OpenSSH 1; not implemented.
    case formatSSH
    /// A key of BSAFE; not implemented.
    case formatBSAFE
    /// A symmetric key; not implemented.
    case formatRawKey
    /// A private key encrypted by PKCS #8.
    case formatWrappedPKCS8
    /// A private key encrypted the way OpenSSL once did; not implemented.
    case formatWrappedOpenSSL
    /// An encrypted key of OpenSSH 1; not implemented.
    case formatWrappedSSH
    /// Not implemented.
    case formatWrappedLSH
    /// A certificate in DER.
    case formatX509Cert
    /// Documents in PEM, one after the other.
    case formatPEMSequence
    /// Certificates in PKCS #7.
    case formatPKCS7
    /// Keys and certificates under a password.
    case formatPKCS12
    /// Certificates in a form of Netscape's; not implemented.
    case formatNetscapeCertSequence
    /// A key of OpenSSH 2; not implemented.
    case formatSSHv2
}

/// A kind of item in a file, by Apple's numbers.
public enum SecExternalItemType: UInt32, Sendable {
    /// To be found out.
    case itemTypeUnknown = 0
    /// A private key.
    case itemTypePrivateKey
    /// A public key.
    case itemTypePublicKey
    /// A symmetric key; not implemented.
    case itemTypeSessionKey
    /// A certificate.
    case itemTypeCertificate
    /// Several items.
    case itemTypeAggregate
}

/// How an item is exported.
public struct SecItemImportExportFlags: OptionSet, Sendable {
    /// Apple's bits.
    public let rawValue: UInt32

    /// Flags from bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// As text (RFC 7468).
    public static let pemArmour = SecItemImportExportFlags(rawValue: 1)
}

/// How keys are imported and exported.
public struct SecKeyImportExportFlags: OptionSet, Sendable {
    /// Apple's bits.
    public let rawValue: UInt32

    /// Flags from bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Fails for a file with more than one private key.
    public static let importOnlyOne = SecKeyImportExportFlags(rawValue: 1)
    /// Prompts the user for the passphrase; has no effect here: without one the call fails.
    public static let securePassphrase = SecKeyImportExportFlags(rawValue: 2)
    /// Gives imported keys no access control list; has no effect here, because there are none.
    public static let noAccessControl = SecKeyImportExportFlags(rawValue: 4)
}

extension SecExternalFormat {
    /// The same format beneath Apple's API.
    var format: ExternalFormat { ExternalFormat(rawValue: rawValue) ?? .unknown }

    /// The same format as Apple's API has it.
    init(_ format: ExternalFormat) { self = SecExternalFormat(rawValue: format.rawValue) ?? .formatUnknown }
}

extension SecExternalItemType {
    /// The same kind beneath Apple's API.
    var type: ExternalItemType { ExternalItemType(rawValue: rawValue) ?? .unknown }

    /// The same kind as Apple's API has it.
    init(_ type: ExternalItemType) { self = SecExternalItemType(rawValue: type.rawValue) ?? .itemTypeUnknown }
}

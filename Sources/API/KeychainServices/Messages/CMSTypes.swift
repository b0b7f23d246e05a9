// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The status of a message's signature, with Apple's numbers.
public enum CMSSignerStatus: UInt32, Sendable {
    /// The message is not signed.
    case unsigned = 0
    /// The signature is good, and its certificate is trusted, unless that was not to be looked at.
    case valid
    /// The contents are not in the message, and have not been provided.
    case needsDetachedContent
    /// The signature is not one of the contents.
    case invalidSignature
    /// The signature is good, but its certificate is not trusted, or is not at hand.
    case invalidCert
    /// There is no signer with this index.
    case invalidIndex
}

/// The attributes that are signed in addition to the contents of a message.
public struct CMSSignedAttributes: OptionSet, Sendable {
    /// Apple's bits.
    public let rawValue: UInt32

    /// Attributes from bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Which ciphers messages to the signer may have (RFC 8551, section 2.5.2).
    public static let attrSmimeCapabilities = CMSSignedAttributes(rawValue: 1 << 0)
    /// That messages to the signer are to be encrypted for the same certificate (RFC 8551, section 2.5.3).
    public static let attrSmimeEncryptionKeyPrefs = CMSSignedAttributes(rawValue: 1 << 1)
    /// The same in Microsoft's form.
    public static let attrSmimeMSEncryptionKeyPrefs = CMSSignedAttributes(rawValue: 1 << 2)
    /// When the message was signed (RFC 5652, section 11.3).
    public static let attrSigningTime = CMSSignedAttributes(rawValue: 1 << 3)
    /// Of Apple's code signatures; not implemented.
    public static let attrAppleCodesigningHashAgility = CMSSignedAttributes(rawValue: 1 << 4)
    /// Of Apple's code signatures; not implemented.
    public static let attrAppleCodesigningHashAgilityV2 = CMSSignedAttributes(rawValue: 1 << 5)
    /// Of Apple's code signatures; not implemented.
    public static let attrAppleExpirationTime = CMSSignedAttributes(rawValue: 1 << 6)
}

/// The certificates that a signed message contains, in addition to those that were added, with Apple's numbers.
public enum CMSCertificateChainMode: UInt32, Sendable {
    /// None.
    case none = 0
    /// That of each signer.
    case signerOnly
    /// Those of each signer's chain, but for its root.
    case chain
    /// Those of each signer's chain, as far as they are at hand.
    case chainWithRoot
    /// Those of each signer's chain up to its root.
    case chainWithRootOrFail
}

// The strings are safe to share because they never change.

/// SHA-1, as the digest function of signatures.
nonisolated(unsafe) public let kCMSEncoderDigestAlgorithmSHA1: CFString = "sha1"
/// SHA-256, as the digest function of signatures.
nonisolated(unsafe) public let kCMSEncoderDigestAlgorithmSHA256: CFString = "sha256"

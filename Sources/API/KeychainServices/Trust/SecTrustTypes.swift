// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The result of a trust evaluation.
public enum SecTrustResultType: UInt32, Sendable {
    /// There was no evaluation.
    case invalid = 0
    /// Trusted, by decision of a user.
    case proceed = 1
    /// An older value, which is never returned.
    case confirm = 2
    /// Denied, by decision of a user.
    case deny = 3
    /// Trusted.
    case unspecified = 4
    /// Not trusted; a user may pass it over.
    case recoverableTrustFailure = 5
    /// Not trusted: something is wrong with a certificate.
    case fatalTrustFailure = 6
    /// The evaluation itself failed.
    case otherError = 7
}

/// The defects that an evaluation ignores.
public struct SecTrustOptionFlags: OptionSet, Sendable {
    /// The flags as one number.
    public let rawValue: UInt32

    /// Flags of a number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Certificates may be expired.
    public static let allowExpired = SecTrustOptionFlags(rawValue: 1 << 0)
    /// The certificate may be that of an authority, which it may be anyway.
    public static let leafIsCA = SecTrustOptionFlags(rawValue: 1 << 1)
    /// Issuers may be fetched from the network, which they never are here.
    public static let fetchIssuerFromNet = SecTrustOptionFlags(rawValue: 1 << 2)
    /// An anchor may be expired.
    public static let allowExpiredRoot = SecTrustOptionFlags(rawValue: 1 << 3)
    /// Revocation is to be checked for each certificate; without effect here.
    public static let requireRevPerCert = SecTrustOptionFlags(rawValue: 1 << 4)
    /// Trust settings count, which they do anyway.
    public static let useTrustSettings = SecTrustOptionFlags(rawValue: 1 << 5)
    /// Self-signed certificates among the given ones are anchors.
    public static let implicitAnchors = SecTrustOptionFlags(rawValue: 1 << 6)
}

/// Takes the result of an evaluation: the object, whether it is trusted, and why not.
public typealias SecTrustWithErrorCallback = (SecTrust, Bool, CFError?) -> Void

/// Takes the result of an evaluation in the older form.
public typealias SecTrustCallback = (SecTrust, SecTrustResultType) -> Void

// The strings are safe to share because they never change.

/// The key of the time that an evaluation is for.
nonisolated(unsafe) public let kSecTrustEvaluationDate: CFString = "TrustEvaluationDate"
/// The key of whether a certificate has extended validation; nothing sets it here.
nonisolated(unsafe) public let kSecTrustExtendedValidation: CFString = "TrustExtendedValidation"
/// The key of the organization of such a certificate; nothing sets it here.
nonisolated(unsafe) public let kSecTrustOrganizationName: CFString = "Organization"
/// The key of the result, a number of ``SecTrustResultType``.
nonisolated(unsafe) public let kSecTrustResultValue: CFString = "TrustResultValue"
/// The key of whether revocation was checked.
nonisolated(unsafe) public let kSecTrustRevocationChecked: CFString = "TrustRevocationChecked"
/// The key of the time until which such a check is valid; never set here.
nonisolated(unsafe) public let kSecTrustRevocationValidUntilDate: CFString = "TrustExpirationDate"
/// The key of whether the certificate is in public logs; nothing sets it here.
nonisolated(unsafe) public let kSecTrustCertificateTransparency: CFString = "TrustCertificateTransparency"

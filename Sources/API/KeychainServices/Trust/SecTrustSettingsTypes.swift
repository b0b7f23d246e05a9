// SPDX-License-Identifier: Apache-2.0

/// Whose trust settings.
public enum SecTrustSettingsDomain: UInt32, Sendable {
    /// The user's own.
    case user = 0
    /// The administrator's, for all users.
    case admin = 1
    /// The system's, which cannot be changed here.
    case system = 2
}

/// The decision for a certificate.
public enum SecTrustSettingsResult: UInt32, Sendable {
    /// Nothing can have it.
    case invalid = 0
    /// A self-signed certificate is trusted.
    case trustRoot = 1
    /// Another certificate is trusted as if it were a root.
    case trustAsRoot = 2
    /// No chain with the certificate is trusted.
    case deny = 3
    /// Nothing is decided.
    case unspecified = 4
}

/// The use of a key, if a decision depends on it.
public struct SecTrustSettingsKeyUsage: OptionSet, Sendable {
    /// The uses as one number.
    public let rawValue: UInt32

    /// Uses of a number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Signing and verifying.
    public static let useSignature = SecTrustSettingsKeyUsage(rawValue: 1 << 0)
    /// Encrypting and decrypting data.
    public static let useEnDecryptData = SecTrustSettingsKeyUsage(rawValue: 1 << 1)
    /// Encrypting and decrypting keys.
    public static let useEnDecryptKey = SecTrustSettingsKeyUsage(rawValue: 1 << 2)
    /// Signing certificates.
    public static let useSignCert = SecTrustSettingsKeyUsage(rawValue: 1 << 3)
    /// Signing answers and lists about revocation.
    public static let useSignRevocation = SecTrustSettingsKeyUsage(rawValue: 1 << 4)
    /// Agreeing on keys.
    public static let useKeyExchange = SecTrustSettingsKeyUsage(rawValue: 1 << 5)
    /// Every use.
    public static let useAny = SecTrustSettingsKeyUsage(rawValue: .max)
}

// Strings and not objects, because Apple's are macros, which Swift imports as strings.

/// The key of the policy that a decision is for, a `SecPolicy`.
public let kSecTrustSettingsPolicy = "kSecTrustSettingsPolicy"
/// The key of that policy's name, a string.
public let kSecTrustSettingsPolicyName = "kSecTrustSettingsPolicyName"
/// The key of the program that a decision is for, a `SecTrustedApplication`.
public let kSecTrustSettingsApplication = "kSecTrustSettingsApplication"
/// The key of the host or e-mail address that a decision is for, a string.
public let kSecTrustSettingsPolicyString = "kSecTrustSettingsPolicyString"
/// The key of the uses of the key that a decision is for, a number of ``SecTrustSettingsKeyUsage``.
public let kSecTrustSettingsKeyUsage = "kSecTrustSettingsKeyUsage"
/// The key of an error that is passed over, a number.
public let kSecTrustSettingsAllowedError = "kSecTrustSettingsAllowedError"
/// The key of the decision, a number of ``SecTrustSettingsResult``; to trust without it.
public let kSecTrustSettingsResult = "kSecTrustSettingsResult"

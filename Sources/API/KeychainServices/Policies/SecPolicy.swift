// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainCore

/// A rule for evaluating certificates.
public final class SecPolicy: Sendable {
    let value: CertificatePolicy

    init(_ value: CertificatePolicy) { self.value = value }
}

/// How revocation is checked, for `SecPolicyCreateRevocation`.
///
/// With OCSP responses (RFC 6960); only stapled ones are used here.
public let kSecRevocationOCSPMethod: CFOptionFlags = 1 << 0
/// By lists of revoked certificates (RFC 5280); none are looked at here.
public let kSecRevocationCRLMethod: CFOptionFlags = 1 << 1
/// By lists rather than by answers.
public let kSecRevocationPreferCRL: CFOptionFlags = 1 << 2
/// An evaluation without a good answer fails with `errSecIncompleteCertRevocationCheck`.
public let kSecRevocationRequirePositiveResponse: CFOptionFlags = 1 << 3
/// The network is not used, which it never is here.
public let kSecRevocationNetworkAccessDisabled: CFOptionFlags = 1 << 4
/// With any available method.
public let kSecRevocationUseAnyAvailableMethod: CFOptionFlags = kSecRevocationOCSPMethod | kSecRevocationCRLMethod

// The strings are safe to share because they never change.

/// The policy for any certificate.
nonisolated(unsafe) public let kSecPolicyAppleX509Basic: CFString = "1.2.840.113635.100.1.2"
/// The policy for TLS.
nonisolated(unsafe) public let kSecPolicyAppleSSL: CFString = "1.2.840.113635.100.1.3"
/// The policy for servers of TLS.
nonisolated(unsafe) public let kSecPolicyAppleSSLServer: CFString = "1.2.840.113635.100.1.3.1"
/// The policy for clients of TLS.
nonisolated(unsafe) public let kSecPolicyAppleSSLClient: CFString = "1.2.840.113635.100.1.3.2"
/// The policy for mail.
nonisolated(unsafe) public let kSecPolicyAppleSMIME: CFString = "1.2.840.113635.100.1.8"
/// The policy for authentication in a network by TLS.
nonisolated(unsafe) public let kSecPolicyAppleEAP: CFString = "1.2.840.113635.100.1.9"
/// The same for servers.
nonisolated(unsafe) public let kSecPolicyAppleEAPServer: CFString = "1.2.840.113635.100.1.9.1"
/// The same for clients.
nonisolated(unsafe) public let kSecPolicyAppleEAPClient: CFString = "1.2.840.113635.100.1.9.2"
/// The policy for virtual private networks.
nonisolated(unsafe) public let kSecPolicyAppleIPsec: CFString = "1.2.840.113635.100.1.11"
/// The same for servers.
nonisolated(unsafe) public let kSecPolicyAppleIPSecServer: CFString = "1.2.840.113635.100.1.11.1"
/// The same for clients.
nonisolated(unsafe) public let kSecPolicyAppleIPSecClient: CFString = "1.2.840.113635.100.1.11.2"
/// The policy for chat.
nonisolated(unsafe) public let kSecPolicyAppleiChat: CFString = "1.2.840.113635.100.1.12"
/// The policy for signing programs.
nonisolated(unsafe) public let kSecPolicyAppleCodeSigning: CFString = "1.2.840.113635.100.1.16"
/// The policy for sharing by Apple ID.
nonisolated(unsafe) public let kSecPolicyAppleIDValidation: CFString = "1.2.840.113635.100.1.18"
/// The policy for receipts of the Mac App Store.
nonisolated(unsafe) public let kSecPolicyMacAppStoreReceipt: CFString = "1.2.840.113635.100.1.19"
/// The policy for signing times.
nonisolated(unsafe) public let kSecPolicyAppleTimeStamping: CFString = "1.2.840.113635.100.1.20"
/// The policy for revocation.
nonisolated(unsafe) public let kSecPolicyAppleRevocation: CFString = "1.2.840.113635.100.1.21"

/// The key of a policy's identifier.
nonisolated(unsafe) public let kSecPolicyOid: CFString = "SecPolicyOid"
/// The key of the host or e-mail address that a policy requires.
nonisolated(unsafe) public let kSecPolicyName: CFString = "SecPolicyName"
/// The key of whether a policy is for a client.
nonisolated(unsafe) public let kSecPolicyClient: CFString = "SecPolicyClient"
/// The key of the flags of a policy for revocation.
nonisolated(unsafe) public let kSecPolicyRevocationFlags: CFString = "SecPolicyRevocationFlags"
/// The key of a team; no policy here uses it.
nonisolated(unsafe) public let kSecPolicyTeamIdentifier: CFString = "SecPolicyTeamIdentifier"

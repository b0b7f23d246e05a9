// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainCore

/// Creates an object that evaluates a certificate.
///
/// - Parameters:
///   - certificates: a `SecCertificate`, or an array of them: the first is evaluated, the others may be in its chain.
///   - policies: a `SecPolicy`, or an array of them, all of which have to be satisfied; `nil` for basic X.509.
///   - trust: receives the object.
/// - Returns: `errSecSuccess`; `errSecParam` for anything else, and for no certificate.
@discardableResult
public func SecTrustCreateWithCertificates(
    _ certificates: CFTypeRef,
    _ policies: CFTypeRef?,
    _ trust: UnsafeMutablePointer<SecTrust?>
) -> OSStatus {
    guard let certificates = Members.of(certificates, SecCertificate.self), !certificates.isEmpty else {
        return errSecParam
    }
    guard let policies else {
        trust.pointee = SecTrust(certificates)
        return errSecSuccess
    }
    guard let policies = Members.of(policies, SecPolicy.self) else { return errSecParam }
    trust.pointee = SecTrust(certificates, policies.isEmpty ? [SecPolicy(.basicX509)] : policies)
    return errSecSuccess
}

/// Sets the policies that the certificate has to satisfy: a `SecPolicy`, or an array of them.
///
/// - Returns: `errSecSuccess`; `errSecParam` for anything else.
@discardableResult
public func SecTrustSetPolicies(_ trust: SecTrust, _ policies: CFTypeRef) -> OSStatus {
    guard let policies = Members.of(policies, SecPolicy.self), !policies.isEmpty else { return errSecParam }
    trust.set { $0.policies = policies }
    return errSecSuccess
}

/// The policies that the certificate has to satisfy.
///
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustCopyPolicies(_ trust: SecTrust, _ policies: UnsafeMutablePointer<CFArray?>) -> OSStatus {
    policies.pointee = NSArray(array: trust.current.policies)
    return errSecSuccess
}

/// Sets the certificates at which the chain may end, in place of the system's.
///
/// With `SecTrustSetAnchorCertificatesOnly(trust, false)` afterwards, the system's are also used.
///
/// - Parameters:
///   - trust: the object.
///   - anchorCertificates: an array of `SecCertificate`; `nil` to use the system's anchors again.
/// - Returns: `errSecSuccess`; `errSecParam` for an array with anything else.
@discardableResult
public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchorCertificates: CFArray?) -> OSStatus {
    guard let anchorCertificates else {
        trust.set {
            $0.anchors = nil
            $0.usesAnchorsOnly = false
        }
        return errSecSuccess
    }
    guard let anchors = Members.of(anchorCertificates, SecCertificate.self) else { return errSecParam }
    trust.set {
        $0.anchors = anchors
        $0.usesAnchorsOnly = true
    }
    return errSecSuccess
}

/// Sets whether the given anchors are the only ones.
///
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ anchorCertificatesOnly: Bool) -> OSStatus {
    trust.set {
        $0.usesAnchorsOnly = anchorCertificatesOnly
        if anchorCertificatesOnly, $0.anchors == nil { $0.anchors = [] }
    }
    return errSecSuccess
}

/// The given anchors; `nil` if there are none.
///
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustCopyCustomAnchorCertificates(
    _ trust: SecTrust,
    _ anchors: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    anchors.pointee = trust.current.anchors.map { NSArray(array: $0) }
    return errSecSuccess
}

/// The system's anchors: the distribution's certificate authorities file.
///
/// - Returns: `errSecSuccess`; `errSecNotAvailable` if OpenSSL is not installed.
@discardableResult
public func SecTrustCopyAnchorCertificates(_ anchors: UnsafeMutablePointer<CFArray?>) -> OSStatus {
    FunctionCall.status { () throws(KeychainError) in
        anchors.pointee = NSArray(array: try TrustCall.systemAnchors())
    }
}

/// Sets the time at which the certificates have to be valid; by default, the time of the evaluation.
///
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustSetVerifyDate(_ trust: SecTrust, _ verifyDate: CFDate) -> OSStatus {
    let date = Timestamp(secondsSinceReferenceDate: verifyDate.timeIntervalSinceReferenceDate)
    trust.set { $0.date = date }
    return errSecSuccess
}

/// The time at which the certificates have to be valid: the time that was set, else now.
@discardableResult
public func SecTrustGetVerifyTime(_ trust: SecTrust) -> CFAbsoluteTime {
    (trust.current.date ?? SecTrust.now).secondsSinceReferenceDate
}

/// Sets whether the network may be used for missing certificates and for revocation checks.
///
/// - Important: Differs from Apple: the network is never used. The setting is only stored.
///
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustSetNetworkFetchAllowed(_ trust: SecTrust, _ allowFetch: Bool) -> OSStatus {
    trust.set { $0.allowsNetwork = allowFetch }
    return errSecSuccess
}

/// Whether the network may be used; initially true.
///
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustGetNetworkFetchAllowed(
    _ trust: SecTrust,
    _ allowFetch: UnsafeMutablePointer<DarwinBoolean>
) -> OSStatus {
    allowFetch.pointee = DarwinBoolean(trust.current.allowsNetwork)
    return errSecSuccess
}

/// Sets stapled OCSP responses (RFC 6960): those received with the certificate, as in a TLS handshake.
///
/// A response that reports the certificate as revoked makes the evaluation fail with `errSecCertificateRevoked`; a good
/// one satisfies a policy with `kSecRevocationRequirePositiveResponse`. A response that is not signed for the issuer,
/// is about another certificate, or is not valid at the time of the evaluation is ignored.
///
/// - Parameters:
///   - trust: the object.
///   - responseData: data, or an array of data; `nil` for none.
/// - Returns: `errSecSuccess`; `errSecParam` for anything else.
@discardableResult
public func SecTrustSetOCSPResponse(_ trust: SecTrust, _ responseData: CFTypeRef?) -> OSStatus {
    guard let responseData else {
        trust.set { $0.ocspResponses = [] }
        return errSecSuccess
    }
    guard let responses = Members.of(responseData, NSData.self) else { return errSecParam }
    let copies = responses.map { $0 as Data }
    trust.set { $0.ocspResponses = copies }
    return errSecSuccess
}

/// Sets proofs that the certificate is in public logs.
///
/// - Important: Differs from Apple: ignored, because nothing here requires them.
///
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustSetSignedCertificateTimestamps(_ trust: SecTrust, _ sctArray: CFArray?) -> OSStatus {
    errSecSuccess
}

/// Sets what an evaluation passes over.
///
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustSetOptions(_ trustRef: SecTrust, _ options: SecTrustOptionFlags) -> OSStatus {
    trustRef.set { $0.options = options }
    return errSecSuccess
}

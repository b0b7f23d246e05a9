// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainCore
import KeychainTrust

/// A policy for any certificate: a chain to an anchor, valid now, and nothing critical in it that is unknown.
@discardableResult
public func SecPolicyCreateBasicX509() -> SecPolicy { SecPolicy(.basicX509) }

/// A policy for certificates of TLS.
///
/// - Parameters:
///   - server: whether the certificate is for a server, rather than a client.
///   - hostname: the required name or address of the server; `nil` for any.
/// - Returns: The policy.
@discardableResult
public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy {
    SecPolicy(.tls(isServer: server, host: hostname.map { $0 as String }))
}

/// A policy for revocation checks, in addition to another one.
///
/// - Important: Differs from Apple: only OCSP responses set with `SecTrustSetOCSPResponse` are used.
///
/// - Parameter revocationFlags: flags named `kSecRevocation…`.
/// - Returns: The policy; `nil` for contradictory flags: a required positive response without any method.
@discardableResult
public func SecPolicyCreateRevocation(_ revocationFlags: CFOptionFlags) -> SecPolicy? {
    let methods = kSecRevocationUseAnyAvailableMethod
    let isUnanswerable = revocationFlags & kSecRevocationRequirePositiveResponse != 0 && revocationFlags & methods == 0
    return isUnanswerable ? nil : SecPolicy(.revocation(UInt64(revocationFlags)))
}

/// A policy by its identifier.
///
/// - Parameters:
///   - policyIdentifier: one of the strings `kSecPolicyApple…`.
///   - properties: `kSecPolicyName`, the host or e-mail address; `kSecPolicyClient`, whether it is for a client;
///     `kSecPolicyRevocationFlags`, a number.
/// - Returns: The policy; `nil` for an unknown one, and for a property of the wrong type.
@discardableResult
public func SecPolicyCreateWithProperties(_ policyIdentifier: CFTypeRef, _ properties: CFDictionary?) -> SecPolicy? {
    guard let identifier = policyIdentifier as? NSString else { return nil }
    let name = properties?.object(forKey: kSecPolicyName)
    let isClient = properties?.object(forKey: kSecPolicyClient)
    let flags = properties?.object(forKey: kSecPolicyRevocationFlags)
    guard name == nil || name is String, isClient == nil || isClient is NSNumber, flags == nil || flags is NSNumber
    else {
        return nil
    }
    return CertificatePolicy(
        objectIdentifier: identifier as String,
        isServer: !((isClient as? NSNumber)?.boolValue ?? false),
        name: name as? String,
        revocationFlags: (flags as? NSNumber)?.uint64Value ?? 0
    ).map(SecPolicy.init(_:))
}

/// A policy by its identifier, for any host or address, and for a server if the identifier applies to both sides.
///
/// - Parameter policyOID: one of the strings `kSecPolicyApple…`.
/// - Returns: The policy; `nil` for an unknown one.
@discardableResult
public func SecPolicyCreateWithOID(_ policyOID: CFTypeRef) -> SecPolicy? {
    SecPolicyCreateWithProperties(policyOID, nil)
}

/// The properties of a policy.
///
/// - Returns: A dictionary with `kSecPolicyOid`, and the other keys that apply.
@discardableResult
public func SecPolicyCopyProperties(_ policyRef: SecPolicy) -> CFDictionary? {
    let properties = NSMutableDictionary()
    properties.setObject(NSString(string: policyRef.value.objectIdentifier), forKey: kSecPolicyOid)
    if let name = policyRef.value.name { properties.setObject(NSString(string: name), forKey: kSecPolicyName) }
    switch policyRef.value {
    case .tls(false, _), .purpose(.eap, false, _), .purpose(.ipsec, false, _):
        properties.setObject(NSNumber(value: true), forKey: kSecPolicyClient)
    case .revocation(let flags): properties.setObject(NSNumber(value: flags), forKey: kSecPolicyRevocationFlags)
    case .basicX509, .tls, .purpose: break
    }
    return properties
}

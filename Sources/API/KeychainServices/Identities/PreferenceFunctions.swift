// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainCertificates
import KeychainCore

/// The identity that the user prefers for a service.
///
/// - Important: Differs from macOS: the key usage has no effect, and every program of the user finds every preference.
///
/// - Parameters:
///   - name: the service: a URL, the name of a host, a mail address or any other text.
///   - keyUsage: ignored.
///   - validIssuers: an array of names in DER, one of which must be an issuer in the chain; `nil` for any.
/// - Returns: The identity; `nil` without a preference, and if its certificate or key no longer exists.
@discardableResult
public func SecIdentityCopyPreferred(
    _ name: CFString,
    _ keyUsage: CFArray?,
    _ validIssuers: CFArray?
) -> SecIdentity? {
    let issuers = validIssuers.map {
        $0.compactMap { ($0 as? Data).map { PropertyValue.data(SecretBytes(Array($0))) } }
    }
    guard issuers?.count == validIssuers?.count else { return nil }
    // An empty list counts as none, as for kSecMatchIssuers.
    return try? PreferredIdentity(service: name as String).identity(issuedBy: issuers?.isEmpty ?? true ? nil : issuers)
}

/// Sets the identity that the user prefers for a service.
///
/// - Parameters:
///   - identity: the identity; `nil` to remove the preference, which is not an error if there was none.
///   - name: the service, which may end with a slash for all paths below, or have `*` as leftmost label of its host.
///   - keyUsage: ignored.
/// - Returns: `errSecSuccess`; `errSecParam` for an empty name, `errSecNoDefaultKeychain`.
@discardableResult
public func SecIdentitySetPreferred(_ identity: SecIdentity?, _ name: CFString, _ keyUsage: CFArray?) -> OSStatus {
    SecCertificateSetPreferred(identity?.certificate, name, keyUsage)
}

/// The certificate that the user prefers for a service, with or without its key.
///
/// - Parameters:
///   - name: the service.
///   - keyUsage: ignored.
/// - Returns: The certificate; `nil` without a preference, and if it no longer exists.
@discardableResult
public func SecCertificateCopyPreferred(_ name: CFString, _ keyUsage: CFArray?) -> SecCertificate? {
    try? PreferredIdentity(service: name as String).certificate()
}

/// Sets the certificate that the user prefers for a service.
///
/// - Returns: the statuses of ``SecIdentitySetPreferred(_:_:_:)``.
@discardableResult
public func SecCertificateSetPreferred(
    _ certificate: SecCertificate?,
    _ name: CFString,
    _ keyUsage: CFArray?
) -> OSStatus {
    guard name.length > 0 else { return errSecParam }
    do throws(KeychainError) {
        try PreferredIdentity(service: name as String).set(certificate)
        return errSecSuccess
    } catch {
        return error.status.rawValue
    }
}

// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainCore

/// A policy for any certificate: valid now, and nothing critical in it that is unknown.
///
/// - Important: As a condition of a query it finds nothing: it asks for a trusted chain, and nothing is trusted yet.
@discardableResult
public func SecPolicyCreateBasicX509() -> SecPolicy { SecPolicy(.basicX509) }

/// A policy for certificates of TLS.
///
/// - Important: Differs from Apple: a policy says what a single certificate looks like. No chain is built, and no trust
///   evaluated.
///
/// - Parameters:
///   - server: whether the certificate is that of a server, else of a client.
///   - hostname: the name or address of the server that the certificate must have; `nil` for any.
/// - Returns: The policy.
@discardableResult
public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy {
    SecPolicy(.tls(isServer: server, host: hostname.map { $0 as String }))
}

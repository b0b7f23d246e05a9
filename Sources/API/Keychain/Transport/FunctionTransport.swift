// SPDX-License-Identifier: Apache-2.0

import Foundation
import PortableSecurity

/// The public item functions: the way on Apple platforms, and one that works here as well.
package struct FunctionTransport: ItemTransport {
    /// The default group, once known: it does not change while an app runs.
    private let foundGroup = LockedValue<String?>(nil)

    /// The transport of this process.
    package static let shared = FunctionTransport()

    /// A transport.
    package init() {}

    package func add(_ attributes: [String: Any]) throws(TransportFailure) -> AnyObject? {
        var result: CFTypeRef?
        try check(SecItemAdd(Self.dictionary(attributes), &result))
        return result
    }

    package func copyMatching(_ query: [String: Any]) throws(TransportFailure) -> AnyObject? {
        var result: CFTypeRef?
        try check(SecItemCopyMatching(Self.dictionary(query), &result), about: query)
        return result
    }

    package func update(_ query: [String: Any], _ attributes: [String: Any]) throws(TransportFailure) {
        try check(SecItemUpdate(Self.dictionary(query), Self.dictionary(attributes)), about: query)
    }

    package func delete(_ query: [String: Any]) throws(TransportFailure) {
        try check(SecItemDelete(Self.dictionary(query)))
    }

    package func set(
        _ query: [String: Any],
        _ attributes: [String: Any],
        orAdd addition: [String: Any]
    ) throws(TransportFailure) {
        try updateOrAdd(query, with: attributes, adding: addition)
    }

    package func defaultAccessGroup() throws(TransportFailure) -> String? {
        if let group = foundGroup.withLock({ $0 }) { return group }
        let group = try DefaultGroupProbe.group(self)
        foundGroup.withLock { $0 = group }
        return group
    }

    package var scope: ChangeScope { .inEffect }

    private static func dictionary(_ entries: [String: Any]) -> CFDictionary {
        NSDictionary(dictionary: entries) as CFDictionary
    }

    private func check(_ status: OSStatus) throws(TransportFailure) {
        guard status == errSecSuccess else { throw TransportFailure(status: status) }
    }

    /// One status means both a locked device and required authentication: a second query distinguishes them.
    private func check(_ status: OSStatus, about query: [String: Any]) throws(TransportFailure) {
        guard status == errSecInteractionNotAllowed else { return try check(status) }
        var probe = query.filter { !$0.key.hasPrefix("r_") && !$0.key.hasPrefix("u_") }
        probe[kSecUseAuthenticationUI as String] = kSecUseAuthenticationUISkip
        let isPassedOver = SecItemCopyMatching(Self.dictionary(probe), nil) == errSecItemNotFound
        throw TransportFailure(status: status, kind: isPassedOver ? .authenticationRequired : .locked)
    }
}

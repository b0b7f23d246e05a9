// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The interface between this module and a keychain: the item functions with dictionaries.
///
/// A dictionary's keys are the strings of the constants.
package protocol ItemTransport: Sendable {
    /// Adds an item.
    func add(_ attributes: [String: Any]) throws(TransportFailure) -> AnyObject?

    /// Finds items.
    func copyMatching(_ query: [String: Any]) throws(TransportFailure) -> AnyObject?

    /// Changes every item that matches.
    func update(_ query: [String: Any], _ attributes: [String: Any]) throws(TransportFailure)

    /// Deletes every item that matches.
    func delete(_ query: [String: Any]) throws(TransportFailure)

    /// Changes every item that matches; adds one when none does.
    func set(
        _ query: [String: Any],
        _ attributes: [String: Any],
        orAdd addition: [String: Any]
    ) throws(TransportFailure)

    /// The access group in which an add without one stores; `nil` to have the keychain report the problem.
    func defaultAccessGroup() throws(TransportFailure) -> String?

    /// The scope in which changes are announced.
    var scope: ChangeScope { get }
}

/// The failure of a transport's call.
package struct TransportFailure: Error {
    /// The status of the item function.
    package var status: Int32
    /// The kind, if the transport knows more than the status.
    package var kind: KeychainItemError.Kind?
    /// The keychain's own reason.
    package var reason: String?
    /// The remedy for this particular failure, if available: evaluated only if the failure becomes an error.
    package var advice: @Sendable () -> String? = { nil }

    /// A failure.
    package init(status: Int32, kind: KeychainItemError.Kind? = nil, reason: String? = nil) {
        self.status = status
        self.kind = kind
        self.reason = reason
    }
}
